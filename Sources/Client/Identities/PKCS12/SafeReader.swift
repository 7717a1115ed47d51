// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets
internal import SwiftASN1
internal import X509

/// Reads the safes of a PKCS#12 file (RFC 7292 sections 4.1 and 4.2) and collects the contents of their bags.
struct SafeReader {
    static let maximumBagCount = 10_000
    /// The maximum number of keys, lower than that of bags, because
    /// each key causes a search for issuers among all certificates.
    static let maximumKeyCount = 256
    static let maximumSafeDepth = 8

    /// A certificate and the attributes of its bag.
    struct FoundCertificate {
        let certificate: Certificate
        let attributes: BagAttributes
    }

    /// A key and the attributes of its bag.
    struct FoundKey {
        let key: Certificate.PrivateKey
        let attributes: BagAttributes
        /// The encryption of the key itself; `nil` for none.
        let encryption: PasswordProtection?
    }

    /// A key that was not decrypted.
    struct LockedKey {
        let attributes: BagAttributes
        let encryption: PasswordProtection
    }

    private let hasPassphrase: Bool
    private var password: PasswordForms
    /// Whether encrypted contents are skipped, and only their encryption is recorded.
    private let skipsEncrypted: Bool
    /// Whether the integrity check has confirmed the passphrase.
    private let isAuthenticated: Bool
    private var budget: WorkBudget
    private var bags = 0
    private var encodings: Set<[UInt8]> = []
    /// The indexes of the certificates with each public key.
    private var certificateIndexes: [Certificate.PublicKey: [Int]] = [:]
    private var publicKeys: Set<Certificate.PublicKey> = []

    private(set) var certificates: [FoundCertificate] = []
    private(set) var keys: [FoundKey] = []
    private(set) var lockedKeys: [LockedKey] = []
    /// The encryption schemes, in the order of the file.
    private(set) var protections: [PasswordProtection] = []
    private(set) var ignoredBags = 0
    /// The certificates that cannot be read, by the positions of their bags.
    private var unreadable: [(position: Int, der: [UInt8], error: IdentityError)] = []
    /// The certificates that cannot be read.
    var unread: [UnreadContent] {
        unreadable.map {
            UnreadContent(.init(position: $0.position, count: bags, line: nil), $0.error, .certificate($0.der))
        }
    }
    /// Whether certificates and keys are collected without decoding them.
    private var isEncodedOnly = false
    private(set) var encodedCertificates: [[UInt8]] = []
    /// The decrypted keys as PKCS #8.
    private(set) var encodedKeys: [[UInt8]] = []

    /// Checks a file's integrity, and collects its certificates and keys without decoding them.
    init(encodedContentsOf file: PFX, passphrase: Secret?) throws(IdentityError) {
        var budget = WorkBudget()
        let form = try file.mac?.verify(file.content, passphrase: passphrase, budget: &budget)
        self.init(passphrase: passphrase, isAuthenticated: file.mac != nil, budget: budget)
        isEncodedOnly = true
        if let form { password.prefer(form) }
        try read(authenticatedSafe: file.content)
    }

    /// Checks a file's integrity, and reads its safes.
    init(_ file: PFX, passphrase: Secret?, budget: WorkBudget) throws(IdentityError) {
        var budget = budget
        let form = try file.mac?.verify(file.content, passphrase: passphrase, budget: &budget)
        self.init(passphrase: passphrase, isAuthenticated: file.mac != nil, budget: budget)
        // The encryptions probably use the same form of the passphrase as the integrity check.
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

    /// Reads an AuthenticatedSafe, whose safes may be encrypted.
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

    /// Decrypts an EncryptedData (RFC 5652 section 8), unless encrypted contents are skipped.
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
        guard let plaintext else { throw decryptionError(.encryption) }
        return plaintext
    }

    /// Returns the probable cause of a failed decryption.
    private func decryptionError(_ part: IdentityError.Part) -> IdentityError {
        if isAuthenticated { return .malformed(part) }
        return hasPassphrase ? .wrongPassphrase : .passphraseNeeded
    }

    private mutating func read(safeContents: ASN1Node, depth: Int) throws(IdentityError) {
        guard depth <= Self.maximumSafeDepth else { throw .tooLarge(.nesting, limit: Self.maximumSafeDepth) }
        var bags = try Fields(safeContents, of: .pkcs12)
        while let bag = bags.nextIfAny() { try read(bag: bag, depth: depth) }
    }

    private mutating func read(bag: ASN1Node, depth: Int) throws(IdentityError) {
        bags += 1
        guard bags <= Self.maximumBagCount else { throw .tooLarge(.elements, limit: Self.maximumBagCount) }
        var fields = try Fields(bag, of: .pkcs12)
        let type = try fields.objectIdentifier()
        let value = try fields.explicit(0)
        let attributes = if let node = fields.nextIfAny() { try BagAttributes(node) } else { BagAttributes() }
        try fields.end()
        switch type {
        case .keyBag:
            try add(keyInfo: value, attributes, encryption: nil)
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
        guard let node = try encrypted.decrypt(password, budget: &budget) else { throw decryptionError(.privateKey) }
        try add(keyInfo: node, attributes, encryption: protection)
    }

    private mutating func add(
        keyInfo: ASN1Node, _ attributes: BagAttributes, encryption: PasswordProtection?
    ) throws(IdentityError) {
        guard !isEncodedOnly else {
            guard encodedKeys.count < Self.maximumKeyCount else {
                throw .tooLarge(.elements, limit: Self.maximumKeyCount)
            }
            encodedKeys.append(Array(keyInfo.encodedBytes))
            return
        }
        let key = try PrivateKeyInfo(keyInfo).privateKey()
        guard publicKeys.insert(key.publicKey).inserted else { return }
        guard keys.count < Self.maximumKeyCount else { throw .tooLarge(.elements, limit: Self.maximumKeyCount) }
        keys.append(FoundKey(key: key, attributes: attributes, encryption: encryption))
    }

    /// Adds the certificate of a bag (RFC 7292 section 4.2.3); of the two types only X.509 is in use.
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
        guard !isEncodedOnly else {
            encodedCertificates.append(der)
            return
        }
        let certificate: Certificate
        do throws(IdentityError) {
            certificate = try Certificate.read(der: der)
        } catch {
            unreadable.append((bags, der, error))
            return
        }
        certificateIndexes[certificate.publicKey, default: []].append(certificates.count)
        certificates.append(FoundCertificate(certificate: certificate, attributes: attributes))
    }

    /// Returns the certificate of a key: among several, for example after a renewal, the one with the key's local
    /// identifier, or else the first.
    func leaf(of key: FoundKey) -> Certificate? {
        let candidates = certificateIndexes[key.key.publicKey, default: []].map { certificates[$0] }
        let identifier = key.attributes.localKeyIdentifier
        let named = candidates.first { identifier != nil && $0.attributes.localKeyIdentifier == identifier }
        return (named ?? candidates.first)?.certificate
    }

    /// The friendly names of keys and certificates by public key; a key's name has priority.
    var friendlyNames: [Certificate.PublicKey: String] {
        let names =
            keys.map { ($0.key.publicKey, $0.attributes.friendlyName) }
            + certificates.map { ($0.certificate.publicKey, $0.attributes.friendlyName) }
        return Dictionary(
            names.compactMap { key, name in name.map { (key, $0) } }, uniquingKeysWith: { first, _ in first }
        )
    }
}

/// The attributes of a bag (RFC 7292 section 4.2).
struct BagAttributes {
    private(set) var friendlyName: String?
    /// The identifier that links the key and certificate of an identity, set by most writers.
    private(set) var localKeyIdentifier: [UInt8]?
    /// Whether a Java trust store marks the certificate as trusted.
    private(set) var isTrusted = false

    init() {}

    init(_ node: ASN1Node) throws(IdentityError) {
        var attributes = try Fields(node, .set, of: .attribute)
        while let attribute = attributes.nextIfAny() {
            var fields = try Fields(attribute, of: .attribute)
            let identifier = try fields.next()
            var values = try Fields(try fields.next(), .set, of: .attribute)
            try fields.end()
            // An identifier with arcs of more than 63 bits is legal, but none of the known attributes has one.
            switch try? ASN1ObjectIdentifier(derEncoded: identifier) {
            case .friendlyName: friendlyName = try Self.text(try values.next())
            case .localKeyIdentifier: localKeyIdentifier = try? values.octets()
            case .javaTrustedKeyUsage: isTrusted = true
            default: break
            }
        }
    }

    /// Reads a BMPString, in which surrogate pairs represent characters outside the BMP.
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
