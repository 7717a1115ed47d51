// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The base64 of JOSE: the URL alphabet without padding (RFC 7515 section 2 and appendix C).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte of the alphabet; 0xFF for all others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    /// Encodes bytes.
    ///
    /// - Parameter bytes: Any bytes.
    /// - Returns: The text, without padding.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var (text, buffer, bits) = ([UInt8](), UInt32(0), 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text strictly, so that a sequence of bytes has exactly one encoding that is read.
    ///
    /// - Parameter text: The encoding, without padding and white space.
    /// - Returns: The bytes; `nil` for another alphabet, an impossible length, or bits behind the last byte that are not zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var (bytes, buffer, bits) = ([UInt8](), UInt32(0), 0)
        for character in text.utf8 {
            let value = values[Int(character)]
            guard value != 0xFF else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        guard bits < 6, buffer & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return bytes
    }
}
