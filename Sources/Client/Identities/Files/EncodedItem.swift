// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import Secrets
internal import SwiftASN1
internal import X509

/// An undecoded item of a PEM or DER file, identified by its PEM label or DER structure.
enum EncodedItem {
    case certificate([UInt8])
    case privateKey([UInt8])
    case encryptedPrivateKey([UInt8])
    /// A private key with traditional encryption: the ciphertext of an item with the block's label.
    case traditionalKey(PEMBlock, encryptionInfo: String)
    case rsaPrivateKey([UInt8])
    case ecPrivateKey([UInt8])
    case pkcs7([UInt8])
    case pkcs12([UInt8])
    /// A known item that provides neither a certificate nor a private key.
    case other(IdentityError.Content)
    /// An item that this library does not support, by name.
    case unsupported(String)
    /// The parameters of a key as a separate item, which is ignored.
    case ignoredParameters

    /// Returns all items in a PEM or DER file.
    static func items(in bytes: [UInt8]) throws(IdentityError) -> [EncodedItem] {
        guard bytes.count <= BERWalk.maximumByteCount else { throw .tooLarge(.bytes, limit: BERWalk.maximumByteCount) }
        guard PEMBlock.isLikely(bytes) else {
            guard isLikelyDER(bytes) else {
                guard isJavaKeyStore(bytes) else { throw .notPEM }
                return [.other(.javaKeyStore)]
            }
            return [try EncodedItem(der: bytes)]
        }
        do throws(PEMError) {
            return try PEMBlock.blocks(in: bytes).map(EncodedItem.init(block:))
        } catch {
            throw IdentityError(error)
        }
    }

    /// Returns all items in a file of any format; reports an unknown format as unrecognized, rather than as not PEM.
    static func items(inAnyFile bytes: [UInt8]) throws(IdentityError) -> [EncodedItem] {
        do throws(IdentityError) {
            return try items(in: bytes)
        } catch .notPEM {
            throw .unrecognized
        }
    }

    private init(block: PEMBlock) {
        let item = EncodedItem(label: block.label, der: block.der)
        guard let encryptionInfo = block.encryptionInfo else {
            self = item
            return
        }
        self =
            item.isPrivateKey
            ? .traditionalKey(block, encryptionInfo: encryptionInfo) : .unsupported("\(block.label) with DEK-Info")
    }

    private init(label: String, der: [UInt8]) {
        self =
            switch label {
            case "CERTIFICATE", "X509 CERTIFICATE": .certificate(der)
            case "PRIVATE KEY": .privateKey(der)
            case "ENCRYPTED PRIVATE KEY": .encryptedPrivateKey(der)
            case "RSA PRIVATE KEY": .rsaPrivateKey(der)
            case "EC PRIVATE KEY": .ecPrivateKey(der)
            case "PKCS12": .pkcs12(der)
            case "PKCS7", "CMS": .pkcs7(der)
            case "PUBLIC KEY", "RSA PUBLIC KEY": .other(.publicKey)
            case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": .other(.certificateRequest)
            case "X509 CRL": .other(.revocationList)
            case "TRUSTED CERTIFICATE": .other(.trustedCertificate)
            case "OPENSSH PRIVATE KEY": .other(.openSSHKey)
            case "EC PARAMETERS", "DH PARAMETERS": .ignoredParameters
            default: .unsupported(label)
            }
    }

    /// Returns whether bytes start like a long SEQUENCE, or are exactly as long
    /// as a short one; text can also start with the digit 0.
    private static func isLikelyDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
        return bytes[1] >= 0x80 || Int(bytes[1]) == bytes.count - 2
    }

    /// Returns whether bytes start like a Java keystore (JKS or JCEKS), the default of keytool before Java 9.
    private static func isJavaKeyStore(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xfe, 0xed, 0xfe, 0xed]) || bytes.starts(with: [0xce, 0xce, 0xce, 0xce])
    }

    /// Identifies a DER item by the types of the first elements of its SEQUENCE.
    private init(der bytes: [UInt8]) throws(IdentityError) {
        var fields = try Fields(ber: bytes, of: .encoding)
        let kinds = [fields.nextIfAny(), fields.nextIfAny(), fields.nextIfAny()].map { $0?.identifier }
        self =
            switch (kinds[0], kinds[1], kinds[2]) {
            case (.sequence, .sequence, .bitString): Self.signed(bytes)
            case (.sequence, .bitString, nil): .other(.publicKey)
            case (.sequence, .octetString, nil): .encryptedPrivateKey(bytes)
            case (.integer, .sequence, .octetString): .privateKey(bytes)
            case (.integer, .sequence, _): .pkcs12(bytes)
            case (.integer, .integer, .integer): .rsaPrivateKey(bytes)
            case (.integer, .octetString, _): .ecPrivateKey(bytes)
            case (.objectIdentifier, _, _): .pkcs7(bytes)
            default: throw .unrecognized
            }
    }

    /// Distinguishes a certificate, a certificate request and a revocation
    /// list, which have the same outer form, by the signed part.
    private static func signed(_ bytes: [UInt8]) -> EncodedItem {
        guard var fields = try? Fields(ber: bytes, of: .encoding), let content = fields.nextIfAny(),
            var inside = try? Fields(content, of: .encoding)
        else { return .certificate(bytes) }
        let kinds = (0..<4).map { _ in inside.nextIfAny()?.identifier }
        // A request contains its version, subject and key; a list contains the times of this update and the next.
        if kinds[0] == .integer, kinds[1] == .sequence, kinds[2] == .sequence, kinds[3] != .sequence {
            guard kinds[3] == .utcTime || kinds[3] == .generalizedTime else { return .other(.certificateRequest) }
            return .other(.revocationList)
        }
        if kinds[2] == .utcTime || kinds[2] == .generalizedTime { return .other(.revocationList) }
        return .certificate(bytes)
    }

    var isPrivateKey: Bool {
        switch self {
        case .privateKey, .encryptedPrivateKey, .traditionalKey, .rsaPrivateKey, .ecPrivateKey: true
        default: false
        }
    }

    var isCertificate: Bool {
        switch self {
        case .certificate, .pkcs7: true
        default: false
        }
    }

    var isPKCS7: Bool {
        if case .pkcs7 = self { true } else { false }
    }

    /// The name of an item that provides nothing for an identity.
    var otherName: String? {
        switch self {
        case .other(let content): content.rawValue
        case .unsupported(let name): name
        case .pkcs12: "PKCS#12"
        default: nil
        }
    }

    /// Returns the encryption of an encrypted key.
    func protection() throws(IdentityError) -> PasswordProtection? {
        switch self {
        case .encryptedPrivateKey(let der):
            try EncryptedPrivateKeyInfo(ASN1Node.parse(ber: der, as: .privateKey)).encryption.protection
        case .traditionalKey(_, let encryptionInfo): try TraditionalEncryption(encryptionInfo).protection
        default: nil
        }
    }

    /// Returns the certificates in the item, if any.
    func certificates() throws(IdentityError) -> [Certificate] {
        switch self {
        case .certificate(let der): [try Certificate.read(der: der)]
        case .pkcs7(let der): try CertificateBundle.certificates(in: der)
        default: []
        }
    }

    /// Returns the undecoded certificates in the item in DER, if any.
    func encodedCertificates() throws(IdentityError) -> [[UInt8]] {
        switch self {
        case .certificate(let der): [der]
        case .pkcs7(let der): try CertificateBundle.encodedCertificates(in: der)
        default: []
        }
    }

    /// Returns the key in an encrypted item; `nil` for other items.
    func decrypted(passphrase: Secret?, budget: inout WorkBudget) throws(IdentityError) -> EncodedItem? {
        switch self {
        case .encryptedPrivateKey(let der):
            let encrypted = try EncryptedPrivateKeyInfo(ASN1Node.parse(ber: der, as: .privateKey))
            guard let passphrase else { throw .passphraseNeeded }
            let forms = PasswordForms(passphrase)
            guard let node = try encrypted.decrypt(forms, budget: &budget) else { throw .wrongPassphrase }
            return .privateKey(Array(node.encodedBytes))
        case .traditionalKey(let block, let encryptionInfo):
            let encryption = try TraditionalEncryption(encryptionInfo)
            guard let passphrase else { throw .passphraseNeeded }
            guard let der = try encryption.decrypt(block.der, passphrase: passphrase) else { throw .wrongPassphrase }
            let item = EncodedItem(label: block.label, der: der)
            // The label of the block is that of an unencrypted key.
            if case .encryptedPrivateKey = item { throw .malformed(.privateKey) }
            return item
        default: return nil
        }
    }

    /// Returns the private key; `nil` if the item is not a private key.
    func privateKey(
        passphrase: Secret?, budget: inout WorkBudget
    ) throws(IdentityError) -> Certificate.PrivateKey? {
        switch self {
        case .privateKey(let der):
            return try PrivateKeyInfo(ASN1Node.parse(ber: der, as: .privateKey)).privateKey()
        case .encryptedPrivateKey, .traditionalKey:
            return try decrypted(passphrase: passphrase, budget: &budget)?.privateKey(
                passphrase: passphrase, budget: &budget)
        case .rsaPrivateKey(let der):
            return try RSAPrivateKey.read(der)
        case .ecPrivateKey(let der):
            return try ECPrivateKey.read(der)
        default:
            return nil
        }
    }
}

extension IdentityError {
    fileprivate init(_ error: PEMError) {
        self =
            switch error {
            case .malformed(let offset): .malformed(.pem, offset: offset)
            case .tooMany(let limit): .tooLarge(.elements, limit: limit)
            }
    }
}
