// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The Gregorian calendar, also before its introduction (XML Schema Part 2 appendix D.3).
enum XMLCalendar {
    /// The years that are read; wider ones would not fit the calculations of a day.
    static let years = -999_999_999...999_999_999

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// The days of a month; none where there is no such month.
    static func days(of month: Int, in year: Int) -> ClosedRange<Int>? {
        switch month {
        case 2: isLeap(year) ? 1...29 : 1...28
        case 4, 6, 9, 11: 1...30
        case 1...12: 1...31
        default: nil
        }
    }

    /// The number of days since 1970-01-01.
    static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        // The year begins in March here, so that the leap day is its last.
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a number of days since 1970-01-01.
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
