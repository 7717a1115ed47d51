// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `duration`: a number of months and a number of seconds, which are separate because a month has no fixed length.
public struct XMLDuration: Hashable, Sendable {
    /// Whether the duration is negative; `false` if all parts are 0.
    public let isNegative: Bool
    /// The years and months, converted to months; not negative.
    public let months: Int
    /// The days, hours, minutes and seconds, converted to seconds; not negative.
    public let seconds: Int
    /// The fraction of a second in nanoseconds, from 0 to 999,999,999.
    public let nanoseconds: Int

    /// Creates a duration from its parts, which must not be negative.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if a part is negative, or the nanoseconds are a second
    ///   or more.
    public init(
        months: Int = 0, seconds: Int = 0, nanoseconds: Int = 0, isNegative: Bool = false
    ) throws(XMLValueError) {
        (self.months, self.seconds, self.nanoseconds) = (months, seconds, nanoseconds)
        self.isNegative = isNegative && (months, seconds, nanoseconds) != (0, 0, 0)
        guard months >= 0, seconds >= 0, (0..<1_000_000_000).contains(nanoseconds) else {
            throw .invalid(text: "\(months) months, \(seconds) seconds, \(nanoseconds) ns", type: "duration")
        }
    }

    /// Creates a duration without months.
    ///
    /// Fractions of a nanosecond are dropped.
    public init(_ duration: Duration) {
        let (wholeSeconds, atto) = duration.components
        (months, seconds) = (0, Int(clamping: wholeSeconds.magnitude))
        nanoseconds = Int(atto.magnitude / 1_000_000_000)
        isNegative = (wholeSeconds < 0 || atto < 0) && (seconds, nanoseconds) != (0, 0)
    }

    /// The duration as a Swift `Duration`; `nil` if it has months, whose length depends on the date.
    public var duration: Duration? {
        guard months == 0 else { return nil }
        let duration = Duration.seconds(seconds) + .nanoseconds(nanoseconds)
        return isNegative ? .zero - duration : duration
    }
}

extension XMLDuration: XMLSimpleType {
    /// `xsd:duration`.
    public static var xmlType: XMLName? { .schema("duration") }

    /// Reads `P1Y2M3DT4H5M6.7S`, with or without a minus sign before it.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``, and ``XMLValueError/doesNotFit(text:type:at:)`` if a number
    ///   is too large.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        var scanner = XMLDateScanner(text)
        guard let parts = Self.scan(&scanner), scanner.isAtEnd else { throw .invalid(text: text, type: "duration") }
        let (years, yearsOverflow) = parts.years.multipliedReportingOverflow(by: 12)
        let (months, monthsOverflow) = years.addingReportingOverflow(parts.months)
        var seconds = parts.seconds
        var overflow = yearsOverflow || monthsOverflow
        for (count, length) in [(parts.days, 86_400), (parts.hours, 3_600), (parts.minutes, 60)] {
            let (product, productOverflow) = count.multipliedReportingOverflow(by: length)
            let (sum, sumOverflow) = seconds.addingReportingOverflow(product)
            (seconds, overflow) = (sum, overflow || productOverflow || sumOverflow)
        }
        guard !overflow else { throw .doesNotFit(text: text, type: "duration") }
        try self.init(
            months: months, seconds: seconds, nanoseconds: parts.nanoseconds, isNegative: parts.isNegative)
    }

    /// Returns the duration as `P1Y2M3DT4H5M6.7S`, without the parts that are zero.
    public func xmlText(in scope: inout XMLScope) -> String {
        let parts = [(months / 12, "Y"), (months % 12, "M"), (seconds / 86_400, "D")]
        var text = parts.map { $0 == 0 ? "" : "\($0)\($1)" }.joined()
        let time = [(seconds / 3_600 % 24, "H"), (seconds / 60 % 60, "M")]
        var clock = time.map { $0 == 0 ? "" : "\($0)\($1)" }.joined()
        if seconds % 60 != 0 || nanoseconds != 0 { clock += "\(seconds % 60)\(nanoseconds.fraction)S" }
        if text.isEmpty && clock.isEmpty { clock = "0S" }
        if !clock.isEmpty { text += "T" + clock }
        return (isNegative ? "-P" : "P") + text
    }

    private struct Parts {
        var (isNegative, years, months, days) = (false, 0, 0, 0)
        var (hours, minutes, seconds, nanoseconds) = (0, 0, 0, 0)
    }

    /// Reads the parts of a duration (XML Schema Part 2 section 3.2.6.1).
    private static func scan(_ scanner: inout XMLDateScanner) -> Parts? {
        var parts = Parts()
        parts.isNegative = scanner.skip("-")
        guard scanner.skip("P"), !scanner.isAtEnd else { return nil }
        var units: [(StaticString, WritableKeyPath<Parts, Int>)] = [
            ("Y", \.years), ("M", \.months), ("D", \.days),
        ]
        var isTime = false
        while !scanner.isAtEnd {
            if scanner.skip("T") {
                guard !isTime, !scanner.isAtEnd else { return nil }
                isTime = true
                units = [("H", \.hours), ("M", \.minutes), ("S", \.seconds)]
                continue
            }
            guard let number = scanner.number(), let nanoseconds = scanner.nanoseconds() else { return nil }
            // Each unit may occur once, and only S may have a fraction; nanoseconds() refuses a point without digits.
            guard let index = units.firstIndex(where: { scanner.skip($0.0) }) else { return nil }
            guard nanoseconds == 0 || isTime && units.count - index == 1 else { return nil }
            parts[keyPath: units[index].1] = number
            parts.nanoseconds = nanoseconds
            units.removeSubrange(...index)
        }
        return parts
    }
}
