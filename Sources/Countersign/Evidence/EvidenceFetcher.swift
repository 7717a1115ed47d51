// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// Fetches what verdicts want, for all connections of a session (RFC 5280 sections 4.2.2.1 and 4.2.1.13, RFC 6960 appendix A).
final class EvidenceFetcher: Sendable {
    private enum State {
        /// Most sessions never fetch anything.
        case notNeeded
        case open(Session)
        case closed
    }

    private let state = NIOLockedValueBox(State.notNeeded)
    private let open: @Sendable () -> Session
    private let timeout: Duration
    private let cache = EvidenceCache()

    /// Nothing of the user's goes to these places but what the way there asks for: no credential, no identity.
    ///
    /// What is fetched proves itself by its signature, so plain http is good enough; and nothing is fetched to fetch it.
    init(for configuration: Session.Configuration, memory: CredentialMemory) {
        open = { Session(fetchingEvidenceWith: Self.configuration(like: configuration, memory)) }
        // A place that keeps silent must leave time to ask the next one.
        timeout = configuration.evidenceTimeout / 3
    }

    private static func configuration(
        like configuration: Session.Configuration, _ memory: CredentialMemory
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
        own.decodesContent = false
        own.connectTimeout = configuration.evidenceTimeout
        own.idleTimeout = configuration.evidenceTimeout
        return own
    }

    /// The session that fetches, made when something is fetched for the first time; `nil` once it is closed.
    private var session: Session? {
        state.withLockedValue { state in
            switch state {
            case .open(let session): return session
            case .closed: return nil
            case .notNeeded:
                let session = open()
                state = .open(session)
                return session
            }
        }
    }

    /// What a source gives; `nil` where it is nothing of use, or takes too long.
    func fetch(_ source: EvidenceSource) async throws -> FetchedEvidence? {
        guard let session else { return nil }
        let timeout = timeout
        return try await cache.evidence(from: source) {
            await withTaskGroup(of: FetchedEvidence?.self) { race in
                race.addTask { try? await Self.get(source, in: session) }
                race.addTask {
                    try? await Task.sleep(for: timeout)
                    return nil
                }
                defer { race.cancelAll() }
                return await race.next() ?? nil
            }
        }
    }

    private static func get(_ source: EvidenceSource, in session: Session) async throws -> FetchedEvidence? {
        // A certificate names a place; a user there is not its to name.
        guard source.place.droppingUserInfo == source.place else { return nil }
        let response = try await session.send(source.request)
        guard response.status == .ok else { return nil }
        let body = try await response.body.collect(upTo: source.sizeLimit)
        return FetchedEvidence(Array(body.readableBytesView), from: source)
    }

    /// Says that what a source gave settled nothing.
    func doubt(_ source: EvidenceSource) async {
        await cache.doubt(source)
    }

    func close() async {
        let last = state.withLockedValue { state in
            defer { state = .closed }
            return state
        }
        if case .open(let session) = last { await session.close() }
    }
}

extension ChallengeHandlers {
    /// Answers proxies with what they have accepted from the session, without asking a handler.
    fileprivate static func remembered(by memory: CredentialMemory, for proxies: [Proxy]) -> ChallengeHandlers {
        let handler = ClosureHandler { challenge in
            guard challenge.space.role == .proxy, challenge.failureCount == 0,
                let proxy = proxies.first(where: { Asker(proxy: $0).asks(in: challenge.space) }),
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
