// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Identities
public import Secrets

/// A credential for the answer to a challenge, with its persistence.
public struct Credential: Hashable, Sendable {
    /// The kind of the credential, and its contents.
    public indirect enum Kind: Hashable, Sendable {
        /// A user and a password.
        case password(user: String, password: Secret)
        /// The user who runs the program, authenticated by the system's credentials: Kerberos tickets.
        case currentUser
        /// A bearer token.
        case token(Secret)
        /// A client certificate with its private key.
        case identity(Identity)
        /// A client certificate with a private key of another type, such as RSASSA-PSS, Ed448 or a curve of RFC 5639.
        case encodedIdentity(EncodedIdentity)
        /// The acceptance of a chain that evaluation did not trust.
        case serverTrust(PresentedChain)
    }

    /// The persistence of a credential.
    public enum Persistence: Hashable, Sendable {
        /// The credential is used for one request only; the next request is challenged again.
        case none
        /// The credential is used until the session ends.
        case session
        /// The credential is used until the session ends, and a password or token is also stored in the session's
        /// ``CredentialStore``, from its acceptance by a server until a rejection.
        case permanent
    }

    /// The condition under which a credential is sent before a challenge: a password by Basic (RFC 7617 section 2.2), a
    /// token by Bearer (RFC 6750 section 2.1), and the current user's tickets by Negotiate.
    @nonexhaustive
    public enum Sending: Hashable, Sendable {
        /// The credential waits for a challenge.
        case whenAsked
        /// The credential is sent with the first request if TLS encrypts it, or if it does not leave this machine; other
        /// requests wait for a challenge.
        case immediately
        /// The credential is sent with the first request, also where every observer on the network path can read it.
        case immediatelyWithoutTLS
    }

    /// The kind of the credential, and its contents.
    public let kind: Kind
    /// The persistence of the credential in the session.
    public let persistence: Persistence
    /// The condition under which the credential is sent before a challenge; by default never.
    public private(set) var sending = Sending.whenAsked

    /// Makes a credential, which by default is used until the session ends.
    public init(_ kind: Kind, persistence: Persistence = .session) {
        self.kind = kind
        self.persistence = persistence
    }

    /// Returns the credential with a condition under which it is sent before a challenge.
    ///
    /// The condition applies to the credential of a request, of a proxy, and of a session's configuration. A handler
    /// is called after a challenge, so the condition of its credential has no effect.
    ///
    /// - Parameter sending: The condition.
    /// - Returns: The credential.
    public func sending(_ sending: Sending) -> Credential {
        var credential = self
        credential.sending = sending
        return credential
    }

    /// Makes a credential from a user and a password.
    public static func password(user: String, password: Secret, persistence: Persistence = .session) -> Self {
        Self(.password(user: user, password: password), persistence: persistence)
    }

    /// Makes a credential for the user who runs the program,
    /// authenticated by the system's credentials: Kerberos tickets.
    public static func currentUser(persistence: Persistence = .session) -> Self {
        Self(.currentUser, persistence: persistence)
    }

    /// Makes a credential from a bearer token.
    public static func token(_ token: Secret, persistence: Persistence = .session) -> Self {
        Self(.token(token), persistence: persistence)
    }

    /// Makes a credential from a client certificate with its private key.
    public static func identity(_ identity: Identity, persistence: Persistence = .session) -> Self {
        Self(.identity(identity), persistence: persistence)
    }

    /// Makes a credential from a client certificate with a private key of another type.
    public static func identity(_ identity: EncodedIdentity, persistence: Persistence = .session) -> Self {
        Self(.encodedIdentity(identity), persistence: persistence)
    }

    /// Makes a credential that accepts a chain that evaluation did not trust.
    public static func serverTrust(_ chain: PresentedChain, persistence: Persistence = .session) -> Self {
        Self(.serverTrust(chain), persistence: persistence)
    }
}

extension Credential.Kind {
    /// Compares credentials, with users compared by their bytes.
    ///
    /// A comparison as `String` would treat canonically equivalent users as equal, although a server may not.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.password(let user, let password), .password(let otherUser, let otherPassword)):
            user.utf8.elementsEqual(otherUser.utf8) && password == otherPassword
        case (.token(let token), .token(let other)): token == other
        case (.identity(let identity), .identity(let other)): identity == other
        case (.encodedIdentity(let identity), .encodedIdentity(let other)): identity == other
        case (.serverTrust(let chain), .serverTrust(let other)): chain == other
        case (.currentUser, .currentUser): true
        default: false
        }
    }
}

/// A store that retains credentials beyond the lifetime of a session, each under the protection space that accepted it.
///
/// The session saves a password or a token when a server has accepted it, and removes it when a server rejects it. A
/// credential from the store counts as ``Credential/Persistence/permanent``, regardless of its own persistence. An
/// implementation must not store credentials in readable form.
public protocol CredentialStore: Sendable {
    /// Returns the credential that is stored for a space.
    ///
    /// - Parameter space: The protection space. All its properties count:
    ///   a credential of one realm is not valid in another.
    /// - Returns: The credential; `nil` if none is stored.
    /// - Throws: An error if the store cannot be read. The session reports the error as an event,
    ///   and calls its handler.
    func read(for space: ProtectionSpace) async throws -> Credential?

    /// Stores a credential, which replaces the previous one of the space.
    ///
    /// - Parameters:
    ///   - credential: The credential that the server accepted.
    ///   - space: The protection space for which the credential is valid.
    /// - Throws: An error if the credential cannot be stored. The session reports the error as an event.
    func save(_ credential: Credential, for space: ProtectionSpace) async throws

    /// Removes the credential that is stored for a space, if there is one.
    ///
    /// - Parameter space: The protection space that rejected the credential.
    /// - Throws: An error if the credential cannot be removed. The session reports the error as an event.
    func remove(for space: ProtectionSpace) async throws
}
