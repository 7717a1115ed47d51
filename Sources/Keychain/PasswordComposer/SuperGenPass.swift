// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The hash function of SuperGenPass.
public enum SuperGenPassHash: Sendable, Hashable {
    /// MD5, the default of SuperGenPass.
    case md5
    /// SHA-512.
    case sha512
}

/// SuperGenPass: hashes in Base64, repeatedly, until the beginning is a password that most sites accept.
///
/// The first hash is that of "master:domain". In Base64, 9 replaces the plus sign, 8 the slash, and A the padding.
/// There are at least ten rounds. The password starts with a lower-case letter, and contains an upper-case letter and a
/// digit.
enum SuperGenPass<Function: HashFunction> {
    static func compose(_ master: borrowing SecretBytes, _ site: SiteName, _ length: Int) -> SecretBytes {
        var hash = Hash<Function>()
        hash.update(master.bytes)
        hash.update(ascii(":"))
        hash.update(site.utf8)
        let digest = Scratch<UInt8>(count: Hash<Function>.digestLength)
        let text = Scratch<UInt8>(count: (digest.count + 2) / 3 * 4)
        hash.finish(digest.words)
        encode(digest, text)
        var rounds = 1
        while rounds < 10 || !isValid(text, length) {
            hash.reset()
            hash.update(text)
            hash.finish(digest.words)
            encode(digest, text)
            rounds += 1
        }
        let password = SecretBytes(count: length)
        password.bytes.words.update(from: text.words, count: length)
        return password
    }

    private static func isValid(_ text: borrowing Scratch<UInt8>, _ length: Int) -> Bool {
        let password = UnsafeBufferPointer(start: text.words, count: length)
        return (0x61...0x7A).contains(password[0]) && password.contains { (0x41...0x5A).contains($0) }
            && password.contains { (0x30...0x39).contains($0) }
    }

    private static func encode(_ digest: borrowing Scratch<UInt8>, _ text: borrowing Scratch<UInt8>) {
        let digits = ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345678998")
        var (bits, bitCount, place) = (0, 0, 0)
        for index in 0..<text.count * 3 / 4 {
            // Bits past the end are zero, so the padding becomes A.
            bits = (bits & 0x3F) << 8 | (index < digest.count ? Int(digest.words[index]) : 0)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.words[place] = digits[bits >> bitCount & 0x3F]
                place += 1
            }
        }
    }
}
