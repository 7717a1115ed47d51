// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A date as HTTP writes it today (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
struct HTTPDate: Hashable {
    /// Since 1970, leap seconds not counted.
    let seconds: Int

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].count == 4, words[5] == "GMT",
            let day = Self.number(words[1], digits: 2, in: 1...31),
            let month = Self.months.firstIndex(of: String(words[2])),
            let year = Self.number(words[3], digits: 4, in: 1...9999)
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = Self.number(clock[0], digits: 2, in: 0...23),
            let minute = Self.number(clock[1], digits: 2, in: 0...59),
            let second = Self.number(clock[2], digits: 2, in: 0...60)
        else { return nil }
        seconds = ((Self.days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func number(_ text: Substring, digits: Int, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// Since 1970 in the Gregorian calendar, counted in years that begin with March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = (month + 10) % 12
        let year = month < 2 ? year - 1 : year
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * shifted + 2) / 5 + day - 719_469
    }
}
