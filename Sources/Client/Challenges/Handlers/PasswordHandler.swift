// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// A handler that answers the challenges of one origin or one proxy with one user and password.
///
/// The handler is bound to one host, because a session passes the challenges of every server, also after redirects, to
/// its handlers.
public struct PasswordHandler: ChallengeHandler {
    private let credential: Credential
    private let binding: HandlerBinding

    /// Binds a password to an origin or a proxy.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - host: The host of the origin or proxy, as in a URL, or the host and the port as `host:port`; case is
    ///     ignored. No server matches any other text.
    ///   - port: The port of the host, 1 to 65,535; `nil` for the port in `host`, or else for 443 with TLS, for 80
    ///     without, and for any port of a proxy.
    ///   - allowsPlainHTTP: Whether an origin is also answered without TLS, which makes the answer readable on the
    ///     network path.
    ///   - role: Whether the host is an origin or a proxy.
    ///   - persistence: The persistence of the credential in the session.
    public init(
        user: String, password: Secret, host: String, port: Int? = nil, allowsPlainHTTP: Bool = false,
        role: ProtectionSpace.Role = .origin, persistence: Credential.Persistence = .session
    ) {
        credential = .password(user: user, password: password, persistence: persistence)
        binding = HandlerBinding(host: host, port: port, allowsPlainHTTP: allowsPlainHTTP, role: role)
    }

    /// Answers with the password, unless the challenge comes from another host or port,
    /// or the server has rejected the password.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        guard binding.covers(challenge.space), !challenge.hasRejected(credential) else { return .performDefault }
        return .use(credential)
    }
}

extension ChallengeHandler where Self == PasswordHandler {
    /// Returns a handler that answers the challenges of one origin or one proxy with one user and password.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - host: The host of the origin or proxy, as in a URL, or the host and the port as `host:port`; case is
    ///     ignored. No server matches any other text.
    ///   - port: The port of the host, 1 to 65,535; `nil` for the port in `host`, or else for 443 with TLS, for 80
    ///     without, and for any port of a proxy.
    ///   - allowsPlainHTTP: Whether an origin is also answered without TLS, which makes the answer readable on the
    ///     network path.
    ///   - role: Whether the host is an origin or a proxy.
    ///   - persistence: The persistence of the credential in the session.
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

/// A handler that answers the challenges of one origin or one proxy as the user who runs the program,
/// with the system's credentials.
///
/// The handler is bound to one host, because a session passes the challenges of every server, also after redirects, to
/// its handlers.
public struct CurrentUserHandler: ChallengeHandler {
    private let credential: Credential
    private let binding: HandlerBinding

    /// Binds the current user to an origin or a proxy.
    ///
    /// - Parameters:
    ///   - host: The host of the origin or proxy, as in a URL, or the host and the port as `host:port`; case is
    ///     ignored. No server matches any other text.
    ///   - port: The port of the host, 1 to 65,535; `nil` for the port in `host`, or else for 443 with TLS, for 80
    ///     without, and for any port of a proxy.
    ///   - allowsPlainHTTP: Whether an origin is also answered without TLS,
    ///     so that the answer is not bound to the connection.
    ///   - role: Whether the host is an origin or a proxy.
    ///   - persistence: The persistence of the credential in the session.
    public init(
        host: String, port: Int? = nil, allowsPlainHTTP: Bool = false, role: ProtectionSpace.Role = .origin,
        persistence: Credential.Persistence = .session
    ) {
        credential = .currentUser(persistence: persistence)
        binding = HandlerBinding(host: host, port: port, allowsPlainHTTP: allowsPlainHTTP, role: role)
    }

    /// Answers with the current user, unless the challenge comes from another host or port, or the server has rejected
    /// the user.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        guard binding.covers(challenge.space), !challenge.hasRejected(credential) else { return .performDefault }
        return .use(credential)
    }
}

extension ChallengeHandler where Self == CurrentUserHandler {
    /// Returns a handler that answers the challenges of one origin or one proxy as the user who runs the program, with
    /// the system's credentials.
    ///
    /// - Parameters:
    ///   - host: The host of the origin or proxy, as in a URL, or the host and the port as `host:port`; case is
    ///     ignored. No server matches any other text.
    ///   - port: The port of the host, 1 to 65,535; `nil` for the port in `host`, or else for 443 with TLS, for 80
    ///     without, and for any port of a proxy.
    ///   - allowsPlainHTTP: Whether an origin is also answered without TLS,
    ///     so that the answer is not bound to the connection.
    ///   - role: Whether the host is an origin or a proxy.
    ///   - persistence: The persistence of the credential in the session.
    /// - Returns: The handler.
    public static func currentUser(
        host: String, port: Int? = nil, allowsPlainHTTP: Bool = false, role: ProtectionSpace.Role = .origin,
        persistence: Credential.Persistence = .session
    ) -> Self {
        CurrentUserHandler(
            host: host, port: port, allowsPlainHTTP: allowsPlainHTTP, role: role, persistence: persistence)
    }
}
