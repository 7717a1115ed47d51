// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times as RFC 5280 section 4.1.2.5 has them: to the second, in UTC.
extension DERReader {
    /// UTCTime or GeneralizedTime.
    mutating func takeTime() throws(RevocationEncodingError) -> Date {
        switch rest.first {
        case DERTag.utcTime:
            let digits = try takeDigits(DERTag.utcTime, count: 12)
            // 50 to 99 are of the last century (RFC 5280 section 4.1.2.5.1).
            return try Self.date(year: digits[0] + (digits[0] >= 50 ? 1900 : 2000), digits[1...])
        default:
            return try takeGeneralizedTime()
        }
    }

    mutating func takeGeneralizedTime() throws(RevocationEncodingError) -> Date {
        let digits = try takeDigits(DERTag.generalizedTime, count: 14)
        return try Self.date(year: digits[0] * 100 + digits[1], digits[2...])
    }

    /// Pairs of digits, with a Z after them.
    private mutating func takeDigits(_ tag: UInt8, count: Int) throws(RevocationEncodingError) -> [Int] {
        let content = try take(tag, .time).content
        guard content.count == count + 1, content.last == UInt8(ascii: "Z"),
            content.dropLast().allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { throw .malformed(.time) }
        return stride(from: content.startIndex, to: content.endIndex - 1, by: 2).map {
            Int(content[$0] - 48) * 10 + Int(content[$0 + 1] - 48)
        }
    }

    /// The fields are month, day, hour, minute and second.
    private static func date(year: Int, _ fields: ArraySlice<Int>) throws(RevocationEncodingError) -> Date {
        let fields = Array(fields)
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(fields[0]), (1...lengths[fields[0] - 1]).contains(fields[1]),
            fields[2] < 24, fields[3] < 60, fields[4] < 60
        else { throw .malformed(.time) }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let days = before * 365 + leapDays + lengths[..<(fields[0] - 1)].reduce(0, +) + fields[1] - 1
        // 719162 days lie between the first of January of the years 1 and 1970.
        let seconds = (days - 719_162) * 86400 + fields[2] * 3600 + fields[3] * 60 + fields[4]
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}
