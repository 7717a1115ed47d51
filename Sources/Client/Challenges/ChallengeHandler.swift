// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// A handler's decision about a challenge.
@nonexhaustive
public enum Disposition: Sendable {
    /// The session answers with this credential.
    case use(Credential)
    /// The session asks the next handler of the method; without one, it acts as if it had no handler: it rejects an
    /// untrusted server, presents no certificate, and tries the next method that the server offers, but after a
    /// rejection no weaker one.
    case performDefault
    /// The session tries the next method that the server offered.
    case rejectProtectionSpace
    /// The session ends the request with an error.
    case cancel
}

/// A handler of the challenges of the methods for which it is registered.
public protocol ChallengeHandler: Sendable {
    /// Decides on a challenge.
    ///
    /// The handler may take as long as a user needs; the session's timeouts do not count that time,
    /// except the total timeout.
    ///
    /// - Parameter challenge: The challenge, with a method for which the handler is registered.
    /// - Returns: The decision.
    /// - Throws: An error that ends the request, and that the session throws to its caller.
    func answer(_ challenge: Challenge) async throws -> Disposition
}

/// The challenge handlers of a session, by method.
///
/// A method may have several handlers, for example one for an origin and one for a proxy. They are asked in order until
/// one of them does not perform the default.
public struct ChallengeHandlers: Sendable, ExpressibleByDictionaryLiteral {
    private var handlers: [AuthenticationMethod: any ChallengeHandler] = [:]

    /// Registers handlers by method; a method may occur several times.
    public init(dictionaryLiteral elements: (AuthenticationMethod, any ChallengeHandler)...) {
        for (method, handler) in elements { append(handler, for: method) }
    }

    /// Adds a handler, which is asked after the handlers that its method already has.
    ///
    /// - Parameters:
    ///   - handler: The handler.
    ///   - method: The method whose challenges the handler answers.
    public mutating func append(_ handler: any ChallengeHandler, for method: AuthenticationMethod) {
        if let first = handlers[method] {
            handlers[method] = HandlerPair(first: first, second: handler)
        } else {
            handlers[method] = handler
        }
    }

    /// The handler of a method, which asks all of them in order if there are several; `nil` if the session performs the
    /// default.
    ///
    /// A new value replaces all handlers of the method.
    public subscript(method: AuthenticationMethod) -> (any ChallengeHandler)? {
        get { handlers[method] }
        set { handlers[method] = newValue }
    }
}

/// Two handlers of one method, the second of which is asked if the first performs the default.
private struct HandlerPair: ChallengeHandler {
    let first: any ChallengeHandler
    let second: any ChallengeHandler

    func answer(_ challenge: Challenge) async throws -> Disposition {
        let disposition = try await first.answer(challenge)
        guard case .performDefault = disposition else { return disposition }
        return try await second.answer(challenge)
    }
}

/// A handler that answers challenges with a closure.
public struct ClosureHandler: ChallengeHandler {
    private let body: @Sendable (Challenge) async throws -> Disposition

    /// Makes a handler from a closure, which may take as long as a user needs.
    ///
    /// If the closure throws an error, the request fails with it.
    public init(_ body: @escaping @Sendable (Challenge) async throws -> Disposition) {
        self.body = body
    }

    /// Returns the decision of the closure.
    ///
    /// - Throws: The error of the closure.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        try await body(challenge)
    }
}

extension ChallengeHandler where Self == ClosureHandler {
    /// Returns a handler that answers challenges with a closure, which may take as long as a user needs.
    public static func closure(_ body: @escaping @Sendable (Challenge) async throws -> Disposition) -> Self {
        ClosureHandler(body)
    }
}

/// The server to which a handler is bound: after a redirect, a session passes challenges of any server to its handlers.
struct HandlerBinding: Hashable {
    /// The host; `nil` if the caller's text names none, so that no server matches.
    let host: HostName?
    /// The port; `nil` for the default port of the scheme, and for a proxy, which the user has configured, any port.
    let port: Int?
    let allowsPlainHTTP: Bool
    let role: ProtectionSpace.Role

    init(host: String, port: Int?, allowsPlainHTTP: Bool, role: ProtectionSpace.Role) {
        let server = HostName.withPort(host)
        self.host = server?.host
        self.port = port ?? server?.port
        self.allowsPlainHTTP = allowsPlainHTTP
        self.role = role
    }

    func covers(_ space: ProtectionSpace) -> Bool {
        guard space.role == role, space.host == host else { return false }
        guard role == .origin else { return port == nil || port == space.port }
        return space.mayHaveCredentials(ofHost: host, port: port ?? 443, isEncrypted: true)
            || allowsPlainHTTP && space.mayHaveCredentials(ofHost: host, port: port ?? 80, isEncrypted: false)
    }
}
