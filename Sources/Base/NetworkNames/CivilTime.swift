// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A date and time of the Gregorian calendar, in UTC.
///
/// All date parsers use this type to check whether a date exists, so that none of them changes 30 February to another
/// day. The check can be inlined, because a revocation list may have a million dates.
package struct CivilTime {
    /// The handling of a second of 60.
    package enum LeapSecond {
        case refused
        /// The time 23:59:60 is valid and equals the next midnight.
        case atMidnight
    }

    @usableFromInline let year: Int
    /// The month, from 1 to 12.
    @usableFromInline let month: Int
    @usableFromInline let day: Int
    @usableFromInline let hour: Int
    @usableFromInline let minute: Int
    @usableFromInline let second: Int

    /// Makes a time from its parts, without checking that it exists.
    @inlinable package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// The first three letters of the English month names.
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Returns the number of the month whose English name the
    /// text begins with, in any case; `nil` for every other text.
    package static func month(_ text: some StringProtocol) -> Int? {
        let start = text.prefix(3).lowercased()
        return months.firstIndex(of: start).map { $0 + 1 }
    }

    /// Returns the seconds since the beginning of 1970; `nil` if the date or the time of day does not exist.
    ///
    /// The year must be from 1 to 9999.
    @inlinable package func secondsSince1970(leapSecond: LeapSecond = .refused) -> Int? {
        guard (1...9_999).contains(year), (1...12).contains(month), (1...daysOfMonth).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) || isLeapSecond(leapSecond)
        else { return nil }
        return ((daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
    }

    @inlinable func isLeapSecond(_ rule: LeapSecond) -> Bool {
        rule == .atMidnight && (hour, minute, second) == (23, 59, 60)
    }

    @inlinable var isLeapYear: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    @inlinable var daysOfMonth: Int {
        switch month {
        case 2: isLeapYear ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days since 1970; the calculation uses years that begin in March, so that the leap day is last, and the days
    /// before a month are a linear function.
    @inlinable var daysSince1970: Int {
        let shifted = month > 2 ? year : year - 1
        let monthOfShifted = (month + 9) % 12
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400
        return days + (153 * monthOfShifted + 2) / 5 + day - 1 - 719_468
    }

    /// Returns the year for a two-digit year, at most 50 years in the future (RFC 9110 section 5.6.7).
    package static func year(ofTwoDigits digits: Int, now: Int) -> Int {
        // The average length of a year is precise enough to determine the century.
        let current = 1970 + now / 31_556_952
        let year = current - current % 100 + digits
        return year > current + 50 ? year - 100 : year
    }
}
