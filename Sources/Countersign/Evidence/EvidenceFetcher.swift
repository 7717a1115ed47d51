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
        /// A session for each reach, so that no connection of one serves another; most sessions never fetch anything.
        case open([EvidenceReach: Session])
        case closed
    }

    private let state = NIOLockedValueBox(State.open([:]))
    private let open: @Sendable (EvidenceReach) -> Session
    private let timeout: Duration
    private let cache = EvidenceCache()

    /// Nothing of the user's goes to these places but what the way there asks for: no credential, no identity.
    ///
    /// What is fetched proves itself by its signature, so plain http is good enough; and nothing is fetched to fetch it.
    init(for configuration: Session.Configuration, memory: CredentialMemory) {
        open = {
            Session(fetchingEvidenceWith: Self.configuration(like: configuration, memory, within: $0), within: $0)
        }
        // A place that keeps silent must leave time to ask the next one.
        timeout = configuration.evidenceTimeout / 3
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

    /// The session that fetches within a reach, made when it is needed for the first time; `nil` once the fetcher is closed.
    private func session(within reach: EvidenceReach) -> Session? {
        state.withLockedValue { state in
            guard case .open(var sessions) = state else { return nil }
            if let session = sessions[reach] { return session }
            let session = open(reach)
            sessions[reach] = session
            state = .open(sessions)
            return session
        }
    }

    /// Fetches from a source, within a reach and the time that one source may take.
    func fetch(_ source: EvidenceSource, within reach: EvidenceReach) async throws -> EvidenceOutcome {
        guard let session = session(within: reach) else { return .nothing }
        let timeout = timeout
        return try await cache.evidence(from: source, within: reach) {
            await withTaskGroup(of: EvidenceOutcome.self) { race in
                race.addTask { await Self.get(source, in: session, within: reach) }
                race.addTask {
                    try? await Task.sleep(for: timeout)
                    return .nothing
                }
                defer { race.cancelAll() }
                return await race.next() ?? .nothing
            }
        }
    }

    private static func get(
        _ source: EvidenceSource, in session: Session, within reach: EvidenceReach
    ) async -> EvidenceOutcome {
        // A certificate may name a place, but no user and no password for it.
        guard source.place.droppingUserInfo == source.place, let host = try? Endpoint(of: source.place).host else {
            return .nothing
        }
        guard reach.includes(host) else { return .refused }
        do {
            let response = try await session.send(source.request)
            guard response.status == .ok else { return .nothing }
            let body = try await response.body.collect(upTo: source.sizeLimit)
            return FetchedEvidence(Array(body.readableBytesView), from: source).map { .fetched($0) } ?? .nothing
        } catch is AddressRefused {
            return .refused
        } catch {
            return .nothing
        }
    }

    /// Says that what a source gave settled nothing.
    func doubt(_ source: EvidenceSource, within reach: EvidenceReach) async {
        await cache.doubt(source, within: reach)
    }

    func close() async {
        let last = state.withLockedValue { state in
            defer { state = .closed }
            return state
        }
        guard case .open(let sessions) = last else { return }
        for session in sessions.values { await session.close() }
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
