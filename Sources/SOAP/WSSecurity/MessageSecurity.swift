// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import Identities
public import Secrets
public import X509
public import XMLDocuments
// Keys, algorithms and names are part of every call.
public import EssentialFoundation
@_exported public import XMLEncryption
@_exported public import XMLSignature

/// The security that is added to a message before it is sent (SOAP Message Security 1.1).
///
/// ```swift
/// let sent = try await MessageSecurity.x509(identity).secure(envelope)
/// ```
public struct MessageSecurity: Sendable {
    /// The times of the message; `nil` for none.
    public var timestamp: MessageTimestamp?
    /// The user's name and password; `nil` for none.
    public var usernameToken: UsernameToken?
    /// The signature; `nil` for none.
    public var signature: MessageSignature?
    /// The encryption, which follows the signature; `nil` for none.
    public var encryption: MessageEncryption?
    /// Whether a receiver that does not know WS-Security must refuse the message; `true` by default.
    public var mustUnderstand = true
    /// The URI in the attribute `actor` or `role` of the security header; `nil`, the default, for the last receiver.
    public var actor: String?

    /// Creates security from its parts; by default only a timestamp of 300 seconds.
    public init(
        timestamp: MessageTimestamp? = MessageTimestamp(), usernameToken: UsernameToken? = nil,
        signature: MessageSignature? = nil, encryption: MessageEncryption? = nil
    ) {
        (self.timestamp, self.usernameToken) = (timestamp, usernameToken)
        (self.signature, self.encryption) = (signature, encryption)
    }

    /// Creates a signature of the Body and the time by an identity, whose certificate is sent with the message.
    ///
    /// - Parameters:
    ///   - identity: The certificates and the key.
    ///   - algorithm: The algorithm; `nil`, the default, for SHA-256 or, with the curves P-384 and P-521, SHA-384 or SHA-512. Where it does
    ///     not fit the key, ``secure(_:at:randomBytes:)`` throws.
    /// - Returns: The signature with the time.
    public static func x509(_ identity: Identity, algorithm: SignatureAlgorithm? = nil) -> Self {
        let key: any SigningKey
        do throws(XMLSignatureError) {
            key = try HeldSigningKey(identity.privateKey, algorithm: algorithm)
        } catch {
            key = UnusableSigningKey(algorithm: algorithm ?? .rsaSHA256, error: error)
        }
        return Self(signature: MessageSignature(key: key, certificates: identity.chain))
    }

    /// Creates a user's name and password, with the time.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - password: The password.
    ///   - form: The form in which the password is sent; a digest by default.
    /// - Returns: The name and password with the time.
    public static func usernameToken(
        user: String, password: Secret, form: UsernameToken.Form = .digest
    ) -> Self {
        Self(usernameToken: UsernameToken(user: user, password: password, form: form))
    }

    /// Adds the security to a message.
    ///
    /// - Parameters:
    ///   - envelope: The message, SOAP 1.1 or 1.2.
    ///   - time: The time at which the message is created; the present by default.
    ///   - randomBytes: Returns as many random bytes as its argument, for nonces and identifiers; from the system's generator by default.
    /// - Returns: The message, in UTF-8. Changing any signed byte breaks the signature.
    /// - Throws: ``WSSecurityError``, `XMLSignatureError`, and what the key throws.
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

    /// Returns as many bytes as its argument from the system's generator of random numbers.
    public static let systemRandomBytes: @Sendable (Int) -> [UInt8] = { count in
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    }
}

/// The signature that is added to a message: its key, its parts and its algorithms.
public struct MessageSignature: Sendable {
    /// The key, which may be held by another program or device.
    public var key: any SigningKey
    /// The certificates, the key's first, then those between it and an anchor; empty for a shared secret.
    public var certificates: [Certificate]
    /// The way in which the message names the key's certificate; ``CertificateReference/token`` by default.
    public var reference = CertificateReference.token
    /// The parts that are signed; the Body and the time by default.
    public var parts: [MessagePart] = [.body, .timestamp]
    /// The method that turns parts and `SignedInfo` into bytes; the exclusive one by default.
    ///
    /// An exclusive method is told the prefixes that each part uses in its texts and in the values of its attributes.
    public var canonicalization = Canonicalization(.exclusive)
    /// The digest algorithm of the parts; SHA-256 by default.
    public var digest = DigestAlgorithm.sha256
    /// Whether SHA-1, which is broken, may be used, for old systems; `false` by default.
    public var allowsSHA1 = false

    /// Creates a signature from its key and that key's certificates.
    public init(key: any SigningKey, certificates: [Certificate]) {
        (self.key, self.certificates) = (key, certificates)
    }

    /// Refuses what is broken and not allowed by name.
    func checkAlgorithms() throws(WSSecurityError) {
        guard !allowsSHA1 else { return }
        if key.algorithm.isLegacy { throw .brokenAlgorithm(key.algorithm.rawValue) }
        if digest == .sha1 { throw .brokenAlgorithm(digest.rawValue) }
    }
}

/// The encryption of a message, after it was signed: its recipient, its parts and its algorithms.
public struct MessageEncryption: Sendable {
    /// A part of a message that is encrypted.
    public enum Part: Hashable, Sendable {
        /// The content of the body. Its tags stay, so that the envelope remains well-formed SOAP.
        case body
        /// The signature. A reader of the message could otherwise guess a short body by comparing digests.
        case signature
        /// The user's name and password.
        case usernameToken
        /// The headers of a name, right below the envelope's header.
        case header(XMLName)
    }

    /// The certificate of the recipient, whose key must be of RSA.
    public var recipient: Certificate
    /// The way in which the message names the recipient's certificate; by issuer and serial number by default.
    public var reference = CertificateReference.issuerAndSerialNumber
    /// The parts that are encrypted; the content of the Body by default.
    public var parts: [Part] = [.body]
    /// The algorithm that encrypts the parts; AES-256-GCM by default.
    public var algorithm = ContentAlgorithm.aes256GCM
    /// The algorithm that encrypts the key of the parts for the recipient; RSA-OAEP with SHA-1 by default.
    public var transport = KeyTransport.oaepSHA1

    /// Creates an encryption for a recipient, whose certificate must have an RSA key.
    public init(for recipient: Certificate) { self.recipient = recipient }
}

extension MessageEncryption.Part {
    /// The part as errors name it; `nil` for the signature.
    var messagePart: MessagePart? {
        switch self {
        case .body: .body
        case .signature: nil
        case .usernameToken: .usernameToken
        case .header(let name): .header(name)
        }
    }
}

/// The key of an identity that cannot sign, which says so when it is to sign.
private struct UnusableSigningKey: SigningKey {
    let algorithm: SignatureAlgorithm
    let error: XMLSignatureError

    func signature(of bytes: [UInt8]) async throws -> [UInt8] { throw error }
}
