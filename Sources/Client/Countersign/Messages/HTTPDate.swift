// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation

/// An HTTP date in any of the three formats that a recipient must accept (RFC 9110 section 5.6.7).
struct HTTPDate {
    let secondsSince1970: Int

    /// Parses a date; `nil` for every other text.
    ///
    /// - Parameters:
    ///   - text: The text of the date. The day of the week is not compared with the date.
    ///   - now: The current time in seconds since 1970, to determine the century of a two-digit year.
    init?(_ text: String, now: Int) {
        let words = text.split(separator: " ")
        let time: CivilTime? =
            switch words.count {
            case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
                Self.time(day: words[1], month: words[2], year: Self.number(words[3], digits: 4...4), words[4])
            case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
                Self.obsoleteTime(words[1], words[2], now: now)
            case 5:
                Self.time(day: words[2], month: words[1], year: Self.number(words[4], digits: 4...4), words[3])
            default: nil
            }
        guard let seconds = time?.secondsSince1970(leapSecond: .atMidnight) else { return nil }
        secondsSince1970 = seconds
    }

    /// Parses the obsolete format of RFC 850, such as `06-Nov-94`.
    private static func obsoleteTime(_ date: Substring, _ clock: Substring, now: Int) -> CivilTime? {
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let digits = number(parts[2], digits: 2...2) else { return nil }
        return time(
            day: parts[0], month: parts[1], year: CivilTime.year(ofTwoDigits: digits, now: now), clock)
    }

    private static func time(day: Substring, month: Substring, year: Int?, _ clock: Substring) -> CivilTime? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2...2) }
        guard let year, month.count == 3, let month = CivilTime.month(month), let day = number(day, digits: 1...2),
            parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2]
        else { return nil }
        return CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}

extension Int {
    /// The current time, in seconds since 1970.
    static var secondsSince1970: Int { Int(Date().timeIntervalSince1970) }
}
