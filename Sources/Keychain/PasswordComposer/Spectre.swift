// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A form of Spectre passwords.
///
/// The raw value is the number of the form, from 0.
public enum SpectreTemplate: UInt8, Sendable, Hashable, CaseIterable {
    /// Twenty characters of all kinds.
    case maximum
    /// Fourteen characters that are pronounceable.
    case long
    /// Eight characters with a symbol.
    case medium
    /// Eight letters and digits.
    case basic
    /// Four letters and digits.
    case short
    /// Four digits.
    case pin
    /// Nine letters.
    case name
    /// Eighteen or twenty letters and spaces.
    case phrase

    /// The possible patterns, with one letter for the alphabet at each position.
    var forms: [StaticString] {
        switch self {
        case .maximum: ["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]
        case .long:
            [
                "CvcvnoCvcvCvcv", "CvcvCvcvnoCvcv", "CvcvCvcvCvcvno", "CvccnoCvcvCvcv", "CvccCvcvnoCvcv",
                "CvccCvcvCvcvno", "CvcvnoCvccCvcv", "CvcvCvccnoCvcv", "CvcvCvccCvcvno", "CvcvnoCvcvCvcc",
                "CvcvCvcvnoCvcc", "CvcvCvcvCvccno", "CvccnoCvccCvcv", "CvccCvccnoCvcv", "CvccCvccCvcvno",
                "CvcvnoCvccCvcc", "CvcvCvccnoCvcc", "CvcvCvccCvccno", "CvccnoCvcvCvcc", "CvccCvcvnoCvcc",
                "CvccCvcvCvccno",
            ]
        case .medium: ["CvcnoCvc", "CvcCvcno"]
        case .basic: ["aaanaaan", "aannaaan", "aaannaaa"]
        case .short: ["Cvcn"]
        case .pin: ["nnnn"]
        case .name: ["cvccvcvcv"]
        case .phrase: ["cvcc cvc cvccvcv cvc", "cvc cvccvcvcv cvcv", "cv cvccv cvc cvcvccv"]
        }
    }

    static func alphabet(of letter: UInt8) -> StaticString {
        switch letter {
        case UInt8(ascii: "V"): "AEIOU"
        case UInt8(ascii: "C"): "BCDFGHJKLMNPQRSTVWXYZ"
        case UInt8(ascii: "v"): "aeiou"
        case UInt8(ascii: "c"): "bcdfghjklmnpqrstvwxyz"
        case UInt8(ascii: "a"): "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz"
        case UInt8(ascii: "n"): "0123456789"
        case UInt8(ascii: "o"): "@&%?,=[]_:-+*$#!'^~;()/."
        case UInt8(ascii: "x"): "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()"
        default: " "
        }
    }
}

/// Spectre, formerly Master Password, version 3 of its algorithm, for passwords.
///
/// The user's key is 64 bytes of scrypt (N = 32768, r = 8, p = 2), with the scope, and the length and the bytes of the
/// user's name, as the salt. With that key, HMAC-SHA256 of the scope, the length and the bytes of the site's name, and
/// the counter gives the bytes that select a template and its characters. Numbers have 32 bits, the most significant
/// byte first.
enum Spectre {
    static let scrypt = Scrypt(cost: 32768, blockSize: 8, parallelization: 2)
    private static let scope: StaticString = "com.lyndir.masterpassword"

    static func compose(
        _ master: borrowing SecretBytes, _ site: SiteName, _ account: ComposerAccount, _ template: SpectreTemplate
    ) -> SecretBytes {
        let key = userKey(master, name: account.login)
        return password(of: key, site, account.counter, template)
    }

    static func userKey(_ master: borrowing SecretBytes, name: [UInt8]) -> Scratch<UInt8> {
        let key = Scratch<UInt8>(count: 64)
        let salt = Scratch(ascii(scope) + bigEndian(UInt32(name.count)) + name)
        scrypt.derive(key, password: master, salt: salt)
        return key
    }

    static func password(
        of userKey: borrowing Scratch<UInt8>, _ site: SiteName, _ counter: UInt32, _ template: SpectreTemplate
    ) -> SecretBytes {
        var hmac = HMACSHA256(key: userKey)
        hmac.update(ascii(scope) + bigEndian(UInt32(site.utf8.count)) + site.utf8 + bigEndian(counter))
        let seed = Scratch<UInt8>(count: HMACSHA256.length)
        hmac.finish(seed.words)
        let forms = template.forms
        let form = ascii(forms[Int(seed.words[0]) % forms.count])
        let password = SecretBytes(count: form.count)
        for index in form.indices {
            let alphabet = ascii(SpectreTemplate.alphabet(of: form[index]))
            password.bytes.words[index] = alphabet[Int(seed.words[index + 1]) % alphabet.count]
        }
        return password
    }
}
