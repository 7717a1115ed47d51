// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// Answers one origin's challenges, or one proxy's, with one user and password.
///
/// It is bound to that origin, because a handler is asked about every server that a redirect leads to.
public struct PasswordHandler: ChallengeHandler {
    private let credential: Credential
    private let binding: HandlerBinding

    /// Binds a password to an origin or a proxy.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - host: The host whose challenges are answered, as in a URL.
    ///   - port: Its port; `nil` for 443, without TLS 80, and for any port of a proxy.
    ///   - allowsPlainHTTP: Whether an origin is answered that is reached without TLS, where others can read along.
    ///   - role: Whether that host is an origin or a proxy.
    ///   - persistence: How long the session remembers the answer.
    public init(
        user: String, password: Secret, host: String, port: Int? = nil, allowsPlainHTTP: Bool = false,
        role: ProtectionSpace.Role = .origin, persistence: Credential.Persistence = .session
    ) {
        credential = .password(user: user, password: password, persistence: persistence)
        binding = HandlerBinding(host: host, port: port, allowsPlainHTTP: allowsPlainHTTP, role: role)
    }

    /// Gives the password once; a server that rejects it will reject it again.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        guard binding.covers(challenge.space), !challenge.hasRejected(credential) else { return .performDefault }
        return .use(credential)
    }
}

extension ChallengeHandler where Self == PasswordHandler {
    /// Answers one origin's challenges, or one proxy's, with one user and password.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - host: The host whose challenges are answered, as in a URL.
    ///   - port: Its port; `nil` for 443, without TLS 80, and for any port of a proxy.
    ///   - allowsPlainHTTP: Whether an origin is answered that is reached without TLS, where others can read along.
    ///   - role: Whether that host is an origin or a proxy.
    ///   - persistence: How long the session remembers the answer.
    /// - Returns: The handler.
    public static func password(
        user: String, password: Secret, host: String, port: Int? = nil, allowsPlainHTTP: Bool = false,
        role: ProtectionSpace.Role = .origin, persistence: Credential.Persistence = .session
    ) -> Self {
        PasswordHandler(
            user: user, password: password, host: host, port: port, allowsPlainHTTP: allowsPlainHTTP, role: role,
            persistence: persistence)
    }
}
