// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// A handler's decision about a challenge.
public enum Disposition: Sendable {
    /// The session answers with this credential.
    case use(Credential)
    /// The session does what it does without a handler: it refuses a server that is not trusted, presents no certificate, and delivers a
    /// 401.
    case performDefault
    /// The session tries the next method that the server offered.
    case rejectProtectionSpace
    /// The session ends the request with an error.
    case cancel
}

/// Answers challenges of the methods that it is registered for.
public protocol ChallengeHandler: Sendable {
    /// Decides on a challenge.
    ///
    /// The handler may take as long as a person needs; the session's timeouts do not count that time, apart from the total timeout.
    ///
    /// - Parameter challenge: The challenge, of a method that the handler is registered for.
    /// - Returns: The decision.
    /// - Throws: An error that ends the request, and that the caller of the session receives.
    func answer(_ challenge: Challenge) async throws -> Disposition
}

/// The handlers of a session, each for the challenges of one method.
public struct ChallengeHandlers: Sendable, ExpressibleByDictionaryLiteral {
    private var handlers: [AuthenticationMethod: any ChallengeHandler]

    /// Registers handlers by method.
    ///
    /// If a method occurs twice, its last handler is used.
    public init(dictionaryLiteral elements: (AuthenticationMethod, any ChallengeHandler)...) {
        handlers = Dictionary(elements) { _, last in last }
    }

    /// The handler of a method; `nil` where the session performs the default.
    public subscript(method: AuthenticationMethod) -> (any ChallengeHandler)? {
        get { handlers[method] }
        set { handlers[method] = newValue }
    }
}

/// Answers challenges with a closure.
public struct ClosureHandler: ChallengeHandler {
    private let body: @Sendable (Challenge) async throws -> Disposition

    /// Makes a handler from a closure, which may take as long as a person needs.
    ///
    /// The request fails with what the closure throws.
    public init(_ body: @escaping @Sendable (Challenge) async throws -> Disposition) {
        self.body = body
    }

    /// Returns the decision of the closure.
    ///
    /// - Throws: What the closure throws.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        try await body(challenge)
    }
}

extension ChallengeHandler where Self == ClosureHandler {
    /// Answers challenges with a closure, which may take as long as a person needs.
    public static func closure(_ body: @escaping @Sendable (Challenge) async throws -> Disposition) -> Self {
        ClosureHandler(body)
    }
}

/// Whose challenges a handler answers: a redirect may lead anywhere, and a handler is asked about every server there.
struct HandlerBinding: Hashable {
    let host: String
    /// `nil` for the scheme's own; a proxy, which was named and not found, may have any.
    let port: Int?
    let allowsPlainHTTP: Bool
    let role: ProtectionSpace.Role

    func covers(_ space: ProtectionSpace) -> Bool {
        guard space.role == role, space.host.description == host.lowercased() else { return false }
        guard role == .origin else { return port == nil || port == space.port }
        return space.port == port ?? (space.isEncrypted ? 443 : 80) && (space.isEncrypted || allowsPlainHTTP)
    }
}
