// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import POSIX

/// The encodings of a text: UTF-8, UTF-16, percent-encoding, hexadecimal and Base64.
struct SecretForms {
    private let forms: [[UInt8]]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let texts = [
            hexadecimal.joined(), hexadecimal.joined().uppercased(),
            hexadecimal.map { "%" + $0 }.joined(), hexadecimal.map { "%" + $0.uppercased() }.joined(),
            bytes.map(Self.percentEncoded).joined(),
        ]
        let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        forms =
            [bytes, wide] + texts.map { Array($0.utf8) }
            + (0..<3).flatMap { Self.base64(bytes, after: $0) + Self.base64(wide, after: $0) }
    }

    func areFound(in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in forms.contains { Self.isFound($0, in: bytes) } }
    }

    private static func isFound(_ form: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, let first = form.first else { return false }
        var offset = 0
        while offset + form.count <= bytes.count,
            let hit = memchr(start + offset, Int32(first), bytes.count - form.count + 1 - offset)
        {
            if memcmp(hit, form, form.count) == 0 { return true }
            offset = UnsafeRawPointer(hit) - start + 1
        }
        return false
    }

    /// Encodes all characters except the unreserved ones, which every encoder keeps.
    private static func percentEncoded(_ byte: UInt8) -> String {
        let character = Character(Unicode.Scalar(byte))
        guard byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) else {
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }
        return String(character)
    }

    /// Returns the Base64 characters that depend only on the bytes, if `offset` other bytes precede them.
    private static func base64(_ bytes: [UInt8], after offset: Int) -> [[UInt8]] {
        let encoded = Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString().filter { $0 != "=" }
        let undecided = (offset + bytes.count) % 3 == 0 ? 0 : 1
        let decided = encoded.dropFirst([0, 2, 3][offset]).dropLast(undecided)
        let safe = decided.replacing("+", with: "-").replacing("/", with: "_")
        return [Array(decided.utf8), Array(safe.utf8)]
    }
}
