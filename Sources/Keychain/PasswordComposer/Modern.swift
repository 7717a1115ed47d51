// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The algorithm of ``ComposerMode/modern(_:_:)``.
enum Modern {
    static let scrypt = Scrypt(cost: 32768, blockSize: 8, parallelization: 3)

    static func compose(
        _ master: borrowing SecretBytes, _ site: SiteName, _ account: ComposerAccount, _ characters: ComposerCharacters
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

/// A stream of uniformly distributed characters, from HMAC-SHA256 of a counter.
private struct CharacterStream: ~Copyable {
    private var hmac: HMACSHA256
    private let label: [UInt8]
    private let alphabet: [UInt8]
    private let block = Scratch<UInt8>(count: HMACSHA256.length)
    private var used = HMACSHA256.length
    private var number: UInt32 = 0

    init(key: borrowing Scratch<UInt8>, _ characters: ComposerCharacters, alphabet: [UInt8]) {
        hmac = HMACSHA256(key: key)
        label = [UInt8(characters.length), characters.classes.rawValue]
        self.alphabet = alphabet
    }

    mutating func next() -> UInt8 {
        while true {
            let byte = Int(nextByte())
            // Larger bytes are skipped, since their remainders would make the first characters more probable.
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
