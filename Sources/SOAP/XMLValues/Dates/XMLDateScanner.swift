// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads the parts of dates, times and durations one after the other.
struct XMLDateScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Skips the given text if the remaining input begins with it, and returns whether it did.
    mutating func skip(_ text: StaticString) -> Bool {
        let skipped: Bool = text.withUTF8Buffer { rest.starts(with: $0) }
        if skipped { rest.removeFirst(text.utf8CodeUnitCount) }
        return skipped
    }

    /// Reads a number of exactly two digits.
    mutating func twoDigits() -> Int? {
        let digits = rest.prefix(2)
        guard digits.count == 2, let number = Self.number(digits) else { return nil }
        rest.removeFirst(2)
        return number
    }

    /// Reads a number with any number of digits.
    mutating func number() -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard let number = Self.number(digits) else { return nil }
        rest.removeFirst(digits.count)
        return number
    }

    /// Reads a year: four digits, or more without a leading zero, with or without a minus sign.
    mutating func year() -> Int? {
        let isNegative = skip("-")
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard digits.count == 4 || digits.count > 4 && digits.first != 0x30, let year = Self.number(digits) else {
            return nil
        }
        rest.removeFirst(digits.count)
        return isNegative ? -year : year
    }

    /// Reads the digits after a decimal point as nanoseconds; returns 0 if there is no point.
    ///
    /// Digits after the ninth must be zero, so that no precision is lost.
    mutating func nanoseconds() -> Int? {
        guard skip(".") else { return 0 }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty, digits.dropFirst(9).allSatisfy({ $0 == 0x30 }) else { return nil }
        rest.removeFirst(digits.count)
        let significant = digits.prefix(9)
        return (significant.count..<9).reduce(Self.number(significant) ?? 0) { number, _ in number * 10 }
    }

    /// Reads the zone at the end, in minutes east of UTC; returns `.some(nil)` if there is none.
    mutating func zone() -> Int?? {
        if isAtEnd { return .some(nil) }
        if skip("Z") { return isAtEnd ? 0 : nil }
        let isNegative = skip("-")
        guard isNegative || skip("+"), let hours = twoDigits(), skip(":"), let minutes = twoDigits(), isAtEnd,
            minutes < 60, XMLZone.range.contains(hours * 60 + minutes)
        else { return nil }
        return isNegative ? -(hours * 60 + minutes) : hours * 60 + minutes
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        // A longer number may exceed 64 bits.
        guard !digits.isEmpty, digits.count <= 18 else { return nil }
        var number = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = number * 10 + Int(digit - 0x30)
        }
        return number
    }
}

/// Time zones in minutes east of UTC: their range, and their representation as text.
enum XMLZone {
    /// The range of time zones: at most fourteen hours from UTC (XML Schema Part 2 section 3.2.7.3).
    static let range = -840...840

    static func text(_ zone: Int?) -> String {
        guard let zone else { return "" }
        guard zone != 0 else { return "Z" }
        return "\(zone < 0 ? "-" : "+")\((abs(zone) / 60).padded(2)):\((abs(zone) % 60).padded(2))"
    }
}

extension Int {
    /// Returns the decimal digits, with leading zeros up to the given length.
    func padded(_ count: Int) -> String {
        let digits = String(magnitude)
        let zeros = String(repeating: "0", count: Swift.max(0, count - digits.utf8.count))
        return (self < 0 ? "-" : "") + zeros + digits
    }

    /// The nanoseconds as a fraction of a second: a point and digits; empty for 0.
    var fraction: String {
        guard self != 0 else { return "" }
        let digits = padded(9)
        return "." + digits.prefix(digits.utf8.count - digits.utf8.reversed().prefix { $0 == 0x30 }.count)
    }
}

/// The proleptic Gregorian calendar (XML Schema Part 2 appendix D.3).
enum XMLCalendar {
    /// The range of supported years; calculations with larger numbers could overflow.
    static let years = -999_999_999...999_999_999

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Returns the days of a month; `nil` if there is no such month.
    static func days(of month: Int, in year: Int) -> ClosedRange<Int>? {
        switch month {
        case 2: isLeap(year) ? 1...29 : 1...28
        case 4, 6, 9, 11: 1...30
        case 1...12: 1...31
        default: nil
        }
    }

    /// Returns the number of days since 1970-01-01.
    static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        // The year begins in March in this calculation, so that the leap day is the last day.
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the date of a number of days since 1970-01-01.
    static func date(of dayNumber: Int) -> (year: Int, month: Int, day: Int) {
        let day = dayNumber + 719_468
        let era = (day >= 0 ? day : day - 146_096) / 146_097
        let dayOfEra = day - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
