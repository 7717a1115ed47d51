// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// The SOA record's values (RFC 1035 section 3.3.13); times are in seconds.
public struct StartOfAuthority: Hashable, Sendable {
    /// The primary name server of the zone.
    public var primary: DomainName
    /// The mailbox of the person responsible for the zone, with a dot in the place of the at sign.
    public var mailbox: DomainName
    /// The serial number of the zone's version.
    public var serial: ZoneSerial
    /// The time after which secondary servers ask for a new version: four hours by default.
    public var refresh: UInt32 = 14_400
    /// The time after which secondary servers ask again if no answer came: one hour by default.
    public var retry: UInt32 = 3_600
    /// The time without an answer after which secondary servers stop serving the zone: 14 days by default.
    public var expire: UInt32 = 1_209_600
    /// The time for which resolvers cache that a name does not exist (RFC 2308): one hour by default.
    public var minimum: UInt32 = 3_600

    /// Makes values with times that suit most zones.
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

    /// The first serial of a day: the decimal digits of year, month and day, and `00`.
    ///
    /// Dates that need a larger number than 4,294,967,295 or a negative one give the nearest serial.
    public static func of(year: Int, month: Int, day: Int) -> ZoneSerial {
        ZoneSerial(UInt32(clamping: ((year * 100 + month) * 100 + day) * 100))
    }

    /// The serial of the next version: the first one of the day, if this one is before it, or else the one after this.
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
