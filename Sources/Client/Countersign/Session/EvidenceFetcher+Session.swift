// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges

extension Session: EvidenceSession {}

extension EvidenceFetcher {
    /// Fetches for the trust decisions of a session.
    ///
    /// Nothing of the user's goes to these places but what the way there asks for: no credential, no identity. What is fetched
    /// proves itself by its signature, so plain http is good enough; and nothing is fetched to fetch it.
    convenience init(for configuration: Session.Configuration, memory: CredentialMemory) {
        // A place that keeps silent must leave time to ask the next one.
        self.init(timeout: configuration.evidenceTimeout / 3) {
            Session(fetchingEvidenceWith: Self.configuration(like: configuration, memory, within: $0), within: $0)
        }
    }

    private static func configuration(
        like configuration: Session.Configuration, _ memory: CredentialMemory, within reach: EvidenceReach
    ) -> Session.Configuration {
        var policy = configuration.policies.fallback
        policy.allowsPlainHTTP = true
        policy.trust.pins = []
        policy.trust.missingIssuers = .notFetched
        policy.trust.revocation = .whereDemanded
        let proxies = configuration.proxies
        let entries = Set(proxies.all.map(\.endpoint.host)).compactMap { host in
            configuration.policies.entry(for: host).map { DomainPolicies.Entry(domain: host, policy: $0.policy) }
        }
        var own = Session.Configuration(
            policies: DomainPolicies(fallback: policy, entries: entries),
            handlers: .remembered(by: memory, for: proxies.all))
        own.proxies = proxies
        own.eventLoopGroup = configuration.eventLoopGroup
        own.redirectLimit = 3
        own.allowsRedirectsToPlainHTTP = true
        // A proxy connects to what it is told, so what can be told from the URL is checked here.
        own.redirectDecision = { redirect in
            guard let host = try? Endpoint(of: redirect.to).host, reach.includes(host) else { throw AddressRefused() }
            return .follow
        }
        own.decodesContent = false
        own.connectTimeout = configuration.evidenceTimeout
        own.idleTimeout = configuration.evidenceTimeout
        return own
    }
}

extension ChallengeHandlers {
    /// Answers proxies with what they have accepted from the session, without asking a handler.
    fileprivate static func remembered(by memory: CredentialMemory, for proxies: [Proxy]) -> ChallengeHandlers {
        let handler = ClosureHandler { challenge in
            guard challenge.space.role == .proxy, challenge.failureCount == 0,
                let proxy = proxies.first(where: { Challenger(proxy: $0).asks(in: challenge.space) }),
                let credential = memory.credential(in: challenge.space, own: proxy.credential)
                    ?? memory.identity(in: challenge.space)
            else { return .performDefault }
            return .use(credential)
        }
        return [
            .basic: handler, .digest: handler, .socksPassword: handler, .clientCertificate: handler,
        ]
    }
}
