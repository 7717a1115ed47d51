// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// The contents of a file of certificates and keys, in the order of the file, to be shown to a person.
public struct IdentityContents: Sendable {
    /// The kind of file.
    @nonexhaustive
    public enum Container: String, Hashable, Sendable {
        /// Text with blocks (RFC 7468).
        case pem = "PEM"
        /// One certificate or key in DER or BER.
        case der = "DER"
        /// Certificates in a SignedData (RFC 5652).
        case pkcs7 = "PKCS#7"
        /// Keys and certificates, encrypted as a rule (RFC 7292).
        case pkcs12 = "PKCS#12"
    }

    /// Whether the contents include the private keys themselves.
    public enum PrivateKeys: Hashable, Sendable {
        /// The contents have only the type and the public key.
        case omitted
        /// The contents have the private key too.
        case included
    }

    /// A private key.
    public struct Key: Hashable, Sendable {
        /// The type and the size, such as "RSA-2048", "P-256" or "Ed25519"; `nil` where the key is locked.
        public let type: String?
        /// The public key; `nil` where the key is locked.
        public let publicKey: Certificate.PublicKey?
        /// The encryption of the key itself; `nil` if only the part of the file around it is encrypted, or nothing.
        public let encryption: PasswordProtection?
        /// The name that a PKCS#12 file gives to the key; `nil` for none.
        public let friendlyName: String?
        /// The private key; `nil` where the key is locked, or private keys are omitted.
        public let privateKey: Certificate.PrivateKey?
    }

    /// A certificate with its private key in the same file.
    public struct Pair: Hashable, Sendable {
        /// The certificate and its issuers, as far as the file has them, leaf first.
        public let chain: [Certificate]
        /// The name that a PKCS#12 file gives to the certificate or to its key; `nil` for none.
        public let friendlyName: String?
    }

    /// The kind of file.
    public let container: Container
    /// Every certificate, repeated ones once.
    public internal(set) var certificates: [Certificate] = []
    /// The certificates that Java's trust store marks as trusted.
    public internal(set) var trustedCertificates: [Certificate] = []
    /// Every private key, repeated ones once unless they are locked.
    public internal(set) var keys: [Key] = []
    /// Each certificate whose private key is in the file and not locked, with its issuers.
    public internal(set) var identities: [Pair] = []
    /// Every encryption in the file, each once.
    public internal(set) var encryptions: [PasswordProtection] = []
    /// The integrity check of a PKCS#12 file; `nil` where it has none, and for other files.
    public internal(set) var integrity: PasswordProtection?
    /// Whether the file needs a passphrase and got none.
    ///
    /// The encrypted contents are then missing; of encrypted keys only the encryption is known.
    public internal(set) var isLocked = false
    /// The number of PKCS#12 bags with neither an X.509 certificate nor a private key.
    public internal(set) var ignoredBagCount = 0
    /// The names of contents that are neither certificates nor private keys, such as the label of a PEM block.
    public internal(set) var otherContents: [String] = []
    var friendlyNames: [Certificate.PublicKey: String] = [:]

    init(_ container: Container) {
        self.container = container
    }

    /// The name that a PKCS#12 file gives to a certificate or to its key.
    ///
    /// - Parameter certificate: One of ``certificates``.
    /// - Returns: The name, which may be empty; `nil` for none.
    public func friendlyName(of certificate: Certificate) -> String? {
        friendlyNames[certificate.publicKey]
    }
}

extension IdentityContents.Key: CustomStringConvertible, CustomReflectable {
    /// The type; never anything of the key.
    public var description: String { "Key(\(type ?? "locked"))" }

    /// Shows the type only, so that `dump` does not walk into the key.
    public var customMirror: Mirror { Mirror(self, children: ["type": type as Any]) }
}
