// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// A value that can be compared with a bound (XML Schema Part 2 section 4.3.7).
protocol XMLOrdered: XMLSimpleType {
    static func isLess(_ one: Self, _ other: Self) -> Bool
}

extension XMLOrdered {
    /// Returns -1 if the value is less than a bound, 1 if it is greater, and 0 otherwise; `nil` for NaN.
    func order(to bound: String) throws(XMLValueError) -> Int? {
        guard self == self else { return nil }
        let limit: Self
        do throws(XMLValueError) { limit = try Self(xmlText: bound, in: XMLScope()) } catch {
            // A bound of `integer` may be outside the range of Int.
            guard case .doesNotFit = error, self is any FixedWidthInteger else { throw error }
            return bound.hasPrefix("-") ? 1 : -1
        }
        return Self.isLess(self, limit) ? -1 : Self.isLess(limit, self) ? 1 : 0
    }
}

extension XMLOrdered where Self: Comparable {
    static func isLess(_ one: Self, _ other: Self) -> Bool { one < other }
}

extension Int: XMLOrdered {}
extension Int64: XMLOrdered {}
extension Int32: XMLOrdered {}
extension Int16: XMLOrdered {}
extension Int8: XMLOrdered {}
extension UInt64: XMLOrdered {}
extension UInt32: XMLOrdered {}
extension UInt16: XMLOrdered {}
extension UInt8: XMLOrdered {}
extension Double: XMLOrdered {}
extension Float: XMLOrdered {}
extension Decimal: XMLOrdered {}

extension XMLDecimalText: XMLOrdered {
    static func isLess(_ one: Self, _ other: Self) -> Bool { one.digits.isLess(than: other.digits) }
}

extension XMLDateTime: XMLOrdered {
    /// Compares the instants; values without a zone are treated as UTC.
    static func isLess(_ one: Self, _ other: Self) -> Bool {
        (one.secondsSince1970(assuming: 0), one.nanosecond) < (other.secondsSince1970(assuming: 0), other.nanosecond)
    }
}

/// A calendar period, which is compared by its first minute.
private protocol XMLPeriod: XMLOrdered {
    /// The first day. For a type without a year, the year is 2000, a leap year.
    var first: (year: Int, month: Int, day: Int) { get }
    var zone: Int? { get }
}

extension XMLPeriod {
    static func isLess(_ one: Self, _ other: Self) -> Bool { one.start < other.start }

    /// The first minute; values without a zone are treated as UTC.
    private var start: Int {
        XMLCalendar.dayNumber(year: first.year, month: first.month, day: first.day) * 1_440 - (zone ?? 0)
    }
}

extension XMLDate: XMLPeriod {
    fileprivate var first: (year: Int, month: Int, day: Int) { (year, month, day) }
}

extension XMLYear: XMLPeriod {
    fileprivate var first: (year: Int, month: Int, day: Int) { (year, 1, 1) }
}

extension XMLYearMonth: XMLPeriod {
    fileprivate var first: (year: Int, month: Int, day: Int) { (year, month, 1) }
}

extension XMLMonth: XMLPeriod {
    fileprivate var first: (year: Int, month: Int, day: Int) { (2000, month, 1) }
}

extension XMLMonthDay: XMLPeriod {
    fileprivate var first: (year: Int, month: Int, day: Int) { (2000, month, day) }
}

extension XMLDay: XMLPeriod {
    fileprivate var first: (year: Int, month: Int, day: Int) { (2000, 1, day) }
}

extension XMLTime: XMLOrdered {
    /// Compares two times on the same day.
    static func isLess(_ one: Self, _ other: Self) -> Bool {
        (one.instant, one.nanosecond) < (other.instant, other.nanosecond)
    }

    private var instant: Int { (hour * 60 + minute - (zone ?? 0)) * 60 + second }
}

extension XMLDuration: XMLOrdered {
    /// Compares durations with months of 365.2425 / 12 days, because XML Schema defines only a partial order.
    static func isLess(_ one: Self, _ other: Self) -> Bool { one.length < other.length }

    private var length: Double {
        let length = Double(months) * 2_629_746 + Double(seconds) + Double(nanoseconds) / 1_000_000_000
        return isNegative ? -length : length
    }
}
