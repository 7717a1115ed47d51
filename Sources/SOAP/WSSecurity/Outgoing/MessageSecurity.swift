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
