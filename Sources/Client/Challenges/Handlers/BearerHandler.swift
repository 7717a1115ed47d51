// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
public import Secrets

/// Answers one origin's Bearer challenges with tokens of a closure, which is called once more if the server calls a token invalid.
public struct BearerHandler: ChallengeHandler {
    /// A server's demand for a token.
    public struct Demand: Sendable {
        /// The realm: the server's name for the resources; `nil` where the server names none.
        public let realm: String?
        /// The scopes that the token must have; empty where the server names none.
        public let scopes: [String]
        /// The token that the server called invalid, and that the closure replaces; `nil` the first time.
        public let invalidToken: Secret?
    }

    private let origin: (scheme: String, host: String, port: Int)
    private let provider: @Sendable (Demand) async throws -> Secret?

    /// Binds tokens to an origin.
    ///
    /// - Parameters:
    ///   - host: The host whose challenges are answered, as in a URL; upper and lower case are the same.
    ///   - port: The port of the origin, 1 to 65,535; 443 by default, also for `http`.
    ///   - scheme: `https`, or `http`, with which everyone on the way can read the token (RFC 6750 section 5.3).
    ///   - provider: Returns a token, new or refreshed; `nil` where there is none. The request fails with what the closure throws.
    public init(
        host: String, port: Int = 443, scheme: String = "https",
        provider: @escaping @Sendable (Demand) async throws -> Secret?
    ) {
        origin = (scheme.lowercased(), host.lowercased(), port)
        self.provider = provider
    }

    /// Answers with a token, and with another one if the server calls the first invalid (`invalid_token`).
    ///
    /// A third is not tried.
    ///
    /// - Throws: What the closure throws.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        let space = challenge.space
        guard space.role == .origin, (space.scheme, space.host.description, space.port) == origin,
            case .http(let statement) = challenge.statement
        else { return .performDefault }
        var invalid: Secret?
        if challenge.failureCount > 0 {
            guard challenge.failureCount == 1, statement.bearerError == "invalid_token",
                case .token(let token) = challenge.proposedCredential?.kind
            else { return .performDefault }
            invalid = token
        }
        let demand = Demand(realm: statement.realm, scopes: statement.scopes, invalidToken: invalid)
        guard let token = try await provider(demand) else { return .performDefault }
        return .use(.token(token))
    }
}

extension ChallengeHandler where Self == BearerHandler {
    /// Answers one origin's Bearer challenges with tokens of a closure, which is called once more if the server calls a token invalid.
    ///
    /// - Parameters:
    ///   - host: The host whose challenges are answered, as in a URL; upper and lower case are the same.
    ///   - port: The port of the origin, 1 to 65,535; 443 by default, also for `http`.
    ///   - scheme: `https`, or `http`, with which everyone on the way can read the token (RFC 6750 section 5.3).
    ///   - provider: Returns a token, new or refreshed; `nil` where there is none. The request fails with what the closure throws.
    /// - Returns: The handler.
    public static func bearer(
        host: String, port: Int = 443, scheme: String = "https",
        provider: @escaping @Sendable (BearerHandler.Demand) async throws -> Secret?
    ) -> Self {
        BearerHandler(host: host, port: port, scheme: scheme, provider: provider)
    }
}
