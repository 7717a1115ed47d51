// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `gMonth`: a month of every year, with or without a time zone.
public struct XMLMonth: Hashable, Sendable {
    /// The month, from 1 to 12.
    public let month: Int
    /// The time zone in minutes east of UTC, from -840 to 840; `nil` for none.
    public let zone: Int?

    /// Creates a month from its number.
    ///
    /// The time zone is in minutes east of UTC; `nil`, the default, for none.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if a number is out of its range.
    public init(_ month: Int, zone: Int? = nil) throws(XMLValueError) {
        let date = try XMLDate(year: 2000, month: month, day: 1, zone: zone)
        (self.month, self.zone) = (date.month, date.zone)
    }
}

extension XMLMonth: XMLSimpleType {
    /// `xsd:gMonth`.
    public static var xmlType: XMLName? { .schema("gMonth") }

    /// Reads `--11`, with or without a zone, and the form `--11--` of the standard's first edition.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard scanner.skip("--"), let month = scanner.twoDigits() else { throw .invalid(text: text, type: "gMonth") }
        _ = scanner.skip("--")
        guard let zone = scanner.zone(), let value = try? XMLMonth(month, zone: zone) else {
            throw .invalid(text: text, type: "gMonth")
        }
        self = value
    }

    /// Returns the month as `--11`, followed by the zone if there is one.
    public func xmlText(in scope: inout XMLScope) -> String { "--\(month.padded(2))\(XMLZone.text(zone))" }
}

/// `gMonthDay`: a day of every year, with or without a time zone.
public struct XMLMonthDay: Hashable, Sendable {
    /// The month, from 1 to 12.
    public let month: Int
    /// The day of the month, from 1; up to 29 for February.
    public let day: Int
    /// The time zone in minutes east of UTC, from -840 to 840; `nil` for none.
    public let zone: Int?

    /// Creates a day of a month from its numbers.
    ///
    /// The time zone is in minutes east of UTC; `nil`, the default, for none.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if a number is out of its range.
    public init(month: Int, day: Int, zone: Int? = nil) throws(XMLValueError) {
        // 2000 is a leap year, so February 29 exists.
        let date = try XMLDate(year: 2000, month: month, day: day, zone: zone)
        (self.month, self.day, self.zone) = (date.month, date.day, date.zone)
    }
}

extension XMLMonthDay: XMLSimpleType {
    /// `xsd:gMonthDay`.
    public static var xmlType: XMLName? { .schema("gMonthDay") }

    /// Reads `--11-24`, with or without a zone.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard scanner.skip("--"), let month = scanner.twoDigits(), scanner.skip("-"), let day = scanner.twoDigits(),
            let zone = scanner.zone(), let value = try? XMLMonthDay(month: month, day: day, zone: zone)
        else { throw .invalid(text: text, type: "gMonthDay") }
        self = value
    }

    /// Returns the day as `--11-24`, followed by the zone if there is one.
    public func xmlText(in scope: inout XMLScope) -> String {
        "--\(month.padded(2))-\(day.padded(2))\(XMLZone.text(zone))"
    }
}

/// `gDay`: a day of every month, with or without a time zone.
public struct XMLDay: Hashable, Sendable {
    /// The day of the month, from 1 to 31.
    public let day: Int
    /// The time zone in minutes east of UTC, from -840 to 840; `nil` for none.
    public let zone: Int?

    /// Creates a day from its number.
    ///
    /// The time zone is in minutes east of UTC; `nil`, the default, for none.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if a number is out of its range.
    public init(_ day: Int, zone: Int? = nil) throws(XMLValueError) {
        let date = try XMLDate(year: 2000, month: 1, day: day, zone: zone)
        (self.day, self.zone) = (date.day, date.zone)
    }
}

extension XMLDay: XMLSimpleType {
    /// `xsd:gDay`.
    public static var xmlType: XMLName? { .schema("gDay") }

    /// Reads `---24`, with or without a zone.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard scanner.skip("---"), let day = scanner.twoDigits(), let zone = scanner.zone(),
            let value = try? XMLDay(day, zone: zone)
        else { throw .invalid(text: text, type: "gDay") }
        self = value
    }

    /// Returns the day as `---24`, followed by the zone if there is one.
    public func xmlText(in scope: inout XMLScope) -> String { "---\(day.padded(2))\(XMLZone.text(zone))" }
}
