// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import XMLDocuments

/// `dateTime`: a day and a time, with or without a time zone.
///
/// Two values are equal if all their parts are equal; the same instant in two time zones is two different values.
public struct XMLDateTime: Hashable, Sendable {
    /// The year, from -999,999,999 to 999,999,999; 0 is the year before 1, as in XML Schema 1.1.
    public let year: Int
    /// The month, from 1 to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int
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

    /// Creates a day and a time from their parts.
    ///
    /// The time zone is in minutes east of UTC; `nil`, the default, for none.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if the day or the time does not exist or a number is out of
    ///   its range.
    public init(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0,
        zone: Int? = nil
    ) throws(XMLValueError) {
        let date = try XMLDate(year: year, month: month, day: day)
        self.init(
            date, try XMLTime(hour: hour, minute: minute, second: second, nanosecond: nanosecond, zone: zone))
    }

    /// Combines a day and a time, with the time's zone.
    ///
    /// The date's zone is ignored.
    public init(_ date: XMLDate, _ time: XMLTime) {
        (year, month, day) = (date.year, date.month, date.day)
        (hour, minute, second, nanosecond) = (time.hour, time.minute, time.second, time.nanosecond)
        zone = time.zone
    }

    private init(day number: Int, second: Int, nanosecond: Int, zone: Int?) {
        (year, month, day) = XMLCalendar.date(of: number)
        (hour, minute, self.second) = (second / 3_600, second / 60 % 60, second % 60)
        (self.nanosecond, self.zone) = (nanosecond, zone)
    }
}

extension XMLDateTime {
    /// Creates the day and the time of an instant, rounded to the microsecond.
    ///
    /// - Parameters:
    ///   - date: The instant, clamped to about 999,990,000 years before or after 2001; NaN is 2001-01-01.
    ///   - zone: The time zone of the result in minutes east of UTC, clamped to -840 to 840; 0, UTC, by default.
    public init(_ date: Date, zone: Int = 0) {
        let zone = min(max(zone, XMLZone.range.lowerBound), XMLZone.range.upperBound)
        let seconds = date.timeIntervalSinceReferenceDate
        let wholeSeconds = seconds.rounded(.down)
        // Dates outside the supported years are clamped approximately to the first or last supported year.
        let limit = 31_556_952.0 * 999_990_000
        var second =
            Int(min(max(wholeSeconds.isNaN ? 0 : wholeSeconds, -limit), limit)) + Self.referenceSeconds + zone * 60
        var microsecond = Int(((seconds - wholeSeconds).isFinite ? seconds - wholeSeconds : 0) * 1_000_000 + 0.5)
        if microsecond >= 1_000_000 { (second, microsecond) = (second + 1, 0) }
        let day = (second >= 0 ? second : second - 86_399) / 86_400
        self.init(day: day, second: second - day * 86_400, nanosecond: microsecond * 1_000, zone: zone)
    }

    /// Returns the instant.
    ///
    /// - Parameter zone: The time zone, in minutes east of UTC, of a value without a zone; UTC by default.
    /// - Returns: The instant, in the precision of `Date`.
    public func date(assuming zone: Int = 0) -> Date {
        let seconds = secondsSince1970(assuming: zone) - Self.referenceSeconds
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(nanosecond) / 1_000_000_000)
    }

    func secondsSince1970(assuming zone: Int) -> Int {
        let days = XMLCalendar.dayNumber(year: year, month: month, day: day)
        return days * 86_400 + hour * 3_600 + minute * 60 + second - (self.zone ?? zone) * 60
    }

    /// The Unix time of 2001-01-01, Foundation's reference date.
    private static let referenceSeconds = 978_307_200
}

extension XMLDateTime: XMLSimpleType {
    /// `xsd:dateTime`.
    public static var xmlType: XMLName? { .schema("dateTime") }

    /// Reads `2026-11-24T13:20:00.5Z`, with or without a zone; 24:00:00 is 00:00:00 of the next day.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``, also for a fraction finer than nanoseconds, so that no digit
    ///   is lost.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard let year = scanner.year(), scanner.skip("-"), let month = scanner.twoDigits(), scanner.skip("-"),
            let day = scanner.twoDigits(), scanner.skip("T"), let (time, isEndOfDay) = XMLTime.scan(&scanner),
            let date = try? XMLDate(year: year, month: month, day: day)
        else { throw .invalid(text: text, type: "dateTime") }
        self.init(date, time)
        guard isEndOfDay else { return }
        let next = XMLCalendar.dayNumber(year: year, month: month, day: day) + 1
        self.init(day: next, second: 0, nanosecond: 0, zone: zone)
    }

    /// Returns the day and the time as `2026-11-24T13:20:00.5Z`, without a zone if there is none.
    public func xmlText(in scope: inout XMLScope) -> String {
        let clock = "\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))\(nanosecond.fraction)"
        return "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))T\(clock)\(XMLZone.text(zone))"
    }
}

/// `date`: a day, with or without a time zone.
public struct XMLDate: Hashable, Sendable {
    /// The year, from -999,999,999 to 999,999,999; 0 is the year before 1, as in XML Schema 1.1.
    public let year: Int
    /// The month, from 1 to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int
    /// The time zone in minutes east of UTC, from -840 to 840; `nil` for none.
    public let zone: Int?

    /// Creates a day from its parts.
    ///
    /// The time zone is in minutes east of UTC; `nil`, the default, for none.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if the day does not exist or a number is out of its range.
    public init(year: Int, month: Int, day: Int, zone: Int? = nil) throws(XMLValueError) {
        (self.year, self.month, self.day, self.zone) = (year, month, day, zone)
        guard XMLCalendar.years.contains(year), XMLCalendar.days(of: month, in: year)?.contains(day) ?? false,
            XMLZone.range.contains(zone ?? 0)
        else { throw .invalid(text: text, type: "date") }
    }

    private var text: String { "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))\(XMLZone.text(zone))" }
}

extension XMLDate: XMLSimpleType {
    /// `xsd:date`.
    public static var xmlType: XMLName? { .schema("date") }

    /// Reads `2026-11-24`, with or without a zone.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard let year = scanner.year(), scanner.skip("-"), let month = scanner.twoDigits(), scanner.skip("-"),
            let day = scanner.twoDigits(), let zone = scanner.zone(),
            let date = try? XMLDate(year: year, month: month, day: day, zone: zone)
        else { throw .invalid(text: text, type: "date") }
        self = date
    }

    /// Returns the day as `2026-11-24`, followed by the zone if there is one.
    public func xmlText(in scope: inout XMLScope) -> String { text }
}

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
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if a number is out of its range.
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

    /// Reads a time; `isEndOfDay` is `true` for 24:00:00, which is the first instant of the next day.
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
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``, also for a fraction finer than nanoseconds, so that no digit
    ///   is lost.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard let time = Self.scan(&scanner)?.time else { throw .invalid(text: text, type: "time") }
        self = time
    }

    /// Returns the time as `13:20:00.5`, followed by the zone if there is one.
    public func xmlText(in scope: inout XMLScope) -> String { clock + XMLZone.text(zone) }
}
