// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `date`: a day, with or without a time zone.
public struct XMLDate: Hashable, Sendable {
    /// The year, from -999,999,999 to 999,999,999; 0 is the year before 1, as XML Schema 1.1 counts.
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
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the day does not exist or a number is out of its range.
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
