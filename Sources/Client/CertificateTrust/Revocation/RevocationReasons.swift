// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The reasons of revocation that a list covers (RFC 5280 section 4.2.1.13).
struct RevocationReasons: OptionSet, Hashable, Sendable {
    /// A bit for each named bit of ReasonFlags, the first one lowest.
    let rawValue: UInt16

    /// All but the first bit, which is not used.
    static let all = RevocationReasons(rawValue: 0b1_1111_1110)

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Reads the content of a BIT STRING.
    init(_ content: ArraySlice<UInt8>) throws(RevocationEncodingError) {
        guard let unused = content.first, unused < 8, (2...3).contains(content.count) else {
            throw .malformed(.extensions)
        }
        var value: UInt16 = 0
        for (position, byte) in content.dropFirst().enumerated() {
            let used = position == content.count - 2 ? 8 - Int(unused) : 8
            for bit in 0..<used where byte & 0x80 >> bit != 0 { value |= 1 << UInt16(position * 8 + bit) }
        }
        self = RevocationReasons(rawValue: value).intersection(.all)
    }
}
