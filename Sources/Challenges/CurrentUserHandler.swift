// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// Answers one host's challenges in the name of whoever runs the program, by what the system has of them.
///
/// It is bound to its host, because a handler is asked about every server that a redirect leads to.
public struct CurrentUserHandler: ChallengeHandler {
    private let host: String
    private let role: ProtectionSpace.Role
    private let persistence: Credential.Persistence

    /// Binds the current user to a host.
    ///
    /// - Parameters:
    ///   - host: The host whose challenges are answered, as in a URL.
    ///   - role: Whether that host is an origin or a proxy.
    ///   - persistence: How long the session remembers the answer.
    public init(
        host: String, role: ProtectionSpace.Role = .origin, persistence: Credential.Persistence = .session
    ) {
        self.host = host.lowercased()
        self.role = role
        self.persistence = persistence
    }

    /// Answers once; a server that rejects the user will do so again.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        guard challenge.space.host.description == host, challenge.space.role == role, challenge.failureCount == 0
        else { return .performDefault }
        return .use(.currentUser(persistence: persistence))
    }
}

extension ChallengeHandler where Self == CurrentUserHandler {
    /// Answers one host's challenges in the name of whoever runs the program, by what the system has of them.
    public static func currentUser(
        host: String, role: ProtectionSpace.Role = .origin, persistence: Credential.Persistence = .session
    ) -> Self {
        CurrentUserHandler(host: host, role: role, persistence: persistence)
    }
}
