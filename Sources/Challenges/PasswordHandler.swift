// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
public import Secrets

/// Answers one host's challenges with one user and password.
///
/// It is bound to its host, because a handler is asked about every server that a redirect leads to.
public struct PasswordHandler: ChallengeHandler {
    private let credential: Credential
    private let host: String
    private let role: ProtectionSpace.Role

    /// Binds a password to a host.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - host: The host whose challenges are answered, as in a URL.
    ///   - role: Whether that host is an origin or a proxy.
    ///   - persistence: How long the session remembers the answer.
    public init(
        user: String, password: Secret, host: String, role: ProtectionSpace.Role = .origin,
        persistence: Credential.Persistence = .session
    ) {
        credential = .password(user: user, password: password, persistence: persistence)
        self.host = host.lowercased()
        self.role = role
    }

    /// Gives the password once; a server that rejects it will reject it again.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        guard challenge.space.host.description == host, challenge.space.role == role, challenge.failureCount == 0
        else { return .performDefault }
        return .use(credential)
    }
}

extension ChallengeHandler where Self == PasswordHandler {
    /// Answers one host's challenges with one user and password.
    public static func password(
        user: String, password: Secret, host: String, role: ProtectionSpace.Role = .origin,
        persistence: Credential.Persistence = .session
    ) -> Self {
        PasswordHandler(user: user, password: password, host: host, role: role, persistence: persistence)
    }
}
