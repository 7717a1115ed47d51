// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import Encodings
public import Secrets
internal import SwiftASN1
public import X509

/// The contents of a file of certificates and keys for display, in the order of the file.
public struct IdentityContents: Sendable {
    /// The format of a file.
    @nonexhaustive
    public enum Container: String, Hashable, Sendable {
        /// A text file with PEM blocks (RFC 7468).
        case pem = "PEM"
        /// A certificate or key in DER or BER.
        case der = "DER"
        /// The certificates in a SignedData (RFC 5652).
        case pkcs7 = "PKCS#7"
        /// Keys and certificates, usually encrypted (RFC 7292).
        case pkcs12 = "PKCS#12"
    }

    /// Whether the contents include the private keys themselves.
    public enum PrivateKeys: Hashable, Sendable {
        /// The contents include only the types and public keys.
        case omitted
        /// The contents include the private keys too.
        case included
    }

    /// A private key in a file.
    public struct Key: Hashable, Sendable {
        /// The type and size, such as "RSA-2048", "P-256" or "Ed25519"; `nil` if the key is locked.
        public let type: String?
        /// The public key; `nil` if the key is locked.
        public let publicKey: Certificate.PublicKey?
        /// The encryption of the key itself; `nil` if the key is not encrypted, or only as part of its container.
        public let encryption: PasswordProtection?
        /// The name that a PKCS#12 file gives to the key; `nil` for none.
        public let friendlyName: String?
        /// The private key; `nil` if the key is locked, or private keys are omitted.
        public let privateKey: Certificate.PrivateKey?
    }

    /// A certificate with its private key in the same file.
    public struct Pair: Hashable, Sendable {
        /// The certificate and its issuers in the file, leaf first.
        public let chain: [Certificate]
        /// The name that a PKCS#12 file gives to the certificate or to its key; `nil` for none.
        public let friendlyName: String?
    }

    /// The format of the file.
    public let container: Container
    /// All certificates, without duplicates.
    public internal(set) var certificates: [Certificate] = []
    /// The certificates that a Java trust store marks as trusted.
    public internal(set) var trustedCertificates: [Certificate] = []
    /// All private keys; duplicates are removed unless they are locked.
    public internal(set) var keys: [Key] = []
    /// The certificates whose private key is in the file and not locked, with their issuers.
    public internal(set) var identities: [Pair] = []
    /// The encryptions in the file, without duplicates.
    public internal(set) var encryptions: [PasswordProtection] = []
    /// The integrity check of a PKCS#12 file; `nil` if it has none, and for other formats.
    public internal(set) var integrity: PasswordProtection?
    /// Whether the file needs a passphrase but none was given.
    ///
    /// The encrypted contents are then missing; of encrypted keys, only the encryption is known.
    public internal(set) var isLocked = false
    /// The number of PKCS#12 bags with neither an X.509 certificate nor a private key.
    public internal(set) var ignoredBagCount = 0
    /// The names of contents that are neither certificates nor private keys, such as the labels of PEM blocks.
    public internal(set) var otherContents: [String] = []
    /// The certificates and keys that were not read, and broken PEM blocks, in the order of the file.
    public internal(set) var unread: [UnreadContent] = []
    var friendlyNames: [Certificate.PublicKey: String] = [:]

    init(_ container: Container) {
        self.container = container
    }

    /// Returns the name that a PKCS#12 file gives to a certificate or to its key.
    ///
    /// - Parameter certificate: A certificate in ``certificates``.
    /// - Returns: The name, which may be empty; `nil` for none.
    public func friendlyName(of certificate: Certificate) -> String? {
        friendlyNames[certificate.publicKey]
    }
}

extension IdentityContents.Key: CustomStringConvertible, CustomReflectable {
    /// The type, without any part of the key.
    public var description: String { "Key(\(type ?? "locked"))" }

    /// A mirror with only the type, so that `dump` does not reveal the key.
    public var customMirror: Mirror { Mirror(self, children: ["type": type as Any]) }
}

extension IdentityContents {
    /// Reads the contents of a file: certificates and keys in PEM or DER, PKCS#7 or PKCS#12.
    ///
    /// - Parameters:
    ///   - bytes: The file, at most 8 MiB.
    ///   - passphrase: The passphrase of an encrypted key or a PKCS#12 file. Without one, encrypted contents are
    ///     omitted, ``isLocked`` is `true`, and the integrity of a PKCS#12 file is not checked.
    ///   - privateKeys: Whether ``Key/privateKey`` is set.
    /// - Throws: ``IdentityError/wrongPassphrase``, and every other ``IdentityError`` except
    ///   ``IdentityError/passphraseNeeded``.
    public init(
        of bytes: some Collection<UInt8>, passphrase: Secret? = nil, privateKeys: PrivateKeys = .omitted
    ) throws(IdentityError) {
        let bytes = Array(bytes)
        let items = try EncodedItem.items(inAnyFile: bytes)
        if case .pkcs12(let der)? = items.first?.item, items.count == 1 {
            try self.init(pkcs12: der, passphrase: passphrase, privateKeys: privateKeys)
        } else {
            let isText = PEMBlock.isLikely(PEMBlock.plainText(bytes))
            self.init(isText ? .pem : items.contains(where: \.item.isPKCS7) ? .pkcs7 : .der)
            try read(items, passphrase: passphrase, privateKeys: privateKeys)
        }
    }

    private mutating func read(
        _ items: [(item: EncodedItem, place: EncodedItem.Place)], passphrase: Secret?, privateKeys: PrivateKeys
    ) throws(IdentityError) {
        (certificates, unread) = CertificateFile.certificates(items)
        otherContents = items.compactMap(\.item.otherName)
        for case (.broken(let cause, let error), let place) in items where cause != .privateKey {
            unread.append(UnreadContent(place, error, cause))
        }
        let keyItems = items.filter(\.item.isPrivateKey)
        guard keyItems.count <= SafeReader.maximumKeyCount else {
            throw .tooLarge(.elements, limit: SafeReader.maximumKeyCount)
        }
        var budget = WorkBudget()
        for (item, place) in keyItems {
            do throws(IdentityError) {
                try read(keyItem: item, passphrase: passphrase, privateKeys: privateKeys, budget: &budget)
            } catch {
                guard error.isAboutForm else { throw error }
                unread.append(UnreadContent(place, error, .privateKey))
            }
        }
        unread.sort { $0.position < $1.position }
        set(encryptions: encryptions)
        let leaves = Dictionary(certificates.map { ($0.publicKey, $0) }, uniquingKeysWith: { first, _ in first })
        identities = keys.compactMap { key in key.publicKey.flatMap { leaves[$0] } }.map(pair)
    }

    private mutating func read(
        keyItem item: EncodedItem, passphrase: Secret?, privateKeys: PrivateKeys, budget: inout WorkBudget
    ) throws(IdentityError) {
        let encryption = try item.protection()
        if let encryption { encryptions.append(encryption) }
        do throws(IdentityError) {
            guard let key = try item.privateKey(passphrase: passphrase, budget: &budget),
                !keys.contains(where: { $0.publicKey == key.publicKey })
            else { return }
            keys.append(Key(key, encryption: encryption, friendlyName: nil, privateKeys))
        } catch .passphraseNeeded {
            isLocked = true
            keys.append(Key(lockedBy: encryption, friendlyName: nil))
        }
    }

    private init(pkcs12 der: [UInt8], passphrase: Secret?, privateKeys: PrivateKeys) throws(IdentityError) {
        self.init(.pkcs12)
        let file = try PFX(der)
        integrity = file.mac?.protection
        var reader: SafeReader
        do throws(IdentityError) {
            reader = try SafeReader(file, passphrase: passphrase, budget: WorkBudget())
        } catch .passphraseNeeded {
            isLocked = true
            reader = SafeReader(passphrase: nil, isAuthenticated: false, budget: WorkBudget(), skipsEncrypted: true)
            try reader.read(authenticatedSafe: file.content)
        }
        certificates = reader.certificates.map(\.certificate)
        unread = reader.unread
        trustedCertificates = reader.certificates.filter(\.attributes.isTrusted).map(\.certificate)
        friendlyNames = reader.friendlyNames
        set(encryptions: reader.protections)
        ignoredBagCount = reader.ignoredBags
        keys = reader.keys.map {
            Key($0.key, encryption: $0.encryption, friendlyName: $0.attributes.friendlyName, privateKeys)
        }
        keys += reader.lockedKeys.map { Key(lockedBy: $0.encryption, friendlyName: $0.attributes.friendlyName) }
        identities = reader.keys.compactMap(reader.leaf).map(pair)
    }

    /// Sets the encryptions, without duplicates.
    private mutating func set(encryptions: [PasswordProtection]) {
        var seen: Set<PasswordProtection> = []
        self.encryptions = encryptions.filter { seen.insert($0).inserted }
    }

    /// Returns a certificate followed by its issuers in the file.
    package func chain(of leaf: Certificate) -> [Certificate] {
        [leaf] + IssuerPath(from: leaf, among: certificates).issuers
    }

    private func pair(_ leaf: Certificate) -> Pair {
        Pair(chain: chain(of: leaf), friendlyName: friendlyName(of: leaf))
    }
}

extension IdentityContents.Key {
    fileprivate init(
        _ key: Certificate.PrivateKey, encryption: PasswordProtection?, friendlyName: String?,
        _ privateKeys: IdentityContents.PrivateKeys
    ) {
        type = key.publicKey.typeName
        publicKey = key.publicKey
        self.encryption = encryption
        self.friendlyName = friendlyName
        privateKey = privateKeys == .included ? key : nil
    }

    fileprivate init(lockedBy encryption: PasswordProtection?, friendlyName: String?) {
        type = nil
        publicKey = nil
        self.encryption = encryption
        self.friendlyName = friendlyName
        privateKey = nil
    }
}

extension Certificate.PublicKey {
    /// The usual name of the type and size, such as "RSA-2048", "P-256" or "Ed25519".
    package var typeName: String {
        if P256.Signing.PublicKey(self) != nil { return "P-256" }
        if P384.Signing.PublicKey(self) != nil { return "P-384" }
        if P521.Signing.PublicKey(self) != nil { return "P-521" }
        if Curve25519.Signing.PublicKey(self) != nil { return "Ed25519" }
        if let key = _RSA.Signing.PublicKey(self) { return "RSA-\(key.keySizeInBits)" }
        return description
    }
}
