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
        let time = CivilTime(
            year: year, month: fields[0], day: fields[1], hour: fields[2], minute: fields[3], second: fields[4])
        guard let seconds = time.secondsSince1970() else { throw .malformed(.time) }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}
