// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Identities
public import Secrets

/// A credential for the answer to a challenge, and how long it is remembered.
public struct Credential: Hashable, Sendable {
    /// The kind of the credential, and its contents.
    public indirect enum Kind: Hashable, Sendable {
        /// A user and a password.
        case password(user: String, password: Secret)
        /// The user who runs the program, by the system's credentials: the tickets of Kerberos.
        case currentUser
        /// A bearer token.
        case token(Secret)
        /// A client's certificate with its private key.
        case identity(Identity)
        /// Acceptance of a chain that evaluation did not trust.
        case serverTrust(PresentedChain)
    }

    /// How long a credential is remembered.
    public enum Persistence: Hashable, Sendable {
        /// The credential is used for one request only; the next request is challenged again.
        case none
        /// The credential is used for as long as the session lives.
        case session
        /// The credential is used for as long as the session lives. A password or a token is also kept in the session's
        /// ``CredentialStore``, from when a server accepts it until a server rejects it.
        case permanent
    }

    /// The kind of the credential, and its contents.
    public let kind: Kind
    /// How long the session remembers the credential.
    public let persistence: Persistence

    /// Makes a credential, which by default is remembered for as long as the session lives.
    public init(_ kind: Kind, persistence: Persistence = .session) {
        self.kind = kind
        self.persistence = persistence
    }

    /// Makes a credential of a user and a password.
    public static func password(user: String, password: Secret, persistence: Persistence = .session) -> Self {
        Self(.password(user: user, password: password), persistence: persistence)
    }

    /// Makes a credential of the user who runs the program, by the system's credentials: the tickets of Kerberos.
    public static func currentUser(persistence: Persistence = .session) -> Self {
        Self(.currentUser, persistence: persistence)
    }

    /// Makes a credential of a bearer token.
    public static func token(_ token: Secret, persistence: Persistence = .session) -> Self {
        Self(.token(token), persistence: persistence)
    }

    /// Makes a credential of a client's certificate with its private key.
    public static func identity(_ identity: Identity, persistence: Persistence = .session) -> Self {
        Self(.identity(identity), persistence: persistence)
    }

    /// Makes a credential that accepts a chain which evaluation did not trust.
    public static func serverTrust(_ chain: PresentedChain, persistence: Persistence = .session) -> Self {
        Self(.serverTrust(chain), persistence: persistence)
    }
}

extension Credential.Kind {
    /// Compares users by their bytes.
    ///
    /// A `String` would treat canonically equivalent users as equal, although a server may not.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.password(let user, let password), .password(let otherUser, let otherPassword)):
            user.utf8.elementsEqual(otherUser.utf8) && password == otherPassword
        case (.token(let token), .token(let other)): token == other
        case (.identity(let identity), .identity(let other)): identity == other
        case (.serverTrust(let chain), .serverTrust(let other)): chain == other
        case (.currentUser, .currentUser): true
        default: false
        }
    }
}

/// Keeps credentials for longer than a session lives, each under the protection space that accepted it.
///
/// The session saves a password or a token when a server has accepted it, and removes it when a server rejects it. A credential that is
/// read counts as ``Credential/Persistence/permanent``, whatever its own persistence. An implementation must not keep the credentials in
/// readable form.
public protocol CredentialStore: Sendable {
    /// Returns the credential that is kept for a space.
    ///
    /// - Parameter space: The protection space. All its properties count: a credential of one realm is not valid in another.
    /// - Returns: The credential; `nil` where none is kept.
    /// - Throws: An error where the store cannot be read. The session reports the error as an event, and asks its handler.
    func read(for space: ProtectionSpace) async throws -> Credential?

    /// Keeps a credential, which replaces the one kept for the space before.
    ///
    /// - Parameters:
    ///   - credential: The credential that the server accepted.
    ///   - space: The protection space that the credential is valid for.
    /// - Throws: An error where the credential cannot be kept. The session reports the error as an event.
    func save(_ credential: Credential, for space: ProtectionSpace) async throws

    /// Removes the credential that is kept for a space, if there is one.
    ///
    /// - Parameter space: The protection space that rejected the credential.
    /// - Throws: An error where the credential cannot be removed. The session reports the error as an event.
    func remove(for space: ProtectionSpace) async throws
}
