// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import EssentialFoundation
public import Identities
package import X509

/// A choice among several identities for a server's request for a client certificate.
public struct IdentityChoice: Sendable {
    /// An identity, and the host that may receive its certificate.
    public struct Candidate: Hashable, Sendable {
        /// The identity, with its complete chain.
        public let identity: Identity
        /// The only host that may receive the certificate, as in a URL without a port; `nil` for any host.
        public let host: String?

        /// Makes a candidate for one host, or, if the host is `nil`, for any host.
        public init(_ identity: Identity, host: String? = nil) {
            self.identity = identity
            self.host = host?.lowercased()
        }
    }

    private let candidates: [Candidate]

    /// Makes a choice from candidates, the preferred one first.
    public init(_ candidates: [Candidate]) {
        self.candidates = candidates
    }

    /// Returns the first identity that the server can accept.
    ///
    /// Candidates for its host take precedence over those for any host.
    ///
    /// - Parameters:
    ///   - request: The server's request.
    ///   - host: The host of the server.
    ///   - time: The time at which the certificate must be valid.
    /// - Returns: The identity; `nil` if none is for this host, valid at the time, usable for TLS clients (RFC 5280
    ///   section 4.2.1.12), and meets the request.
    public func identity(for request: ClientCertificateRequest, from host: HostName, at time: Date) -> Identity? {
        let name = host.description
        let matching = candidates.filter { $0.host == name } + candidates.filter { $0.host == nil }
        return matching.map(\.identity).first { $0.certificate.isForClients(at: time) && request.isMet(by: $0) }
    }
}

extension Certificate {
    /// Returns whether the certificate is valid, and may authenticate a TLS client (RFC 5280 sections 4.2.1.3 and
    /// 4.2.1.12); a missing extension restricts nothing, and a malformed one makes the certificate unusable.
    package func isForClients(at time: Date) -> Bool {
        // The certificate is valid until the end of the last second.
        guard notValidBefore <= time, time < notValidAfter.addingTimeInterval(1) else { return false }
        do {
            if let usage = try extensions.keyUsage, !usage.digitalSignature { return false }
            guard let usages = try extensions.extendedKeyUsage else { return true }
            return usages.contains(.clientAuth) || usages.contains(.any)
        } catch {
            return false
        }
    }
}

/// A handler that presents the most suitable of several identities to each host that requests one.
public struct IdentityChoiceHandler: ChallengeHandler {
    private let choice: IdentityChoice
    private let now: @Sendable () -> Date

    /// Creates a handler with several identities.
    ///
    /// An identity without a host is presented to every server whose request it meets: one that names its issuer or no
    /// issuers, and an algorithm of its key. Bind it to a host if the certificate reveals more than other servers should
    /// know.
    ///
    /// - Parameters:
    ///   - candidates: The identities, the preferred one first.
    ///   - now: Returns the time at which a certificate must be valid; the current time by default.
    public init(_ candidates: [IdentityChoice.Candidate], now: @escaping @Sendable () -> Date = { Date() }) {
        choice = IdentityChoice(candidates)
        self.now = now
    }

    /// Answers with the chosen identity, and presents no certificate if none is suitable.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        guard case .clientCertificateRequest(let request) = challenge.statement,
            let identity = choice.identity(for: request, from: challenge.space.host, at: now())
        else { return .performDefault }
        return .use(.identity(identity))
    }
}

extension ChallengeHandler where Self == IdentityChoiceHandler {
    /// Returns a handler that presents the first suitable one of several identities to each host that requests one.
    public static func identities(_ candidates: [IdentityChoice.Candidate]) -> Self {
        IdentityChoiceHandler(candidates)
    }
}
