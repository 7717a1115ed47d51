// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// A cookie date in any of the accepted formats (RFC 6265 section 5.1.1).
struct CookieDate {
    let secondsSince1970: Int

    /// The numbers of a time of day, in the order written.
    private struct Clock {
        let hour: Int
        let minute: Int
        let second: Int
    }

    /// Parses a date from the first token of each kind, in any order; `nil` if a token is missing, or the date does not
    /// exist.
    init?(_ text: String) {
        var (clock, day, month, year): (Clock?, Int?, Int?, Int?)
        for token in text.utf8.split(whereSeparator: Self.isDelimiter) {
            if clock == nil, let found = Self.clock(token) {
                clock = found
            } else if day == nil, let found = Self.number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = CivilTime.month(String(Substring(token))) {
                month = found
            } else if year == nil, let found = Self.number(token, digits: 2...4) {
                year = found
            }
        }
        guard let clock, let day, let month, let year = year.map(Self.fullYear), year >= 1601 else { return nil }
        let time = CivilTime(
            year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
        guard let seconds = time.secondsSince1970() else { return nil }
        secondsSince1970 = seconds
    }

    private static func fullYear(_ year: Int) -> Int {
        switch year {
        case 70...99: year + 1900
        case 0...69: year + 2000
        default: year
        }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Parses a number whose count of digits is in the range, followed by the end or by a non-digit.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let start = token.prefix(while: isDigit)
        return digits.contains(start.count) ? Int(Substring(start)) : nil
    }

    /// Parses `hh:mm:ss` with one or two digits each, followed by the end or by a non-digit.
    private static func clock(_ token: Substring.UTF8View) -> Clock? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit),
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return Clock(hour: hour, minute: minute, second: second)
    }
}
