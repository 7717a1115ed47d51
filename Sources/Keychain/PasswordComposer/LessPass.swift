// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// LessPass, version 2: PBKDF2 with HMAC-SHA256 and 100,000 iterations; the password consists of digits of a 256-bit
/// number.
///
/// The salt is the site, the login and the counter in hexadecimal digits. Repeated division of the number selects
/// everything: by the size of the alphabet for each character, by the size of each class for one more character of it,
/// and by the present length of the password for the position at which that character is inserted.
enum LessPass {
    static func compose(
        _ master: borrowing SecretBytes, _ site: SiteName, _ account: ComposerAccount, _ characters: ComposerCharacters
    ) -> SecretBytes {
        var entropy = entropy(master, site, account)
        let alphabets = characters.classes.alphabets(symbols: ##"!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##)
        let alphabet = Array(alphabets.joined())
        let password = SecretBytes(count: characters.length)
        var length = characters.length - alphabets.count
        for index in 0..<length {
            password.bytes.words[index] = alphabet[entropy.remainder(dividingBy: alphabet.count)]
        }
        let ofClasses = Scratch<UInt8>(count: alphabets.count)
        for (index, alphabet) in alphabets.enumerated() {
            ofClasses.words[index] = alphabet[entropy.remainder(dividingBy: alphabet.count)]
        }
        for index in alphabets.indices {
            let place = entropy.remainder(dividingBy: length)
            let start = password.bytes.words + place
            (start + 1).update(from: start, count: length - place)
            start.pointee = ofClasses.words[index]
            length += 1
        }
        return password
    }

    static func entropy(_ master: borrowing SecretBytes, _ site: SiteName, _ account: ComposerAccount) -> LongNumber {
        let salt = Scratch(site.utf8 + account.login + hexadecimal(account.counter))
        let entropy = LongNumber(byteCount: 32)
        PBKDF2.derive(entropy.bytes, password: master, salt: salt, iterations: 100_000)
        return entropy
    }

    private static func hexadecimal(_ number: UInt32) -> [UInt8] {
        let digits = ascii("0123456789abcdef")
        var text: [UInt8] = []
        var rest = number
        repeat {
            text.insert(digits[Int(rest % 16)], at: 0)
            rest /= 16
        } while rest > 0
        return text
    }
}

/// An unsigned number of any length.
struct LongNumber: ~Copyable {
    /// The bytes, the most significant first.
    let bytes: Scratch<UInt8>

    init(byteCount: Int) { bytes = Scratch(count: byteCount) }

    /// Divides the number.
    ///
    /// - Parameter divisor: From 1 to 65,535.
    /// - Returns: The remainder.
    mutating func remainder(dividingBy divisor: Int) -> Int {
        var remainder = 0
        for index in 0..<bytes.count {
            let part = remainder << 8 | Int(bytes.words[index])
            bytes.words[index] = UInt8(truncatingIfNeeded: part / divisor)
            remainder = part % divisor
        }
        return remainder
    }
}
