// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets
internal import SwiftASN1
internal import X509

/// One thing that a PEM block or a DER file holds, told by its label or by its shape, and not yet read.
enum EncodedItem {
    case certificate([UInt8])
    case privateKey([UInt8])
    case encryptedPrivateKey([UInt8])
    case rsaPrivateKey([UInt8])
    case ecPrivateKey([UInt8])
    case pkcs12([UInt8])
    /// What this library does not read, by name.
    case unsupported(String)
    /// What says nothing about identities: parameters, public keys, revocation lists.
    case irrelevant

    /// What a file may be: a trust store of a thousand certificates is under one megabyte.
    static let mostBytes = 8 << 20

    /// Everything in a file, PEM or DER.
    static func items(in bytes: [UInt8]) throws(IdentityError) -> [EncodedItem] {
        guard bytes.count <= mostBytes else { throw .tooLarge(.bytes, limit: mostBytes) }
        guard PEMBlock.isLikely(bytes) else {
            guard isLikelyDER(bytes) else { throw .notPEM }
            return [try EncodedItem(der: bytes)]
        }
        return try PEMBlock.blocks(in: bytes).map(EncodedItem.init(block:))
    }

    private init(block: PEMBlock) {
        self =
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE": .certificate(block.der)
            case "PRIVATE KEY": .privateKey(block.der)
            case "ENCRYPTED PRIVATE KEY": .encryptedPrivateKey(block.der)
            case "RSA PRIVATE KEY": .rsaPrivateKey(block.der)
            case "EC PRIVATE KEY": .ecPrivateKey(block.der)
            case "PKCS12": .pkcs12(block.der)
            case "EC PARAMETERS", "DH PARAMETERS", "PUBLIC KEY", "RSA PUBLIC KEY", "X509 CRL": .irrelevant
            default: .unsupported(block.label)
            }
    }

    /// Whether bytes start as a SEQUENCE that is long, or ends where they end; text may start with the letter 0 too.
    private static func isLikelyDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
        return bytes[1] >= 0x80 || Int(bytes[1]) == bytes.count - 2
    }

    /// Tells DER by the types of the first elements of its SEQUENCE.
    private init(der bytes: [UInt8]) throws(IdentityError) {
        var fields = try Fields(ber: bytes, of: .encoding)
        let kinds = [fields.nextIfAny(), fields.nextIfAny(), fields.nextIfAny()].map { $0?.identifier }
        self =
            switch (kinds[0], kinds[1], kinds[2]) {
            case (.sequence, .sequence, .bitString): .certificate(bytes)
            case (.sequence, .octetString, nil): .encryptedPrivateKey(bytes)
            case (.integer, .sequence, .octetString): .privateKey(bytes)
            case (.integer, .sequence, _): .pkcs12(bytes)
            case (.integer, .integer, .integer): .rsaPrivateKey(bytes)
            case (.integer, .octetString, _): .ecPrivateKey(bytes)
            case (.objectIdentifier, _, _): .unsupported("PKCS#7")
            default: throw .unrecognized
            }
    }

    var isPrivateKey: Bool {
        switch self {
        case .privateKey, .encryptedPrivateKey, .rsaPrivateKey, .ecPrivateKey: true
        case .certificate, .pkcs12, .unsupported, .irrelevant: false
        }
    }

    var isCertificate: Bool {
        if case .certificate = self { true } else { false }
    }

    /// The certificate, where it is one.
    func certificate() throws(IdentityError) -> Certificate? {
        guard case .certificate(let der) = self else { return nil }
        return try CertificateFile.certificate(der: der)
    }

    /// The private key, where it is one.
    func privateKey(
        passphrase: Secret?, budget: inout WorkBudget
    ) throws(IdentityError) -> Certificate.PrivateKey? {
        switch self {
        case .privateKey(let der):
            return try PrivateKeyInfo(ASN1Node.parse(ber: der, as: .privateKey)).privateKey()
        case .encryptedPrivateKey(let der):
            let encrypted = try EncryptedPrivateKeyInfo(ASN1Node.parse(ber: der, as: .privateKey))
            guard let passphrase else { throw .passphraseNeeded }
            let forms = PasswordForms(passphrase)
            guard let node = try encrypted.decrypt(forms, budget: &budget) else { throw .wrongPassphrase }
            return try PrivateKeyInfo(node).privateKey()
        case .rsaPrivateKey(let der):
            return try RSAPrivateKey.read(der)
        case .ecPrivateKey(let der):
            return try ECPrivateKey.read(der)
        case .certificate, .pkcs12, .unsupported, .irrelevant:
            return nil
        }
    }
}
