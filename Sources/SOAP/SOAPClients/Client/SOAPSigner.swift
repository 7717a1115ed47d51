// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import WSSecurity

/// Adds security to the messages of a client: a signature, a user's name and password, or encryption.
///
/// The client calls the signer last, and sends exactly the bytes that it returns.
public struct SOAPSigner: Sendable {
    private let transform: @Sendable ([UInt8]) async throws -> [UInt8]

    /// Creates a signer from a function.
    ///
    /// - Parameter transform: A closure that receives the complete envelope in UTF-8, and returns the envelope to send.
    ///   The call rethrows its errors.
    public init(_ transform: @escaping @Sendable ([UInt8]) async throws -> [UInt8]) { self.transform = transform }

    func protect(_ envelope: [UInt8]) async throws -> [UInt8] { try await transform(envelope) }
}

extension SOAPSigner {
    /// Adds WS-Security as configured: a timestamp, a username token, a signature and encryption.
    ///
    /// A call throws `WSSecurityError` if a message cannot be secured.
    public static func security(_ security: MessageSecurity) -> Self {
        Self { try await security.secure($0) }
    }

    /// Signs the Body and the timestamp with an identity, whose certificate is sent with the message.
    ///
    /// - Parameters:
    ///   - identity: The certificates and the key.
    ///   - algorithm: The algorithm; `nil`, the default, for SHA-256 or, with the curves P-384 and P-521, SHA-384 or
    ///     SHA-512. A call throws an error if it does not fit the key.
    /// - Returns: A signer for every message.
    public static func x509(_ identity: Identity, algorithm: XMLSignatureAlgorithm? = nil) -> Self {
        security(.x509(identity, algorithm: algorithm))
    }

    /// Adds a user's name and password, and a timestamp.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - password: The password.
    ///   - form: The form of the password in the message; a digest by default.
    /// - Returns: A signer for every message.
    public static func usernameToken(user: String, password: Secret, form: UsernameToken.Form = .digest) -> Self {
        security(.usernameToken(user: user, password: password, form: form))
    }
}
