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
        var bytes = SIMD32<UInt8>()
        digest.withUnsafeBytes { source in withUnsafeMutableBytes(of: &bytes) { $0.copyMemory(from: source) } }
        var digits = SIMD64<UInt8>()
        digits.evenHalf = bytes &>> 4
        digits.oddHalf = bytes & 15
        digits &+= UInt8(ascii: "0")
        // From "9" on to "a".
        digits.replace(with: digits &+ 39, where: digits .> UInt8(ascii: "9"))
        self.digits = digits
        count = 2 * Value.byteCount
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
