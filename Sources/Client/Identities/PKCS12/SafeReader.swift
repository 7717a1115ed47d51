// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets
internal import SwiftASN1
internal import X509

/// Reads the safes of a PKCS#12 file (RFC 7292 sections 4.1 and 4.2) and gathers what their bags hold.
struct SafeReader {
    static let mostBags = 10_000
    /// Fewer than bags, because each key has its issuers searched for among all certificates.
    static let mostKeys = 256
    static let deepestSafe = 8

    /// A certificate and what its bag says about it.
    struct FoundCertificate {
        let certificate: Certificate
        let attributes: BagAttributes
    }

    /// A key and what its bag says about it.
    struct FoundKey {
        let key: Certificate.PrivateKey
        let attributes: BagAttributes
        /// What the key itself is encrypted with.
        let encryption: PasswordProtection?
    }

    /// A key that is not decrypted.
    struct LockedKey {
        let attributes: BagAttributes
        let encryption: PasswordProtection
    }

    private let hasPassphrase: Bool
    private var password: PasswordForms
    /// Whether what is encrypted is told by its encryption only.
    private let skipsEncrypted: Bool
    /// Whether the integrity check has proved the passphrase right.
    private let isAuthenticated: Bool
    private var budget: WorkBudget
    private var bags = 0
    private var encodings: Set<[UInt8]> = []
    /// The certificates of each public key, by their places.
    private var places: [Certificate.PublicKey: [Int]] = [:]
    private var publicKeys: Set<Certificate.PublicKey> = []

    private(set) var certificates: [FoundCertificate] = []
    private(set) var keys: [FoundKey] = []
    private(set) var lockedKeys: [LockedKey] = []
    /// The encryptions, in the order of the file.
    private(set) var protections: [PasswordProtection] = []
    private(set) var ignoredBags = 0

    /// Checks a file's integrity, and reads its safes.
    init(_ file: PFX, passphrase: Secret?, budget: WorkBudget) throws(IdentityError) {
        var budget = budget
        let form = try file.mac?.verify(file.content, passphrase: passphrase, budget: &budget)
        self.init(passphrase: passphrase, isAuthenticated: file.mac != nil, budget: budget)
        // The integrity check was made with this form of the passphrase, and the encryptions are likely to be.
        if let form { password.prefer(form) }
        try read(authenticatedSafe: file.content)
    }

    init(passphrase: Secret?, isAuthenticated: Bool, budget: WorkBudget, skipsEncrypted: Bool = false) {
        self.skipsEncrypted = skipsEncrypted
        hasPassphrase = passphrase != nil
        password = PasswordForms(passphrase, inPKCS12: true)
        self.isAuthenticated = isAuthenticated
        self.budget = budget
    }

    /// Reads an AuthenticatedSafe: safes in clear or encrypted.
    mutating func read(authenticatedSafe bytes: [UInt8]) throws(IdentityError) {
        var safes = try Fields(ber: bytes, of: .pkcs12)
        while let safe = safes.nextIfAny() {
            let info = try ContentInfo(safe, of: .pkcs12)
            switch info.type {
            case .data:
                let bytes = try info.content.octets(.octetString, .pkcs12)
                try read(safeContents: try ASN1Node.parse(ber: bytes, as: .pkcs12), depth: 1)
            case .encryptedData:
                if let contents = try decrypt(info.content) { try read(safeContents: contents, depth: 1) }
            default:
                throw .unsupported(info.type.name)
            }
        }
    }

    /// Decrypts an EncryptedData (RFC 5652 section 8), unless what is encrypted is skipped.
    private mutating func decrypt(_ encryptedData: ASN1Node) throws(IdentityError) -> ASN1Node? {
        var fields = try Fields(encryptedData, of: .pkcs12)
        guard [0, 2].contains(try fields.integer()) else { throw .malformed(.pkcs12) }
        var info = try Fields(try fields.next(), of: .pkcs12)
        let type = try info.objectIdentifier()
        guard type == .data else { throw .unsupported(type.name) }
        let encryption = try PasswordEncryption(Algorithm(try info.next(), of: .encryption))
        let implicit = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
        let ciphertext = try info.next().octets(implicit, .pkcs12)
        try info.end()
        _ = fields.next(if: ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific))  // unprotected attributes
        try fields.end()
        protections.append(encryption.protection)
        guard !skipsEncrypted else { return nil }
        let plaintext = try encryption.decrypt(ciphertext, password: password, budget: &budget)
        guard let plaintext else { throw doubt(.encryption) }
        return plaintext
    }

    /// What is to blame where something does not decrypt.
    private func doubt(_ part: IdentityError.Part) -> IdentityError {
        if isAuthenticated { return .malformed(part) }
        return hasPassphrase ? .wrongPassphrase : .passphraseNeeded
    }

    private mutating func read(safeContents: ASN1Node, depth: Int) throws(IdentityError) {
        guard depth <= Self.deepestSafe else { throw .tooLarge(.nesting, limit: Self.deepestSafe) }
        var bags = try Fields(safeContents, of: .pkcs12)
        while let bag = bags.nextIfAny() { try read(bag: bag, depth: depth) }
    }

    private mutating func read(bag: ASN1Node, depth: Int) throws(IdentityError) {
        bags += 1
        guard bags <= Self.mostBags else { throw .tooLarge(.elements, limit: Self.mostBags) }
        var fields = try Fields(bag, of: .pkcs12)
        let type = try fields.objectIdentifier()
        let value = try fields.explicit(0)
        let attributes = if let node = fields.nextIfAny() { try BagAttributes(node) } else { BagAttributes() }
        try fields.end()
        switch type {
        case .keyBag:
            try add(try PrivateKeyInfo(value).privateKey(), attributes, encryption: nil)
        case .shroudedKeyBag:
            try add(encryptedKey: value, attributes)
        case .certificateBag:
            try add(certificateBag: value, attributes)
        case .safeContentsBag:
            try read(safeContents: value, depth: depth + 1)
        default:
            ignoredBags += 1
        }
    }

    private mutating func add(encryptedKey: ASN1Node, _ attributes: BagAttributes) throws(IdentityError) {
        let encrypted = try EncryptedPrivateKeyInfo(encryptedKey)
        let protection = encrypted.encryption.protection
        protections.append(protection)
        guard !skipsEncrypted else {
            lockedKeys.append(LockedKey(attributes: attributes, encryption: protection))
            return
        }
        guard let node = try encrypted.decrypt(password, budget: &budget) else { throw doubt(.privateKey) }
        try add(try PrivateKeyInfo(node).privateKey(), attributes, encryption: protection)
    }

    private mutating func add(
        _ key: Certificate.PrivateKey, _ attributes: BagAttributes, encryption: PasswordProtection?
    ) throws(IdentityError) {
        guard publicKeys.insert(key.publicKey).inserted else { return }
        guard keys.count < Self.mostKeys else { throw .tooLarge(.elements, limit: Self.mostKeys) }
        keys.append(FoundKey(key: key, attributes: attributes, encryption: encryption))
    }

    /// RFC 7292 section 4.2.3; of the two kinds only X.509 has ever been seen.
    private mutating func add(certificateBag: ASN1Node, _ attributes: BagAttributes) throws(IdentityError) {
        var fields = try Fields(certificateBag, of: .pkcs12)
        let type = try fields.objectIdentifier()
        let value = try fields.explicit(0)
        try fields.end()
        guard type == .x509Certificate else {
            ignoredBags += 1
            return
        }
        let der = try value.octets(.octetString, .pkcs12)
        guard encodings.insert(der).inserted else { return }
        let certificate = try Certificate.read(der: der)
        places[certificate.publicKey, default: []].append(certificates.count)
        certificates.append(FoundCertificate(certificate: certificate, attributes: attributes))
    }

    /// The certificate of a key: of several, such as a renewed one, that with the key's local identifier, else the first.
    func leaf(of key: FoundKey) -> Certificate? {
        let candidates = places[key.key.publicKey, default: []].map { certificates[$0] }
        let identifier = key.attributes.localKeyIdentifier
        let named = candidates.first { identifier != nil && $0.attributes.localKeyIdentifier == identifier }
        return (named ?? candidates.first)?.certificate
    }

    /// The names that bags give to keys and certificates, by public key, the keys' first.
    var friendlyNames: [Certificate.PublicKey: String] {
        let names =
            keys.map { ($0.key.publicKey, $0.attributes.friendlyName) }
            + certificates.map { ($0.certificate.publicKey, $0.attributes.friendlyName) }
        return Dictionary(
            names.compactMap { key, name in name.map { (key, $0) } }, uniquingKeysWith: { first, _ in first }
        )
    }
}

/// What a bag says about its content (RFC 7292 section 4.2).
struct BagAttributes {
    private(set) var friendlyName: String?
    /// What key and certificate of an identity have in common, as most writers say it.
    private(set) var localKeyIdentifier: [UInt8]?
    /// Whether Java's trust store marks the certificate as trusted.
    private(set) var isTrusted = false

    init() {}

    init(_ node: ASN1Node) throws(IdentityError) {
        var attributes = try Fields(node, .set, of: .attribute)
        while let attribute = attributes.nextIfAny() {
            var fields = try Fields(attribute, of: .attribute)
            let identifier = try fields.next()
            var values = try Fields(try fields.next(), .set, of: .attribute)
            try fields.end()
            // An identifier with arcs of more than 63 bits is legal and none that means anything here.
            switch try? ASN1ObjectIdentifier(derEncoded: identifier) {
            case .friendlyName: friendlyName = try Self.text(try values.next())
            case .localKeyIdentifier: localKeyIdentifier = try? values.octets()
            case .javaTrustedKeyUsage: isTrusted = true
            default: break
            }
        }
    }

    /// A BMPString, in which surrogates stand for what is outside the BMP.
    private static func text(_ node: ASN1Node) throws(IdentityError) -> String {
        guard node.identifier == .bmpString, case .primitive(let bytes) = node.content, bytes.count % 2 == 0 else {
            throw .malformed(.attribute)
        }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
            UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw .malformed(.attribute) }
        return text
    }
}
