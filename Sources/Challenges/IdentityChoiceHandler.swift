// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Presents to each host that asks the identity that fits its request.
public struct IdentityChoiceHandler: ChallengeHandler {
    private let choice: IdentityChoice
    private let now: @Sendable () -> Date

    /// Chooses from several identities.
    ///
    /// An identity without a host is presented to every server that names its issuer, or none: keep it for a host
    /// where the certificate reveals more than that server should know.
    ///
    /// - Parameters:
    ///   - candidates: What is chosen from, the preferred one first.
    ///   - now: The time at which a certificate has to be valid.
    public init(_ candidates: [IdentityChoice.Candidate], now: @escaping @Sendable () -> Date = { Date() }) {
        choice = IdentityChoice(candidates)
        self.now = now
    }

    /// Gives the chosen identity, and no certificate where none fits.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        guard case .clientCertificateRequest(let request) = challenge.statement,
            let identity = choice.identity(for: request, from: challenge.space.host, at: now())
        else { return .performDefault }
        return .use(.identity(identity))
    }
}

extension ChallengeHandler where Self == IdentityChoiceHandler {
    /// Presents to each host that asks the first of several identities that fits its request.
    public static func identities(_ candidates: [IdentityChoice.Candidate]) -> Self {
        IdentityChoiceHandler(candidates)
    }
}
