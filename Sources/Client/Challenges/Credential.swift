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
