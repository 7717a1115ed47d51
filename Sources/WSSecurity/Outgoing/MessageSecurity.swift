// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import Identities
public import Secrets
public import XMLSignature

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The security that is added to a message before it is sent (SOAP Message Security 1.1).
///
/// ```swift
/// let sent = try await MessageSecurity.x509(identity).secure(envelope)
/// ```
public struct MessageSecurity: Sendable {
    /// When the message was made; `nil` for no time.
    public var timestamp: MessageTimestamp?
    /// The user's name and password.
    public var usernameToken: UsernameToken?
    /// The signature.
    public var signature: MessageSignature?
    /// The encryption, which follows the signature.
    public var encryption: MessageEncryption?
    /// Whether the receiver must refuse the message where it does not know WS-Security.
    public var mustUnderstand = true
    /// The role that the security header addresses, as in SOAP 1.2; `nil` for the last receiver.
    public var actor: String?

    /// Makes security of the given parts only.
    public init(
        timestamp: MessageTimestamp? = MessageTimestamp(), usernameToken: UsernameToken? = nil,
        signature: MessageSignature? = nil, encryption: MessageEncryption? = nil
    ) {
        (self.timestamp, self.usernameToken) = (timestamp, usernameToken)
        (self.signature, self.encryption) = (signature, encryption)
    }

    /// A signature of the body and the time by an identity, whose certificate goes with the message.
    ///
    /// - Parameters:
    ///   - identity: The certificates and the key.
    ///   - algorithm: `nil` takes the one with SHA-256, and for the larger curves that of their own size. Where it is
    ///     not one for the key, ``secure(_:at:randomBytes:)`` throws.
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

    /// A user's name and password, with the time.
    public static func usernameToken(
        user: String, password: Secret, form: UsernameToken.Form = .digest
    ) -> Self {
        Self(usernameToken: UsernameToken(user: user, password: password, form: form))
    }

    /// Adds all of it to a message.
    ///
    /// - Parameters:
    ///   - envelope: The message, SOAP 1.1 or 1.2.
    ///   - time: When the message is made.
    ///   - randomBytes: Gives as many random bytes as it is asked for, for nonces and identifiers.
    /// - Returns: The message, in UTF-8. Changing any byte of what is signed breaks the signature.
    /// - Throws: ``WSSecurityError``, `XMLSignatureError`, and what a key that lives elsewhere throws.
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

    /// Bytes from the system's generator.
    public static let systemRandomBytes: @Sendable (Int) -> [UInt8] = { count in
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    }
}
