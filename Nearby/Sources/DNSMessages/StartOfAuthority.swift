// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// The SOA record's values (RFC 1035 section 3.3.13); times are in seconds.
public struct StartOfAuthority: Hashable, Sendable {
    /// The server that has the zone first.
    public var primary: DomainName
    /// The mailbox of who is responsible, with a dot for the at sign.
    public var mailbox: DomainName
    /// The number of the zone's version.
    public var serial: ZoneSerial
    /// After which time secondary servers ask for a new version.
    public var refresh: UInt32 = 14_400
    /// After which time they ask again where no answer came.
    public var retry: UInt32 = 3_600
    /// After which time without an answer they stop to serve the zone.
    public var expire: UInt32 = 1_209_600
    /// For how long resolvers remember that a name is not there (RFC 2308).
    public var minimum: UInt32 = 3_600

    /// Values with times that suit most zones.
    public init(primary: DomainName, mailbox: DomainName, serial: ZoneSerial) {
        (self.primary, self.mailbox, self.serial) = (primary, mailbox, serial)
    }
}

/// The number that tells secondary servers that a zone has changed (RFC 1982).
public struct ZoneSerial: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let value: UInt32

    /// A serial by its number.
    public init(_ value: UInt32) { self.value = value }

    /// The first serial of a day: year, month, day and two digits.
    public static func of(year: Int, month: Int, day: Int) -> ZoneSerial {
        ZoneSerial(UInt32(clamping: ((year * 100 + month) * 100 + day) * 100))
    }

    /// The serial of the next version: the day's, or else the one after this.
    ///
    /// - Parameter day: The first serial of the day.
    /// - Returns: A serial that secondary servers take as a later one.
    public func next(on day: ZoneSerial) -> ZoneSerial { isBefore(day) ? day : ZoneSerial(value &+ 1) }

    /// Whether secondary servers take another serial as a later one (RFC 1982 section 3.2).
    public func isBefore(_ other: ZoneSerial) -> Bool {
        let distance = other.value &- value
        return distance != 0 && distance < 1 << 31
    }

    /// The number in decimal digits.
    public var description: String { String(value) }
}
