// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
public import Secrets

/// A handler for one origin's Bearer challenges, with tokens from a closure, which is called again once if the server
/// rejects a token as invalid.
public struct BearerHandler: ChallengeHandler {
    /// A server's request for a token.
    public struct Demand: Sendable {
        /// The realm: the server's name for the resources; `nil` if the server names none.
        public let realm: String?
        /// The scopes that the token must have; empty if the server names none.
        public let scopes: [String]
        /// The token that the server rejected as invalid, and that the closure replaces; `nil` the first time.
        public let invalidToken: Secret?
    }

    /// The origin; `nil` for no server.
    private let origin: (host: HostName, port: Int, isEncrypted: Bool)?
    private let provider: @Sendable (Demand) async throws -> Secret?

    /// Binds tokens to an origin.
    ///
    /// - Parameters:
    ///   - host: The host of the origin, as in a URL, or the host and the port as `host:port`; case is ignored. No
    ///     server matches any other text.
    ///   - port: The port of the origin, 1 to 65,535; `nil` for the port in `host`, or else for 443, even for `http`.
    ///   - scheme: `https`, or `http`, which makes the token readable on the network path (RFC 6750 section 5.3).
    ///   - provider: Returns a new or refreshed token; `nil` if there is none. If it throws an error, the request fails
    ///     with it.
    public init(
        host: String, port: Int? = nil, scheme: String = "https",
        provider: @escaping @Sendable (Demand) async throws -> Secret?
    ) {
        let server = HostName.withPort(host)
        let isEncrypted = ["https": true, "http": false][scheme.lowercased()]
        origin = server.flatMap { server in
            isEncrypted.map { (host: server.host, port: port ?? server.port ?? 443, isEncrypted: $0) }
        }
        self.provider = provider
    }

    /// Answers with a token, and with another one if the server rejects the first as invalid (`invalid_token`).
    ///
    /// There is no third attempt.
    ///
    /// - Throws: The error of the closure.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        let space = challenge.space
        guard let origin,
            space.mayHaveCredentials(ofHost: origin.host, port: origin.port, isEncrypted: origin.isEncrypted),
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
    /// Returns a handler for one origin's Bearer challenges, with tokens from a closure, which is called again once if
    /// the server rejects a token as invalid.
    ///
    /// - Parameters:
    ///   - host: The host of the origin, as in a URL, or the host and the port as `host:port`; case is ignored. No
    ///     server matches any other text.
    ///   - port: The port of the origin, 1 to 65,535; `nil` for the port in `host`, or else for 443, even for `http`.
    ///   - scheme: `https`, or `http`, which makes the token readable on the network path (RFC 6750 section 5.3).
    ///   - provider: Returns a new or refreshed token; `nil` if there is none. If it throws an error, the request fails
    ///     with it.
    /// - Returns: The handler.
    public static func bearer(
        host: String, port: Int? = nil, scheme: String = "https",
        provider: @escaping @Sendable (BearerHandler.Demand) async throws -> Secret?
    ) -> Self {
        BearerHandler(host: host, port: port, scheme: scheme, provider: provider)
    }
}
