// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// What tells whether a representation is still the one of which a part is there, byte for byte (RFC 9110 section 8.8.1).
enum StrongValidator: Hashable {
    case entityTag(String)
    /// As the server wrote it.
    case lastModified(String)

    /// - Returns: `nil` where the response has none that is strong, so that a part of it is worth nothing.
    init?(of fields: HTTPFields) {
        if let tag = fields[.eTag] {
            guard Self.isStrong(tag) else { return nil }
            self = .entityTag(tag)
        } else if let modified = fields[.lastModified], let then = WrittenDate(modified),
            let now = fields[.date].flatMap({ WrittenDate($0) }), now.seconds - then.seconds >= Self.settledAfter
        {
            self = .lastModified(modified)
        } else {
            return nil
        }
    }

    /// What changes twice within the clock's resolution keeps its date (RFC 9110 section 8.8.2.2 asks for a second, and allows more).
    private static let settledAfter = 60

    /// What the field `If-Range` says.
    var field: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): date
        }
    }

    /// Whether the response is about the same representation, as far as it says.
    func isConsistent(with fields: HTTPFields) -> Bool {
        switch self {
        case .entityTag(let tag): fields[.eTag].map { $0 == tag } ?? true
        case .lastModified(let date): fields[.lastModified].map { $0 == date } ?? true
        }
    }

    /// RFC 9110 section 8.8.3, in ASCII alone, so that it is sent back as it came.
    private static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.count <= 1024, bytes.first == quote, bytes.last == quote else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != quote }
    }

    private static let quote = UInt8(ascii: "\"")
}

/// A date as HTTP writes it today (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
private struct WrittenDate {
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
