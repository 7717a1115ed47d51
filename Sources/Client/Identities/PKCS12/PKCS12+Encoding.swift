// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets
public import X509

extension PKCS12 {
    /// An identity and the name that a file gives to it.
    public struct Entry: Hashable, Sendable {
        /// The chain and the key.
        public let identity: Identity
        /// The name that readers show to a person; `nil` for none.
        public let friendlyName: String?

        /// Makes an entry with a name, or by default without one.
        public init(_ identity: Identity, friendlyName: String? = nil) {
            self.identity = identity
            self.friendlyName = friendlyName
        }
    }

    /// How a file protects its keys and certificates.
    public struct Encryption: Hashable, Sendable {
        /// The most iterations of a key derivation, which is the limit of Windows.
        public static let mostIterations = 600_000

        let scheme: PasswordEncryptor.Scheme
        let integrity: HashAlgorithm
        let iterations: Int

        /// Makes an encryption with AES-256, PBKDF2 and HMAC-SHA-256 (RFC 8018), which programs since about 2018 read.
        ///
        /// - Parameter iterations: The iterations of each key derivation, put into the range from 1 to
        ///   ``mostIterations``.
        /// - Returns: The encryption.
        public static func aes256(iterations: Int = mostIterations) -> Encryption {
            let iterations = min(max(iterations, 1), mostIterations)
            return Encryption(scheme: .aes256(iterations: iterations), integrity: .sha256, iterations: iterations)
        }

        /// Triple DES and SHA-1 with 50,000 iterations (RFC 7292 appendix C), for old devices that read nothing else.
        ///
        /// It is weaker than AES-256: the key has 112 bits of strength, and a guess of the passphrase costs a fraction of the time. Use a
        /// long random passphrase, and delete the file after its import.
        public static let weakTripleDESForOldDevices = Encryption(
            scheme: .tripleDES(iterations: 50_000), integrity: .sha1, iterations: 50_000)
    }

    /// Encodes identities and certificates as a file (RFC 7292), encrypted and with an integrity check.
    ///
    /// - Parameters:
    ///   - entries: The identities, each with its whole chain; a certificate of several chains is written once.
    ///   - certificates: Certificates to add, such as authorities.
    ///   - passphrase: The passphrase that opens the file.
    ///   - encryption: AES-256, unless an old device is to read the file.
    /// - Returns: The file, in DER.
    /// - Throws: ``IdentityError/keyNotExportable`` for a key that cannot leave the device that holds it, and
    ///   ``IdentityError/tooLarge(_:limit:)`` for more keys than ``init(_:passphrase:)`` would read: at most 256, and fewer with many
    ///   iterations.
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
        // A file that this library could not read again, because it asks for too much, is not written.
        let derivations = WorkBudget.mostIterations / encryption.iterations / encryption.scheme.blocks
        let mostKeys = min(SafeReader.mostKeys, derivations - 2)
        guard entries.count <= mostKeys else { throw .tooLarge(.elements, limit: mostKeys) }
        let writer = PKCS12Writer(passphrase: passphrase, encryption: encryption)
        let safes = try writer.authenticatedSafe(
            try BagWriter.certificateBags(entries, certificates), entries, random: &random)
        return try writer.file(safes, salt: random.bytes(16))
    }
}
