// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `time`: a time of day, with or without a time zone.
public struct XMLTime: Hashable, Sendable {
    /// The hour, from 0 to 23.
    public let hour: Int
    /// The minute, from 0 to 59.
    public let minute: Int
    /// The second, from 0 to 59.
    public let second: Int
    /// The fraction of the second in nanoseconds, from 0 to 999,999,999.
    public let nanosecond: Int
    /// The time zone in minutes east of UTC, from -840 to 840; `nil` for none.
    public let zone: Int?

    /// Creates a time from its parts.
    ///
    /// The time zone is in minutes east of UTC; `nil`, the default, for none.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where a number is out of its range.
    public init(
        hour: Int, minute: Int, second: Int = 0, nanosecond: Int = 0, zone: Int? = nil
    ) throws(XMLValueError) {
        (self.hour, self.minute, self.second, self.nanosecond) = (hour, minute, second, nanosecond)
        self.zone = zone
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
            (0..<1_000_000_000).contains(nanosecond), XMLZone.range.contains(zone ?? 0)
        else { throw .invalid(text: clock + XMLZone.text(zone), type: "time") }
    }

    /// The time without the zone.
    var clock: String { "\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))\(nanosecond.fraction)" }

    /// Reads a time; `isEndOfDay` for 24:00:00, which is the first instant of the next day.
    static func scan(_ scanner: inout XMLDateScanner) -> (time: XMLTime, isEndOfDay: Bool)? {
        guard let hour = scanner.twoDigits(), scanner.skip(":"), let minute = scanner.twoDigits(), scanner.skip(":"),
            let second = scanner.twoDigits(), let nanosecond = scanner.nanoseconds(), let zone = scanner.zone()
        else { return nil }
        let isEndOfDay = (hour, minute, second, nanosecond) == (24, 0, 0, 0)
        let time = try? XMLTime(
            hour: isEndOfDay ? 0 : hour, minute: minute, second: second, nanosecond: nanosecond, zone: zone)
        return time.map { ($0, isEndOfDay) }
    }
}

extension XMLTime: XMLSimpleType {
    /// `xsd:time`.
    public static var xmlType: XMLName? { .schema("time") }

    /// Reads `13:20:00.5`, with or without a zone; 24:00:00 is 00:00:00.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``, also for a fraction beyond nanoseconds, so that no digit is lost.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard let time = Self.scan(&scanner)?.time else { throw .invalid(text: text, type: "time") }
        self = time
    }

    /// Returns the time as `13:20:00.5`, followed by the zone if there is one.
    public func xmlText(in scope: inout XMLScope) -> String { clock + XMLZone.text(zone) }
}
