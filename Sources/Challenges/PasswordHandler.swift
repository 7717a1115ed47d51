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
    private let port: Int?
    private let scheme: String?
    private let role: ProtectionSpace.Role

    /// Binds a password to a host.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - host: The host whose challenges are answered, as in a URL.
    ///   - port: The only port of it to answer, 1 to 65,535; `nil` for any, also where a redirect changes it.
    ///   - scheme: `https` or `http`, the only one to answer; `nil` for both, also where a redirect leaves TLS behind.
    ///   - role: Whether that host is an origin or a proxy.
    ///   - persistence: How long the session remembers the answer.
    public init(
        user: String, password: Secret, host: String, port: Int? = nil, scheme: String? = nil,
        role: ProtectionSpace.Role = .origin, persistence: Credential.Persistence = .session
    ) {
        credential = .password(user: user, password: password, persistence: persistence)
        self.host = host.lowercased()
        self.port = port
        self.scheme = scheme?.lowercased()
        self.role = role
    }

    /// Gives the password once; a server that rejects it will reject it again.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        let space = challenge.space
        guard space.host.description == host, space.port == port ?? space.port, space.scheme == scheme ?? space.scheme,
            space.role == role, challenge.failureCount == 0
        else { return .performDefault }
        return .use(credential)
    }
}

extension ChallengeHandler where Self == PasswordHandler {
    /// Answers one host's challenges with one user and password.
    public static func password(
        user: String, password: Secret, host: String, port: Int? = nil, scheme: String? = nil,
        role: ProtectionSpace.Role = .origin, persistence: Credential.Persistence = .session
    ) -> Self {
        PasswordHandler(
            user: user, password: password, host: host, port: port, scheme: scheme, role: role, persistence: persistence
        )
    }
}
