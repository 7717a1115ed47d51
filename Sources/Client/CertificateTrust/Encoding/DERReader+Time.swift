// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// The times of RFC 5280 section 4.1.2.5: in UTC, with a resolution of one second.
extension DERReader {
    /// The years that UTCTime can represent.
    private static let shortYears =
        Date(timeIntervalSince1970: -631_152_000)..<Date(timeIntervalSince1970: 2_524_608_000)

    /// Reads one end of a validity period, and whether it has the form that RFC 5280 requires for its year.
    mutating func takeValidityTime() throws(RevocationEncodingError) -> (time: Date, isConforming: Bool) {
        let isShort = nextTag == DERTag.utcTime
        var (next, isConforming) = (self, true)
        let zone = next.next()?.content.drop { $0 != UInt8(ascii: "Z") && $0 != 0x2b && $0 != 0x2d }
        // A local time has no plain meaning.
        guard zone?.isEmpty == false else { throw .malformed(.time) }
        let time = try takeTime(isGeneralized: !isShort, &isConforming)
        return (time, isConforming && isShort == Self.shortYears.contains(time))
    }

    /// Reads a UTCTime or GeneralizedTime.
    mutating func takeTime() throws(RevocationEncodingError) -> Date {
        guard nextTag == DERTag.utcTime else { return try takeGeneralizedTime() }
        let digits = try takeDigits(DERTag.utcTime, count: 12)
        let year = digits.pair(0)
        // Two-digit years from 50 to 99 mean 1950 to 1999 (RFC 5280 section 4.1.2.5.1).
        return try Self.date(year: year + (year >= 50 ? 1900 : 2000), digits.dropFirst(2))
    }

    mutating func takeGeneralizedTime() throws(RevocationEncodingError) -> Date {
        let digits = try takeDigits(DERTag.generalizedTime, count: 14)
        return try Self.date(year: digits.pair(0) * 100 + digits.pair(1), digits.dropFirst(4))
    }

    /// Reads a time leniently, for evidence that is used in spite of formal errors: X.680 also allows fractions, time
    /// zones, and omitted seconds.
    ///
    /// - Parameters:
    ///   - isGeneralized: Whether the standard requires GeneralizedTime.
    ///   - isConforming: Set to false for a form that the standard does not allow.
    /// - Returns: The time.
    /// - Throws: ``RevocationEncodingError/malformed(_:)`` if X.680 does not allow the form either.
    mutating func takeTime(
        isGeneralized: Bool = false, _ isConforming: inout Bool
    ) throws(RevocationEncodingError) -> Date {
        var strict = self
        if let time = try? isGeneralized ? strict.takeGeneralizedTime() : strict.takeTime() {
            self = strict
            return time
        }
        isConforming = false
        guard let element = next(), [DERTag.utcTime, DERTag.generalizedTime].contains(element.tag) else {
            throw .malformed(.time)
        }
        let digits = element.content.prefix(while: \.isDigit)
        let yearSize = element.tag == DERTag.utcTime ? 2 : 4
        guard [8, 10].contains(digits.count - yearSize) else { throw .malformed(.time) }
        let seconds: [UInt8] = digits.count - yearSize == 8 ? [0x30, 0x30] : []
        let short = digits.pair(0)
        let year = yearSize == 2 ? short + (short >= 50 ? 1900 : 2000) : short * 100 + digits.pair(1)
        let time = try Self.date(year: year, (digits.dropFirst(yearSize) + seconds)[...])
        return time - (try Self.offset(element.content.dropFirst(digits.count)))
    }

    /// Returns the offset of the time zone from UTC in seconds, skipping a fraction before it.
    private static func offset(_ text: ArraySlice<UInt8>) throws(RevocationEncodingError) -> TimeInterval {
        var zone = text
        if let first = zone.first, [UInt8(ascii: "."), UInt8(ascii: ",")].contains(first) {
            zone = zone.dropFirst().drop(while: \.isDigit)
        }
        guard let sign = zone.first, !zone.elementsEqual("Z".utf8) else { return 0 }
        let digits = zone.dropFirst()
        guard [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign), digits.count == 4, digits.allSatisfy(\.isDigit)
        else { throw .malformed(.time) }
        let minutes = digits.pair(0) * 60 + digits.pair(1)
        return TimeInterval(sign == UInt8(ascii: "-") ? -60 * minutes : 60 * minutes)
    }

    /// Reads a time of exactly `count` digits and a final Z.
    private mutating func takeDigits(_ tag: UInt8, count: Int) throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        let content = try take(tag, .time).content
        let digits = content.dropLast()
        guard digits.count == count, content.last == UInt8(ascii: "Z"), digits.allSatisfy(\.isDigit) else {
            throw .malformed(.time)
        }
        return digits
    }

    /// Makes a date from a year and the digits of month, day, hour, minute and second.
    private static func date(year: Int, _ digits: ArraySlice<UInt8>) throws(RevocationEncodingError) -> Date {
        let time = CivilTime(
            year: year, month: digits.pair(0), day: digits.pair(1), hour: digits.pair(2), minute: digits.pair(3),
            second: digits.pair(4))
        guard let seconds = time.secondsSince1970() else { throw .malformed(.time) }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}

extension ArraySlice<UInt8> {
    /// Returns the value of the two digits at an index that counts pairs.
    fileprivate func pair(_ index: Int) -> Int {
        let place = startIndex + 2 * index
        return Int(self[place] - 0x30) * 10 + Int(self[place + 1] - 0x30)
    }
}
