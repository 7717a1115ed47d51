// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import Identities
public import Secrets
public import X509
public import XMLDocuments
// Every call uses keys, algorithms and names.
public import EssentialFoundation
@_exported public import XMLEncryption
@_exported public import XMLSignature

/// The security that is added to a message before it is sent (SOAP Message Security 1.1).
///
/// ```swift
/// let sent = try await MessageSecurity.x509(identity).secure(envelope)
/// ```
public struct MessageSecurity: Sendable {
    /// The timestamp; `nil` for none.
    public var timestamp: MessageTimestamp?
    /// The user's name and password; `nil` for none.
    public var usernameToken: UsernameToken?
    /// The signature; `nil` for none.
    public var signature: MessageSignature?
    /// The encryption, which follows the signature; `nil` for none.
    public var encryption: MessageEncryption?
    /// Whether a receiver that does not know WS-Security must refuse the message; `true` by default.
    public var mustUnderstand = true
    /// The URI in the attribute `actor` or `role` of the security header; `nil`, the default, for the
    /// ultimate receiver.
    public var actor: String?

    /// Creates message security; by default with only a timestamp of 300 seconds.
    public init(
        timestamp: MessageTimestamp? = MessageTimestamp(), usernameToken: UsernameToken? = nil,
        signature: MessageSignature? = nil, encryption: MessageEncryption? = nil
    ) {
        (self.timestamp, self.usernameToken) = (timestamp, usernameToken)
        (self.signature, self.encryption) = (signature, encryption)
    }

    /// Creates message security with a timestamp and an identity's signature over the Body and the timestamp.
    ///
    /// The message contains the identity's certificate.
    ///
    /// - Parameters:
    ///   - identity: The certificates and the key.
    ///   - algorithm: The algorithm; `nil`, the default, for SHA-256 or, with the curves P-384 and P-521, SHA-384 or
    ///     SHA-512. If it does not fit the key, ``secure(_:at:randomBytes:)`` throws.
    /// - Returns: The signature with the timestamp.
    public static func x509(_ identity: Identity, algorithm: XMLSignatureAlgorithm? = nil) -> Self {
        let key: any SigningKey
        do throws(XMLSignatureError) {
            key = try PrivateSigningKey(identity.privateKey, algorithm: algorithm)
        } catch {
            key = UnusableSigningKey(algorithm: algorithm ?? .rsaSHA256, error: error)
        }
        return Self(signature: MessageSignature(key: key, certificates: identity.chain))
    }

    /// Creates message security with a timestamp and a user's name and password.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - password: The password.
    ///   - form: The form of the password in the message; a digest by default.
    /// - Returns: The name and password with the timestamp.
    public static func usernameToken(
        user: String, password: Secret, form: UsernameToken.Form = .digest
    ) -> Self {
        Self(usernameToken: UsernameToken(user: user, password: password, form: form))
    }

    /// Adds the security to a message.
    ///
    /// - Parameters:
    ///   - envelope: The message, SOAP 1.1 or 1.2.
    ///   - time: The creation time of the message; the current time by default.
    ///   - randomBytes: A closure that returns the given number of random bytes, for nonces and identifiers; by
    ///     default, the system's generator.
    /// - Returns: The message, in UTF-8. Changing any signed byte invalidates the signature.
    /// - Throws: ``WSSecurityError``, `XMLSignatureError`, and errors of the key.
    public func secure(
        _ envelope: [UInt8], at time: Date = Date(),
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = MessageSecurity.systemRandomBytes
    ) async throws -> [UInt8] {
        try signature?.checkAlgorithms()
        let envelope = try Envelope(envelope, limits: XMLLimits())
        var writer = try SecurityHeaderWriter(
            envelope, mustUnderstand: mustUnderstand, actor: actor, randomBytes: randomBytes)
        if let timestamp { try writer.add(timestamp, at: time) }
        if let usernameToken { try writer.add(usernameToken, at: time) }
        if let signature { try await writer.add(signature) }
        if let encryption { try writer.add(encryption) }
        do throws(XMLDocumentError) {
            return try envelope.tree.bytes
        } catch { throw WSSecurityError.document(error) }
    }

    /// Returns the given number of bytes from the system's random number generator.
    public static let systemRandomBytes: @Sendable (Int) -> [UInt8] = { count in
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    }
}

/// The signature of a message: its key, parts and algorithms.
public struct MessageSignature: Sendable {
    /// The key, which another program or a device may hold.
    public var key: any SigningKey
    /// The certificate chain, the key's certificate first; empty for a shared secret.
    public var certificates: [Certificate]
    /// The kind of reference to the key's certificate; ``CertificateReference/token`` by default.
    public var reference = CertificateReference.token
    /// The signed parts; the Body and the timestamp by default.
    public var parts: [MessagePart] = [.body, .timestamp]
    /// The canonicalization of the parts and `SignedInfo`; the exclusive method by default.
    ///
    /// For an exclusive method, each part's inclusive prefixes are those that it uses in texts and attribute values.
    public var canonicalization = Canonicalization(.exclusive)
    /// The digest algorithm of the parts; SHA-256 by default.
    public var digest = XMLDigestAlgorithm.sha256
    /// Whether SHA-1, which is broken, may be used for old systems; `false` by default.
    public var allowsSHA1 = false

    /// Creates a signature with a key and the key's certificates.
    public init(key: any SigningKey, certificates: [Certificate]) {
        (self.key, self.certificates) = (key, certificates)
    }

    /// Refuses broken algorithms, unless they are explicitly allowed.
    func checkAlgorithms() throws(WSSecurityError) {
        guard !allowsSHA1 else { return }
        if key.algorithm.isLegacy { throw .brokenAlgorithm(key.algorithm.rawValue) }
        if digest == .sha1 { throw .brokenAlgorithm(digest.rawValue) }
    }
}

/// The encryption of a message, which follows the signature: its recipient, parts and algorithms.
public struct MessageEncryption: Sendable {
    /// An encrypted part of a message.
    @nonexhaustive
    public enum Part: Hashable, Sendable {
        /// The content of the body. The body element itself stays, so that the envelope remains valid SOAP.
        case body
        /// The signature. Otherwise an eavesdropper could guess a short body by comparing digests.
        case signature
        /// The user's name and password.
        case usernameToken
        /// The headers with the given name that are children of the envelope's header.
        case header(XMLName)
    }

    /// The recipient's certificate, which must have an RSA key.
    public var recipient: Certificate
    /// The kind of reference to the recipient's certificate; by issuer and serial number by default.
    public var reference = CertificateReference.issuerAndSerialNumber
    /// The encrypted parts; the content of the Body by default.
    public var parts: [Part] = [.body]
    /// The algorithm that encrypts the parts; AES-256-GCM by default.
    public var algorithm = ContentAlgorithm.aes256GCM
    /// The algorithm that encrypts the content key for the recipient; RSA-OAEP with SHA-1 by default.
    public var transport = KeyTransport.oaepSHA1

    /// Creates an encryption for a recipient, whose certificate must have an RSA key.
    public init(for recipient: Certificate) { self.recipient = recipient }
}

extension MessageEncryption.Part {
    /// The corresponding message part, for errors; `nil` for the signature.
    var messagePart: MessagePart? {
        switch self {
        case .body: .body
        case .signature: nil
        case .usernameToken: .usernameToken
        case .header(let name): .header(name)
        }
    }
}

/// The key of an identity that cannot sign, which throws an error when used.
private struct UnusableSigningKey: SigningKey {
    let algorithm: XMLSignatureAlgorithm
    let error: XMLSignatureError

    func signature(of bytes: [UInt8]) async throws -> [UInt8] { throw error }
}
