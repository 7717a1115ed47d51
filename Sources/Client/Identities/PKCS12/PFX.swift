// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Secrets
internal import SwiftASN1

/// The outermost structure of a PKCS#12 file (RFC 7292 section 4).
struct PFX {
    /// The AuthenticatedSafe, in BER.
    let content: [UInt8]
    let mac: MacData?

    init(_ bytes: [UInt8]) throws(IdentityError) {
        guard bytes.count <= BERWalk.maximumByteCount else { throw .tooLarge(.bytes, limit: BERWalk.maximumByteCount) }
        var fields = try Fields(ber: bytes, of: .pkcs12)
        guard try fields.integer() == 3 else { throw .malformed(.pkcs12) }
        let safe = try ContentInfo(try fields.next(), of: .pkcs12)
        guard safe.type == .data else { throw .unsupported(safe.type.name) }
        content = try safe.content.octets(.octetString, .pkcs12)
        mac = if let node = fields.nextIfAny() { try MacData(node) } else { nil }
        try fields.end()
    }
}

/// The password-based integrity check of a file (RFC 7292 section 4), with the legacy HMAC or with PBMAC1 (RFC 9879).
struct MacData {
    private enum Scheme {
        case pkcs12(PKCS12KeyDerivation)
        case pbmac1(KeyDerivation, keyLength: Int, HashAlgorithm)
    }

    private let scheme: Scheme
    private let code: [UInt8]

    init(_ node: ASN1Node) throws(IdentityError) {
        var fields = try Fields(node, of: .messageAuthenticationCode)
        var digestInfo = try Fields(try fields.next(), of: .messageAuthenticationCode)
        let algorithm = try digestInfo.algorithm()
        code = try digestInfo.octets()
        try digestInfo.end()
        let salt = try fields.octets()
        let iterations = try fields.next(if: .integer)?.integer(.messageAuthenticationCode) ?? 1
        try fields.end()
        if algorithm.identifier == .pbmac1 {
            scheme = try Self.pbmac1(algorithm)
        } else {
            let hash = try HashAlgorithm(digest: algorithm)
            scheme = .pkcs12(PKCS12KeyDerivation(hash: hash, salt: salt, iterations: iterations))
        }
    }

    /// The names and iterations of the algorithms, for display.
    var protection: PasswordProtection {
        switch scheme {
        case .pkcs12(let derivation):
            PasswordProtection(name: "HMAC-\(derivation.hash.name)", iterations: derivation.iterations)
        case .pbmac1(let derivation, _, let hash):
            PasswordProtection(
                name: "PBMAC1 with HMAC-\(hash.name) and \(derivation.name)", iterations: derivation.iterations)
        }
    }

    /// Checks that the content was protected with a passphrase; a
    /// failure can mean a wrong passphrase or a corrupted file.
    ///
    /// - Returns: The form of the passphrase that succeeded; `nil` with PBMAC1, which has only one form.
    func verify(
        _ content: [UInt8], passphrase: Secret?, budget: inout WorkBudget
    ) throws(IdentityError) -> Secret? {
        switch scheme {
        case .pkcs12(let derivation):
            for password in PasswordForms(passphrase).bmpStrings {
                let blocks = derivation.blocks(derivation.hash.byteCount)
                try budget.spend(iterations: derivation.iterations, blocks: blocks, of: .messageAuthenticationCode)
                let key = derivation.key(.integrity, from: password, length: derivation.hash.byteCount)
                if derivation.hash.isValid(code, of: content, key: key) { return password }
            }
        case .pbmac1(let derivation, let keyLength, let hash):
            let password = passphrase ?? Secret(utf8: [])
            let key = try derivation.key(from: password, length: keyLength, budget: &budget)
            if hash.isValid(code, of: content, key: key) { return nil }
        }
        throw passphrase == nil ? .passphraseNeeded : .wrongPassphrase
    }

    /// Reads PBMAC1, which is PBKDF2 with the password in UTF-8 and a mandatory key length (RFC 9879 section 4).
    ///
    /// The length must be 20 to 64 bytes, because a short key can be guessed to forge the file (CVE-2026-34181).
    private static func pbmac1(_ algorithm: Algorithm) throws(IdentityError) -> Scheme {
        var fields = try algorithm.parameterFields()
        let derivation = try fields.algorithm()
        guard derivation.identifier == .pbkdf2 else { throw derivation.unsupported }
        let hash = try HashAlgorithm(hmac: fields.algorithm())
        try fields.end()
        let function = try KeyDerivation(derivation, of: .messageAuthenticationCode)
        guard let keyLength = function.keyLength, (20...64).contains(keyLength) else {
            throw .malformed(.messageAuthenticationCode)
        }
        return .pbmac1(function, keyLength: keyLength, hash)
    }
}
