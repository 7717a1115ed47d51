// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
public import Secrets

/// Answers one origin's Bearer challenges with tokens of a closure, which is asked once more for a token that has expired.
public struct BearerHandler: ChallengeHandler {
    /// A server's demand for a token.
    public struct Demand: Sendable {
        /// The realm: the server's name for the resources.
        public let realm: String?
        /// The scopes that the token must have.
        public let scopes: [String]
        /// The token that the server called invalid, and that is to be replaced; `nil` the first time.
        public let invalidToken: Secret?
    }

    private let origin: (scheme: String, host: String, port: Int)
    private let provider: @Sendable (Demand) async throws -> Secret?

    /// Binds tokens to an origin.
    ///
    /// - Parameters:
    ///   - host: The host whose challenges are answered, as in a URL.
    ///   - port: Its port, 443 unless said otherwise.
    ///   - scheme: `https`; with `http` the token can be read on the way (RFC 6750 section 5.3).
    ///   - provider: Makes or refreshes a token; `nil` where there is none.
    public init(
        host: String, port: Int = 443, scheme: String = "https",
        provider: @escaping @Sendable (Demand) async throws -> Secret?
    ) {
        origin = (scheme.lowercased(), host.lowercased(), port)
        self.provider = provider
    }

    /// Gives a token, and another where the first is called invalid; a third is not tried.
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
    /// Answers one origin's Bearer challenges with tokens of a closure, which is asked once more for a token that has expired.
    ///
    /// - Parameters:
    ///   - host: The host whose challenges are answered, as in a URL.
    ///   - port: Its port, 443 unless said otherwise.
    ///   - scheme: `https`; with `http` the token can be read on the way (RFC 6750 section 5.3).
    ///   - provider: Makes or refreshes a token; `nil` where there is none.
    /// - Returns: The handler.
    public static func bearer(
        host: String, port: Int = 443, scheme: String = "https",
        provider: @escaping @Sendable (BearerHandler.Demand) async throws -> Secret?
    ) -> Self {
        BearerHandler(host: host, port: port, scheme: scheme, provider: provider)
    }
}
