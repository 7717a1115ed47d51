// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An entry of a list in the form that nearly all have: a serial number, a UTCTime, and at most a reason that takes nothing back.
///
/// It is checked where it lies, as strictly as every other entry, but nothing of it is decoded: a list may have a million.
struct CommonEntry {
    private static let timeSize = 15
    /// The extensions of an entry that has a reason only, up to the code (RFC 5280 section 5.3.1).
    private static let reasonPrefix: [UInt8] = [
        0x30, 0x0c, 0x30, 0x0a, 0x06, 0x03, 0x55, 0x1d, 0x15, 0x04, 0x03, 0x0a, 0x01,
    ]
    private static let codes: UInt16 = RevocationReason.allCases.reduce(0) { $0 | 1 << UInt16($1.code) }

    /// The content of the integer.
    let serialNumber: Range<Int>
    let hasReason: Bool
    /// Where the next entry begins.
    let end: Int

    /// - Returns: `nil` where the entry has another form, right or wrong.
    init?(in bytes: ArraySlice<UInt8>, at start: Int) {
        guard start + 4 <= bytes.endIndex, bytes[start] == DERTag.sequence, bytes[start + 1] < 0x80,
            bytes[start + 2] == DERTag.integer, bytes[start + 3] < 0x80
        else { return nil }
        end = start + 2 + Int(bytes[start + 1])
        serialNumber = start + 4..<start + 4 + Int(bytes[start + 3])
        let timeEnd = serialNumber.upperBound + Self.timeSize
        guard end <= bytes.endIndex, timeEnd <= end, Self.isInteger(bytes, serialNumber),
            Self.isTime(bytes, at: serialNumber.upperBound)
        else { return nil }
        hasReason = timeEnd < end
        if hasReason, !Self.isReason(bytes, timeEnd..<end) { return nil }
    }

    /// In as few octets as it takes (X.690 section 8.3.2).
    private static func isInteger(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count > 1 else { return !range.isEmpty }
        let (first, second) = (bytes[range.lowerBound], bytes[range.lowerBound + 1])
        return !(first == 0 && second < 0x80) && !(first == 0xff && second >= 0x80)
    }

    private static func isTime(_ bytes: ArraySlice<UInt8>, at start: Int) -> Bool {
        guard bytes[start] == DERTag.utcTime, bytes[start + 1] == 13, bytes[start + 14] == UInt8(ascii: "Z") else {
            return false
        }
        var isDigits = true
        func pair(_ index: Int) -> Int {
            let (tens, ones) = (bytes[start + index] &- 48, bytes[start + index + 1] &- 48)
            if tens > 9 || ones > 9 { isDigits = false }
            return Int(tens) * 10 + Int(ones)
        }
        let year = pair(2)
        let time = CivilTime(
            year: year + (year >= 50 ? 1900 : 2000), month: pair(4), day: pair(6), hour: pair(8), minute: pair(10),
            second: pair(12))
        return isDigits && time.secondsSince1970() != nil
    }

    private static func isReason(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count == reasonPrefix.count + 1 else { return false }
        for (offset, byte) in reasonPrefix.enumerated() where bytes[range.lowerBound + offset] != byte { return false }
        let code = bytes[range.upperBound - 1]
        return code < 16 && codes & 1 << UInt16(code) != 0
    }
}
