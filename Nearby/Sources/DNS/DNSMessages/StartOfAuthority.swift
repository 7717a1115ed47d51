// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// The values of an SOA record (RFC 1035 section 3.3.13); times are in seconds.
public struct StartOfAuthority: Hashable, Sendable {
    /// The primary name server of the zone.
    public var primary: DomainName
    /// The mailbox of the person responsible for the zone, with a dot instead of the at sign.
    public var mailbox: DomainName
    /// The serial number of the zone's version.
    public var serial: ZoneSerial
    /// The interval after which secondary servers check for a new version: four hours by default.
    public var refresh: UInt32 = 14_400
    /// The interval after which secondary servers retry a failed check: one hour by default.
    public var retry: UInt32 = 3_600
    /// The time without a successful check after which secondary servers stop serving the zone: 14 days by default.
    public var expire: UInt32 = 1_209_600
    /// The time for which resolvers cache negative responses (RFC 2308): one hour by default.
    public var minimum: UInt32 = 3_600

    /// Creates values with times that suit most zones.
    public init(primary: DomainName, mailbox: DomainName, serial: ZoneSerial) {
        (self.primary, self.mailbox, self.serial) = (primary, mailbox, serial)
    }
}

/// The serial number of a zone, which increases with every change (RFC 1982).
public struct ZoneSerial: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let value: UInt32

    /// Creates a serial from its number.
    public init(_ value: UInt32) { self.value = value }

    /// Returns the first serial of a day: the decimal digits of year, month and day, followed by `00`.
    ///
    /// If the number would be negative or exceed 4,294,967,295, the result is the nearest valid serial.
    public static func of(year: Int, month: Int, day: Int) -> ZoneSerial {
        ZoneSerial(UInt32(clamping: ((year * 100 + month) * 100 + day) * 100))
    }

    /// Returns the serial of the next version: the first serial of the day if this serial is before it, and the next
    /// serial otherwise.
    ///
    /// - Parameter day: The first serial of the day.
    /// - Returns: A serial that secondary servers consider newer than this one.
    public func next(on day: ZoneSerial) -> ZoneSerial { isBefore(day) ? day : ZoneSerial(value &+ 1) }

    /// Returns whether secondary servers consider another serial newer (RFC 1982 section 3.2).
    public func isBefore(_ other: ZoneSerial) -> Bool {
        let distance = other.value &- value
        return distance != 0 && distance < 1 << 31
    }

    /// The number in decimal digits.
    public var description: String { String(value) }
}
