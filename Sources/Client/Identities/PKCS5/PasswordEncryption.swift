// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets
internal import SwiftASN1

/// A password-based encryption scheme: PBES2, PBES1 (RFC 8018 section 6) or a PKCS#12 scheme (RFC 7292 appendix C).
struct PasswordEncryption {
    private enum Derivation {
        case pbes2(KeyDerivation, vector: [UInt8])
        case pbes1(PBKDF1)
        case pkcs12(PKCS12KeyDerivation)
    }

    /// The scheme's name, with the cipher and the key derivation in the case of PBES2.
    let name: String
    let cipher: Cipher
    private let derivation: Derivation

    /// - Throws: ``IdentityError/unsupported(_:)`` with the name of an unsupported scheme or cipher.
    init(_ algorithm: Algorithm) throws(IdentityError) {
        if algorithm.identifier == .pbes2 {
            var fields = try algorithm.parameterFields()
            let function = try KeyDerivation(fields.algorithm(), of: .encryption)
            let scheme = try fields.algorithm()
            try fields.end()
            let (cipher, vector) = try Cipher.pbes2(scheme, keyLength: function.keyLength)
            self.cipher = cipher
            derivation = .pbes2(function, vector: vector)
            name = "PBES2 with \(scheme.identifier.name) and \(function.name)"
        } else {
            (cipher, derivation) = try Self.legacy(algorithm)
            name = algorithm.identifier.name
        }
    }

    /// Reads a scheme whose identifier determines the cipher, with salt and iterations as parameters.
    private static func legacy(_ algorithm: Algorithm) throws(IdentityError) -> (Cipher, Derivation) {
        guard let scheme = LegacyScheme(algorithm.identifier) else { throw algorithm.unsupported }
        var fields = try algorithm.parameterFields()
        let salt = try fields.octets()
        let iterations = try fields.integer()
        try fields.end()
        switch scheme {
        case .pbes1(let cipher, let hash):
            return (cipher, .pbes1(PBKDF1(hash: hash, salt: salt, iterations: iterations)))
        case .pkcs12(let cipher):
            return (cipher, .pkcs12(PKCS12KeyDerivation(hash: .sha1, salt: salt, iterations: iterations)))
        }
    }

    /// The names and iterations of the algorithms, for display.
    var protection: PasswordProtection {
        let iterations =
            switch derivation {
            case .pbes2(let function, _): function.iterations
            case .pbes1(let function): function.iterations
            case .pkcs12(let function): function.iterations
            }
        return PasswordProtection(name: name, iterations: iterations)
    }

    /// Decrypts data that is one BER element, trying the forms of the password until the result is valid.
    ///
    /// - Returns: The element; `nil` if no form succeeds, nearly always because the password is wrong.
    func decrypt(
        _ ciphertext: [UInt8], password: PasswordForms, budget: inout WorkBudget
    ) throws(IdentityError) -> ASN1Node? {
        guard cipher.canDecrypt(ciphertext) else { throw .malformed(.encryption) }
        for form in forms(of: password) {
            let (key, vector) = try keyAndVector(from: form, budget: &budget)
            if let element = try cipher.decryptElement(ciphertext, key: key, vector: vector) { return element }
        }
        return nil
    }

    private func forms(of password: PasswordForms) -> [Secret] {
        switch derivation {
        case .pbes2: password.pbes2
        case .pbes1: [password.utf8]
        case .pkcs12: password.bmpStrings
        }
    }

    private func keyAndVector(
        from password: Secret, budget: inout WorkBudget
    ) throws(IdentityError) -> (key: [UInt8], vector: [UInt8]) {
        switch derivation {
        case .pbes2(let function, let vector):
            let key = try function.key(from: password, length: cipher.keyLength, budget: &budget)
            return (key.withUnsafeBytes(Array.init), vector)
        case .pbes1(let function):
            try budget.spend(iterations: function.iterations, of: .encryption)
            return function.keyAndVector(from: password)
        case .pkcs12(let function):
            let blocks = function.blocks(cipher.keyLength) + function.blocks(cipher.blockByteCount)
            try budget.spend(iterations: function.iterations, blocks: blocks, of: .encryption)
            let key = function.key(.encryption, from: password, length: cipher.keyLength)
            let vector = function.key(.initializationVector, from: password, length: cipher.blockByteCount)
            return (key.withUnsafeBytes(Array.init), vector.withUnsafeBytes(Array.init))
        }
    }
}

/// The schemes whose identifier determines cipher and hash: PBES1 (RFC 8018 appendix A.3) and the PKCS#12 schemes (RFC
/// 7292 appendix C), which all use SHA-1.
private enum LegacyScheme {
    case pbes1(Cipher, PBKDF1.Hash)
    case pkcs12(Cipher)

    init?(_ identifier: ASN1ObjectIdentifier) {
        let rc2 = Cipher.rc2(keyLength: 8, effectiveBits: 64)
        switch identifier {
        case [1, 2, 840, 113549, 1, 5, 3]: self = .pbes1(.des, .md5)
        case [1, 2, 840, 113549, 1, 5, 6]: self = .pbes1(rc2, .md5)
        case [1, 2, 840, 113549, 1, 5, 10]: self = .pbes1(.des, .sha1)
        case [1, 2, 840, 113549, 1, 5, 11]: self = .pbes1(rc2, .sha1)
        case [1, 2, 840, 113549, 1, 12, 1, 1]: self = .pkcs12(.rc4(keyLength: 16))
        case [1, 2, 840, 113549, 1, 12, 1, 2]: self = .pkcs12(.rc4(keyLength: 5))
        case .pbeWithSHAAnd3KeyTripleDES: self = .pkcs12(.tripleDES)
        case [1, 2, 840, 113549, 1, 12, 1, 4]: self = .pkcs12(.twoKeyTripleDES)
        case [1, 2, 840, 113549, 1, 12, 1, 5]: self = .pkcs12(.rc2(keyLength: 16, effectiveBits: 128))
        case [1, 2, 840, 113549, 1, 12, 1, 6]: self = .pkcs12(.rc2(keyLength: 5, effectiveBits: 40))
        default: return nil
        }
    }
}

/// The possible encodings of a passphrase as input of a key derivation.
struct PasswordForms {
    /// The original bytes in UTF-8 (RFC 8018 section 3).
    let utf8: Secret
    /// The encodings for the PKCS#12 key derivation (RFC 7292 appendix B.1), the most likely first.
    private(set) var bmpStrings: [Secret]
    /// The encodings for PBES2, the most likely first.
    let pbes2: [Secret]

    /// Makes the encodings for a PKCS#12 file, or for a separate key.
    init(_ passphrase: Secret?, inPKCS12 isPKCS12: Bool = false) {
        let utf8 = passphrase ?? Secret(utf8: [])
        self.utf8 = utf8
        bmpStrings = Self.bmpStrings(passphrase)
        // NSS before 3.31 used the PKCS#12 encoding for PBES2 too.
        pbes2 = isPKCS12 && !utf8.isEmpty ? [utf8] + bmpStrings : [utf8]
    }

    /// Moves an encoding to the front, because the integrity check succeeded with it.
    mutating func prefer(_ form: Secret) {
        bmpStrings = [form] + bmpStrings.filter { $0 != form }
    }

    private static func bmpStrings(_ passphrase: Secret?) -> [Secret] {
        let bytes = passphrase?.withUnsafeBytes(Array.init) ?? []
        guard !bytes.isEmpty else {
            // No password is an empty string, and an empty password is only a terminator; writers confuse the two.
            let (none, empty) = (Secret(utf8: []), Secret(utf8: [0, 0]))
            return passphrase == nil ? [none, empty] : [empty, none]
        }
        var forms: [Secret] = []
        if let text = String(validating: bytes, as: UTF8.self) { forms.append(bmpString(text.utf16)) }
        // OpenSSL before 1.1.0 converted each byte to a character instead of decoding UTF-8.
        if bytes.contains(where: { $0 >= 0x80 }) { forms.append(bmpString(bytes.map(UInt16.init))) }
        return forms
    }

    /// Returns UTF-16 units in big-endian order with a terminating zero; as in all writers, characters outside the BMP
    /// are encoded as surrogate pairs.
    static func bmpString(_ units: some Sequence<UInt16>) -> Secret {
        Secret(utf8: units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } + [0, 0])
    }
}

/// The description of a password-based encryption or integrity check (RFC 8018, RFC 7292).
public struct PasswordProtection: Hashable, Sendable {
    /// The algorithms, such as "PBES2 with AES-256-CBC and PBKDF2 with HMAC-SHA-256".
    public let name: String
    /// The iterations of the key derivation; `nil` for scrypt, which has a cost instead.
    public let iterations: Int?
}

/// The limit on the total cost of all key derivations for a file.
///
/// A limit on each key derivation would allow a file with many parts to take hours.
struct WorkBudget {
    /// The maximum number of iterations, which take a little over a second of PBKDF2 with SHA-256 on one core.
    static let maximumIterations = 10_000_000

    private let limit: Int
    private var remaining: Int

    init(iterations limit: Int = maximumIterations) {
        self.limit = limit
        remaining = limit
    }

    /// Subtracts the file's number of iterations, multiplied by the number of times that they are performed.
    mutating func spend(
        iterations: Int, blocks: Int = 1, of part: IdentityError.Part
    ) throws(IdentityError) {
        guard iterations > 0 else { throw .malformed(part) }
        let (work, overflow) = iterations.multipliedReportingOverflow(by: max(blocks, 1))
        guard !overflow, work <= remaining else { throw .tooLarge(.iterations, limit: limit) }
        remaining -= work
    }
}
