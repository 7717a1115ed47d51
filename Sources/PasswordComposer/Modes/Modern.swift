// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The mode to use where no other one's passwords are needed.
///
/// 1. Let the salt be the ASCII text `countersign-password-1`; then the domain and the login, each as UTF-8 with its length in front; then
///    the counter. ASCII letters of the domain are in lower case. Lengths, in bytes, and the counter have 32 bits, the most significant
///    byte first.
/// 2. Let K be 32 bytes of scrypt (RFC 7914) of the master password as UTF-8 and the salt, with N = 32768, r = 8 and p = 3. That needs
///    32 MiB.
/// 3. Let the stream be the concatenation of HMAC-SHA256(K, L C I) for I = 0, 1, ... where L is a byte with the password's length, C a byte
///    with the sum of the chosen classes (1 for a-z, 2 for A-Z, 4 for 0-9, 8 for symbols), and I has 32 bits, the most significant first.
/// 4. Let the alphabet be the chosen ones of a-z, A-Z, 0-9 and `!#$%&*+-.:=?@_`, in this order, and n its length. A character is taken by
///    the next byte b of the stream that is below the largest multiple of n up to 256: it is the one at place b mod n, from 0.
/// 5. Take as many characters as the password has. Where a chosen class is missing, discard all of them and take others.
enum Modern {
    static let scrypt = Scrypt(cost: 32768, blockSize: 8, parallelization: 3)

    static func compose(
        _ master: borrowing SecretBytes, _ site: SiteName, _ account: Account, _ characters: Characters
    ) -> SecretBytes {
        let domain = lowercased(site.utf8)
        let salt = Scratch(
            ascii("countersign-password-1") + bigEndian(UInt32(domain.count)) + domain
                + bigEndian(UInt32(account.login.count)) + account.login + bigEndian(account.counter))
        let key = Scratch<UInt8>(count: 32)
        scrypt.derive(key, password: master, salt: salt)

        let alphabets = characters.classes.alphabets(symbols: "!#$%&*+-.:=?@_")
        var stream = CharacterStream(key: key, characters, alphabet: Array(alphabets.joined()))
        let password = SecretBytes(count: characters.length)
        repeat {
            for index in 0..<password.count { password.bytes.words[index] = stream.next() }
        } while !hasAll(alphabets, password)
        return password
    }

    private static func hasAll(_ alphabets: [[UInt8]], _ password: borrowing SecretBytes) -> Bool {
        let characters = UnsafeBufferPointer(start: password.bytes.words, count: password.count)
        return alphabets.allSatisfy { alphabet in characters.contains { alphabet.contains($0) } }
    }
}

/// Characters that are equally probable, from HMAC-SHA256 of a counter.
private struct CharacterStream: ~Copyable {
    private var hmac: HMACSHA256
    private let label: [UInt8]
    private let alphabet: [UInt8]
    private let block = Scratch<UInt8>(count: HMACSHA256.length)
    private var used = HMACSHA256.length
    private var number: UInt32 = 0

    init(key: borrowing Scratch<UInt8>, _ characters: Characters, alphabet: [UInt8]) {
        hmac = HMACSHA256(key: key)
        label = [UInt8(characters.length), characters.classes.rawValue]
        self.alphabet = alphabet
    }

    mutating func next() -> UInt8 {
        while true {
            let byte = Int(nextByte())
            // The remainder of a larger number would make the first characters more probable.
            if byte < 256 - 256 % alphabet.count { return alphabet[byte % alphabet.count] }
        }
    }

    private mutating func nextByte() -> UInt8 {
        if used == block.count {
            hmac.update(label)
            hmac.update(bigEndian(number))
            hmac.finish(block.words)
            number += 1
            used = 0
        }
        defer { used += 1 }
        return block.words[used]
    }
}
