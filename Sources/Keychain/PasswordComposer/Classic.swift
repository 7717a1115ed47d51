// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The encoding by which the classic mode converts characters to bytes.
public enum ClassicEncoding: Sendable, Hashable {
    /// The low byte of each UTF-16 code unit, as in the original; the other bits of a character are ignored.
    case lowBytes
    /// UTF-8.
    case utf8
}

/// The original Password Composer: the first eight hexadecimal digits of MD5("master:domain").
enum Classic {
    static func compose(_ master: borrowing SecretBytes, _ site: SiteName, _ encoding: ClassicEncoding) -> SecretBytes {
        var hash = Hash<MD5>()
        switch encoding {
        case .utf8: hash.update(master.bytes)
        case .lowBytes:
            updateWithLowBytes(of: UnsafeBufferPointer(start: master.bytes.words, count: master.count), &hash)
        }
        hash.update(ascii(":"))
        switch encoding {
        case .utf8: hash.update(site.utf8)
        case .lowBytes: site.utf8.withUnsafeBufferPointer { updateWithLowBytes(of: $0, &hash) }
        }
        let digest = Scratch<UInt8>(count: Hash<MD5>.digestLength)
        hash.finish(digest.words)
        let password = SecretBytes(count: 8)
        let digits = ascii("0123456789abcdef")
        for index in 0..<8 {
            let byte = digest.words[index / 2]
            password.bytes.words[index] = digits[Int(index % 2 == 0 ? byte >> 4 : byte & 15)]
        }
        return password
    }

    private static func updateWithLowBytes(of text: UnsafeBufferPointer<UInt8>, _ hash: inout Hash<MD5>) {
        let low = Scratch<UInt8>(count: text.count)
        var count = 0
        var iterator = text.makeIterator()
        var decoder = UTF8()
        decoding: while true {
            let scalar: UInt32
            switch decoder.decode(&iterator) {
            case .scalarValue(let value): scalar = value.value
            // Invalid UTF-8 becomes U+FFFD.
            case .error: scalar = 0xFFFD
            case .emptyInput: break decoding
            }
            if scalar > 0xFFFF {
                // The high surrogate (RFC 2781 section 2.1). Four bytes of UTF-8 become two.
                low.words[count] = UInt8(truncatingIfNeeded: (scalar - 0x10000) >> 10)
                count += 1
            }
            low.words[count] = UInt8(truncatingIfNeeded: scalar)
            count += 1
        }
        hash.update(low.words, count)
    }
}
