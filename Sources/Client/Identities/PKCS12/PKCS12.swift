// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets
internal import SwiftASN1
public import X509

/// The contents of a PKCS#12 file (RFC 7292), also known as PFX.
///
/// The integrity is checked first. Keys are matched with certificates by public key, because local key identifiers are
/// often missing and sometimes wrong. The encryption algorithms of old software are supported too: 3DES, RC2 and RC4.
public struct PKCS12: Sendable {
    /// The keys that have a certificate, in the order of the file, each with its certificate and issuers.
    public let identities: [Identity]
    /// All certificates, including leaves, in the order of the file, without duplicates.
    public let certificates: [Certificate]
    /// The certificates that a Java trust store marks as trusted.
    public let trustedCertificates: [Certificate]
    /// The keys without a certificate in the file.
    public let unmatchedKeys: [Certificate.PrivateKey]
    /// The number of bags with neither an X.509 certificate nor a private key.
    public let ignoredBagCount: Int
    /// The certificates that were not read, by the positions of their bags.
    public let unread: [UnreadContent]
    /// Whether the file has an integrity check, which the passphrase satisfied.
    public let isAuthenticated: Bool

    private let friendlyNames: [Certificate.PublicKey: String]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The file, in DER or BER, at most 8 MiB.
    ///   - passphrase: The passphrase of the file; if it is `nil` or
    ///     empty, both no password and an empty password are tried.
    /// - Throws: ``IdentityError/wrongPassphrase`` or, if none was given, ``IdentityError/passphraseNeeded``;
    ///   ``IdentityError/unsupported(_:)``, ``IdentityError/malformed(_:offset:)`` and
    ///   ``IdentityError/tooLarge(_:limit:)``.
    public init(_ bytes: some Collection<UInt8>, passphrase: Secret? = nil) throws(IdentityError) {
        try self.init(Array(bytes), passphrase: passphrase, budget: WorkBudget())
    }

    init(_ bytes: [UInt8], passphrase: Secret?, budget: WorkBudget) throws(IdentityError) {
        let file = try PFX(bytes)
        let reader = try SafeReader(file, passphrase: passphrase, budget: budget)
        if reader.certificates.isEmpty, let error = reader.unread.error { throw error }
        try self.init(reader, isAuthenticated: file.mac != nil)
    }

    private init(_ reader: SafeReader, isAuthenticated: Bool) throws(IdentityError) {
        let certificates = reader.certificates.map(\.certificate)
        var identities: [Identity] = []
        var unmatchedKeys: [Certificate.PrivateKey] = []
        for found in reader.keys {
            if let leaf = reader.leaf(of: found) {
                let chain = [leaf] + IssuerPath(from: leaf, among: certificates).issuers
                identities.append(try Identity(chain: chain, privateKey: found.key))
            } else {
                unmatchedKeys.append(found.key)
            }
        }
        self.identities = identities
        self.certificates = certificates
        self.unmatchedKeys = unmatchedKeys
        self.isAuthenticated = isAuthenticated
        trustedCertificates = reader.certificates.filter(\.attributes.isTrusted).map(\.certificate)
        ignoredBagCount = reader.ignoredBags
        unread = reader.unread
        friendlyNames = reader.friendlyNames
    }

    /// Returns the name that the file gives to a certificate or to its key.
    ///
    /// - Parameter certificate: A certificate in ``certificates``.
    /// - Returns: The name, which may be empty; `nil` for none.
    public func friendlyName(of certificate: Certificate) -> String? {
        friendlyNames[certificate.publicKey]
    }
}

extension PKCS12 {
    /// An identity and its name in a file.
    public struct Entry: Hashable, Sendable {
        /// The chain and the key.
        public let identity: Identity
        /// The name that readers display; `nil` for none.
        public let friendlyName: String?

        /// Makes an entry with an optional name.
        public init(_ identity: Identity, friendlyName: String? = nil) {
            self.identity = identity
            self.friendlyName = friendlyName
        }
    }

    /// The encryption of keys and certificates in a file.
    public struct Encryption: Hashable, Sendable {
        /// The maximum number of iterations of a key derivation, which is the limit of Windows.
        public static let maximumIterations = 600_000

        let scheme: PasswordEncryptor.Scheme
        let integrity: HashAlgorithm
        let iterations: Int

        /// Makes an encryption with AES-256, PBKDF2 and HMAC-SHA-256
        /// (RFC 8018), which programs since about 2018 support.
        ///
        /// - Parameter iterations: The iterations of each key derivation, clamped to the range from 1 to
        ///   ``maximumIterations``.
        /// - Returns: The encryption.
        public static func aes256(iterations: Int = maximumIterations) -> Encryption {
            let iterations = min(max(iterations, 1), maximumIterations)
            return Encryption(scheme: .aes256(iterations: iterations), integrity: .sha256, iterations: iterations)
        }

        /// Triple DES and SHA-1 with 50,000 iterations (RFC 7292
        /// appendix C), for old devices that support nothing else.
        ///
        /// It is weaker than AES-256: the key has 112 bits of strength, and guessing the passphrase takes a fraction of
        /// the time. Use a long random passphrase, and delete the file after its import.
        public static let weakTripleDESForOldDevices = Encryption(
            scheme: .tripleDES(iterations: 50_000), integrity: .sha1, iterations: 50_000)
    }

    /// Encodes identities and certificates as a file (RFC 7292), encrypted and with an integrity check.
    ///
    /// - Parameters:
    ///   - entries: The identities, each with its complete chain; a certificate in several chains is written once.
    ///   - certificates: The certificates to add, such as authorities.
    ///   - passphrase: The passphrase that decrypts the file.
    ///   - encryption: The encryption; AES-256 by default, which some old devices cannot read.
    /// - Returns: The file, in DER.
    /// - Throws: ``IdentityError/keyNotExportable`` for a key that cannot leave its device, and
    ///   ``IdentityError/tooLarge(_:limit:)`` for more keys than ``init(_:passphrase:)`` can read: at most 256, and
    ///   fewer with many iterations.
    public static func encode(
        _ entries: [Entry], certificates: [Certificate] = [], passphrase: Secret, encryption: Encryption = .aes256()
    ) throws(IdentityError) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return try encode(
            entries, certificates: certificates, passphrase: passphrase, encryption: encryption, random: &random)
    }

    static func encode(
        _ entries: [Entry], certificates: [Certificate], passphrase: Secret, encryption: Encryption,
        random: inout some RandomNumberGenerator
    ) throws(IdentityError) -> [UInt8] {
        // A file that exceeds this library's own limits for reading is not written.
        let derivations = WorkBudget.maximumIterations / encryption.iterations / encryption.scheme.blocks
        let maximumKeyCount = min(SafeReader.maximumKeyCount, derivations - 2)
        guard entries.count <= maximumKeyCount else { throw .tooLarge(.elements, limit: maximumKeyCount) }
        let writer = PKCS12Writer(passphrase: passphrase, encryption: encryption)
        let safes = try writer.authenticatedSafe(
            try BagWriter.certificateBags(entries, certificates), entries, random: &random)
        return try writer.file(safes, salt: random.bytes(16))
    }
}
