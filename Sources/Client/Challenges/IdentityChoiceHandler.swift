// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Presents an identity to each host that requests one: the one of several that fits the request.
public struct IdentityChoiceHandler: ChallengeHandler {
    private let choice: IdentityChoice
    private let now: @Sendable () -> Date

    /// Chooses from several identities.
    ///
    /// An identity without a host is presented to every server that names its issuer, and to every server that names no issuers. Bind it to
    /// a host where the certificate reveals more than other servers should know.
    ///
    /// - Parameters:
    ///   - candidates: The identities to choose from, the preferred one first.
    ///   - now: Returns the time at which a certificate has to be valid; the present by default.
    public init(_ candidates: [IdentityChoice.Candidate], now: @escaping @Sendable () -> Date = { Date() }) {
        choice = IdentityChoice(candidates)
        self.now = now
    }

    /// Answers with the chosen identity, and presents no certificate where none fits.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        guard case .clientCertificateRequest(let request) = challenge.statement,
            let identity = choice.identity(for: request, from: challenge.space.host, at: now())
        else { return .performDefault }
        return .use(.identity(identity))
    }
}

extension ChallengeHandler where Self == IdentityChoiceHandler {
    /// Presents to each host that requests an identity the first of several that fits the request.
    public static func identities(_ candidates: [IdentityChoice.Candidate]) -> Self {
        IdentityChoiceHandler(candidates)
    }
}
