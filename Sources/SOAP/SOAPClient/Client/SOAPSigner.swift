// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import WSSecurity

/// Adds security to the messages of a client: a signature, a user's name and password, encryption.
///
/// The client calls it last, and sends exactly the bytes that it returns.
public struct SOAPSigner: Sendable {
    private let transform: @Sendable ([UInt8]) async throws -> [UInt8]

    /// Creates a signer from a function.
    ///
    /// - Parameter transform: Takes the whole envelope in UTF-8, and returns the one that is sent. The call throws what it throws.
    public init(_ transform: @escaping @Sendable ([UInt8]) async throws -> [UInt8]) { self.transform = transform }

    func protect(_ envelope: [UInt8]) async throws -> [UInt8] { try await transform(envelope) }
}

extension SOAPSigner {
    /// Adds what WS-Security is configured to add: a time, a user, a signature, encryption.
    ///
    /// A call throws `WSSecurityError` where a message cannot be secured.
    public static func security(_ security: MessageSecurity) -> Self {
        Self { try await security.secure($0) }
    }

    /// Signs the Body and the time with an identity, whose certificate is sent with the message.
    ///
    /// - Parameters:
    ///   - identity: The certificates and the key.
    ///   - algorithm: The algorithm; `nil`, the default, for SHA-256 or, with the curves P-384 and P-521, SHA-384 or SHA-512. A call throws
    ///     where it does not fit the key.
    /// - Returns: A signer for every message.
    public static func x509(_ identity: Identity, algorithm: SignatureAlgorithm? = nil) -> Self {
        security(.x509(identity, algorithm: algorithm))
    }

    /// Adds a user's name and password, with the time.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - password: The password.
    ///   - form: Whether the password itself is sent or, by default, a digest of it.
    /// - Returns: A signer for every message.
    public static func usernameToken(user: String, password: Secret, form: UsernameToken.Form = .digest) -> Self {
        security(.usernameToken(user: user, password: password, form: form))
    }
}
