// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `gYear`: a year, with or without a time zone.
public struct XMLYear: Hashable, Sendable {
    /// The year, from -999,999,999 to 999,999,999; 0 is the year before 1, as in XML Schema 1.1.
    public let year: Int
    /// The time zone in minutes east of UTC, from -840 to 840; `nil` for none.
    public let zone: Int?

    /// Creates a year from its number.
    ///
    /// The time zone is in minutes east of UTC; `nil`, the default, for none.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if a number is out of its range.
    public init(_ year: Int, zone: Int? = nil) throws(XMLValueError) {
        let date = try XMLDate(year: year, month: 1, day: 1, zone: zone)
        (self.year, self.zone) = (date.year, date.zone)
    }
}

extension XMLYear: XMLSimpleType {
    /// `xsd:gYear`.
    public static var xmlType: XMLName? { .schema("gYear") }

    /// Reads `2026`, with or without a zone.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard let year = scanner.year(), let zone = scanner.zone(), let value = try? XMLYear(year, zone: zone) else {
            throw .invalid(text: text, type: "gYear")
        }
        self = value
    }

    /// Returns the year as `2026`, followed by the zone if there is one.
    public func xmlText(in scope: inout XMLScope) -> String { year.padded(4) + XMLZone.text(zone) }
}

/// `gYearMonth`: a month of a year, with or without a time zone.
public struct XMLYearMonth: Hashable, Sendable {
    /// The year, from -999,999,999 to 999,999,999; 0 is the year before 1, as in XML Schema 1.1.
    public let year: Int
    /// The month, from 1 to 12.
    public let month: Int
    /// The time zone in minutes east of UTC, from -840 to 840; `nil` for none.
    public let zone: Int?

    /// Creates a month of a year from its numbers.
    ///
    /// The time zone is in minutes east of UTC; `nil`, the default, for none.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if a number is out of its range.
    public init(year: Int, month: Int, zone: Int? = nil) throws(XMLValueError) {
        let date = try XMLDate(year: year, month: month, day: 1, zone: zone)
        (self.year, self.month, self.zone) = (date.year, date.month, date.zone)
    }
}

extension XMLYearMonth: XMLSimpleType {
    /// `xsd:gYearMonth`.
    public static var xmlType: XMLName? { .schema("gYearMonth") }

    /// Reads `2026-11`, with or without a zone.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard let year = scanner.year(), scanner.skip("-"), let month = scanner.twoDigits(),
            let zone = scanner.zone(), let value = try? XMLYearMonth(year: year, month: month, zone: zone)
        else { throw .invalid(text: text, type: "gYearMonth") }
        self = value
    }

    /// Returns the month as `2026-11`, followed by the zone if there is one.
    public func xmlText(in scope: inout XMLScope) -> String {
        "\(year.padded(4))-\(month.padded(2))\(XMLZone.text(zone))"
    }
}
