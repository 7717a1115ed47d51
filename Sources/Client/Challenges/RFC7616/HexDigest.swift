// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A hash of at most 32 bytes in lower-case hexadecimal, kept in place and not on the heap.
struct HexDigest: CustomStringConvertible {
    private let digits: SIMD64<UInt8>
    private let count: Int

    init<Value: Digest>(_ digest: Value) {
        var digits = SIMD64<UInt8>()
        withUnsafeMutableBytes(of: &digits) { digits in
            digest.withUnsafeBytes { bytes in
                for (index, byte) in bytes.enumerated() {
                    digits[2 * index] = Self.digit(byte >> 4)
                    digits[2 * index + 1] = Self.digit(byte & 15)
                }
            }
        }
        self.digits = digits
        count = 2 * Value.byteCount
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeBytes(of: digits) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    var description: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// Appends the digits in pieces that each fit a `String` without storage.
    func append(to text: inout String) {
        withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 8) {
                text += String(unsafeUninitializedCapacity: 8) { piece in
                    for index in piece.indices { piece[index] = bytes[start + index] }
                    return piece.count
                }
            }
        }
    }
}
