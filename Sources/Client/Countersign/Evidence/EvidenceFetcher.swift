// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import Challenges
import ErrorExplanations
import EssentialFoundation
import HTTPTransport
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// A fetcher of the evidence that verdicts request: revocation lists, OCSP responses and missing issuers (RFC 5280
/// sections 4.2.2.1 and 4.2.1.13, RFC 6960 appendix A).
///
/// A session has its own fetcher. Make one for the verifiers of `CertificateTrustNIOSSL`, and use it for all of them,
/// because it caches the evidence and shares concurrent fetches.
public final class EvidenceFetcher: Sendable {
    private enum State {
        /// The open state, with one session for each reach, so that reaches share no connection. A session is opened on
        /// first use.
        case open([EvidenceReach: any EvidenceSession])
        case closed
    }

    private let state = NIOLockedValueBox(State.open([:]))
    private let open: @Sendable (EvidenceReach) -> any EvidenceSession
    private let totalTimeout: Duration
    private let cache = EvidenceCache()
    /// The revocation lists and OCSP responses that showed a certificate as revoked, by source, the latest last.
    private let revocations = NIOLockedValueBox<[(source: EvidenceSource, evidence: FetchedEvidence)]>([])
    private static let revocationLimit = 64

    /// Creates a fetcher.
    ///
    /// - Parameters:
    ///   - totalTimeout: The timeout for the evidence of one verdict.
    ///   - open: Opens the session that fetches within a reach.
    init(totalTimeout: Duration, open: @escaping @Sendable (EvidenceReach) -> any EvidenceSession) {
        (self.totalTimeout, self.open) = (totalTimeout, open)
    }

    /// Returns the evaluation of one chain with the evidence within a reach, which ends after the total timeout.
    func gathering(
        within reach: EvidenceReach, report: @escaping @Sendable (EvidenceSource, EvidenceOutcome) -> Void
    ) -> EvidenceGathering {
        EvidenceGathering(fetcher: self, reach: reach, deadline: .now + totalTimeout, report: report)
    }

    /// Returns the session for a reach, and opens it on first use; `nil` once the fetcher is closed.
    private func session(within reach: EvidenceReach) -> (any EvidenceSession)? {
        state.withLockedValue { state in
            guard case .open(var sessions) = state else { return nil }
            if let session = sessions[reach] { return session }
            let session = open(reach)
            sessions[reach] = session
            state = .open(sessions)
            return session
        }
    }

    /// Fetches from a source, within a reach and the timeout for one source.
    func fetch(_ source: EvidenceSource, within reach: EvidenceReach) async throws -> EvidenceOutcome {
        @Sendable func failed(_ problem: EvidenceFetchProblem) -> EvidenceOutcome {
            .nothing(.notFetched(source.place, problem))
        }
        guard let session = session(within: reach) else { return failed(.failed(code: "cancellation.session-closed")) }
        // A source that does not respond must leave time for the next one.
        let timeout = totalTimeout / 3
        return try await cache.evidence(from: source, within: reach) {
            await withTaskGroup(of: EvidenceOutcome.self) { race in
                race.addTask { await Self.get(source, in: session, within: reach) }
                race.addTask {
                    try? await Task.sleep(for: timeout)
                    return failed(.timedOut)
                }
                defer { race.cancelAll() }
                return await race.next() ?? failed(.timedOut)
            }
        }
    }

    private static func get(
        _ source: EvidenceSource, in session: any EvidenceSession, within reach: EvidenceReach
    ) async -> EvidenceOutcome {
        @Sendable func failed(_ problem: EvidenceFetchProblem) -> EvidenceOutcome {
            .nothing(.notFetched(source.place, problem))
        }
        // The URL comes from a certificate, and must not contain a user name or a password.
        guard source.place.droppingUserInfo == source.place, let host = try? HostEndpoint(of: source.place).host else {
            return failed(.failed(code: "request.invalid-url"))
        }
        guard reach.includes(host) else { return failed(.localAddress) }
        do {
            var response = try await session.send(source.request)
            if let fallback = source.fallback, [400, 404, 405, 501].contains(response.status.code) {
                response = try await session.send(fallback)
            }
            guard response.status == .ok else { return failed(.status(response.status.code)) }
            let body = try await response.body.collect(upTo: source.sizeLimit)
            return .fetched(
                try FetchedEvidence(
                    Array(body.readableBytesView), of: response.headerFields[.contentType], from: source))
        } catch let problem as RevocationProblem {
            return .nothing(problem)
        } catch {
            return failed(EvidenceFetchProblem(error))
        }
    }

    /// The evidence that showed a certificate as revoked.
    ///
    /// A later failure or a different answer of its source does not undo the revocation.
    ///
    /// Expired evidence proves nothing else.
    var knownRevocations: [(source: EvidenceSource, evidence: FetchedEvidence)] { revocations.withLockedValue { $0 } }

    /// Remembers evidence that showed a certificate as revoked, for the lifetime of the session.
    func remember(_ evidence: FetchedEvidence, from source: EvidenceSource) {
        revocations.withLockedValue { revocations in
            revocations.removeAll { $0.source == source }
            if revocations.count >= Self.revocationLimit { revocations.removeFirst() }
            revocations.append((source, evidence))
        }
    }

    /// Marks the evidence of a source as insufficient for a decision.
    func markInsufficient(_ source: EvidenceSource, within reach: EvidenceReach) async {
        await cache.markInsufficient(source, within: reach)
    }

    /// Closes the connections of the fetcher, which then fetches no more.
    public func close() async {
        let last = state.withLockedValue { state in
            defer { state = .closed }
            return state
        }
        guard case .open(let sessions) = last else { return }
        for session in sessions.values { await session.close() }
    }
}

extension EvidenceFetcher: EvidenceFetching {
    /// Evaluates a chain repeatedly, each time with more of the evidence that the previous verdict requested.
    ///
    /// The address of the peer is unknown, so that `TrustPolicy.LocalEvidence.besideServer` allows local sources only for
    /// a host that is itself a local address or `localhost`.
    ///
    /// - Parameters:
    ///   - policy: The policy of the evaluation.
    ///   - host: The host name of the server; `nil` for a client.
    ///   - evaluate: Evaluates the chain with the given evidence.
    /// - Returns: The verdict that requests no further evidence, or the last one if no more is available within the
    ///   evidence timeout or before the task is cancelled.
    @concurrent public func verdict(
        under policy: TrustPolicy, for host: HostName?, by evaluate: @Sendable (TrustEvidence) -> Verdict
    ) async -> Verdict {
        await verdict(under: policy, for: host, report: { _ in }, by: evaluate)
    }

    /// Evaluates a chain repeatedly, as ``verdict(under:for:by:)`` does, and reports each fetch.
    ///
    /// The chain may come from anywhere, such as a file: no connection to its holder is opened.
    ///
    /// - Parameters:
    ///   - policy: The policy of the evaluation.
    ///   - host: The host name of the server; `nil` for a client, and for a chain that is not compared with a host.
    ///   - report: Receives an event of the kind ``SessionEvent/Kind/fetchedEvidence(_:problem:)`` or
    ///     ``SessionEvent/Kind/refusedEvidence(_:)`` for each source.
    ///   - evaluate: Evaluates the chain with the given evidence.
    /// - Returns: The verdict that requests no further evidence, or the last one if no more is available in time.
    @concurrent public func verdict(
        under policy: TrustPolicy, for host: HostName?, report: @escaping @Sendable (SessionEvent.Kind) -> Void,
        by evaluate: @Sendable (TrustEvidence) -> Verdict
    ) async -> Verdict {
        let reach = EvidenceReach(under: policy, address: nil, host: host)
        var gathering = gathering(within: reach) { report(.fetched(from: $0, $1)) }
        do {
            return try await gathering.verdict(by: evaluate)
        } catch {
            return evaluate(gathering.evidence)
        }
    }
}

extension SessionEvent.Kind {
    /// Returns the event of a fetch.
    static func fetched(from source: EvidenceSource, _ outcome: EvidenceOutcome) -> Self {
        outcome.isRefused
            ? .refusedEvidence(source.place) : .fetchedEvidence(source.place, problem: outcome.problem)
    }
}

extension EvidenceFetchProblem {
    /// Makes the problem that an error of the session is.
    fileprivate init(_ error: any Error) {
        self =
            switch error {
            case is AddressRefused: .localAddress
            case SessionError.limit(.bodyTooLarge(let limit)): .tooLarge(limit: limit)
            case SessionError.limit(.timedOut), SessionError.connection(.cannotConnect(_, .timedOut)): .timedOut
            case SessionError.connection(.cannotResolve): .cannotResolve
            case SessionError.connection(.cannotConnect), SessionError.connection(.cannotConnectToSocket):
                .cannotConnect
            case SessionError.connection(.lost), SessionError.connection(.goAway), SessionError.body(.truncated): .lost
            case SessionError.redirect(.loop), SessionError.redirect(.tooMany): .redirects
            case SessionError.tls, SessionError.trust: .notSecure
            default: .failed(code: ErrorExplanation.code(of: error))
            }
    }
}

/// A session that sends the requests of an ``EvidenceFetcher``.
protocol EvidenceSession: Sendable {
    func send(_ request: SessionRequest) async throws -> SessionResponse
    func close() async
}

extension EvidenceFetcher {
    /// Creates a fetcher for the trust decisions of a session.
    ///
    /// Evidence servers receive no credential and no identity of the user; only proxies do. The evidence is signed, so
    /// plain http suffices; and no evidence is fetched for the fetching itself.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session.
    ///   - proxyHandlers: The handlers for the challenges of proxies.
    ///   - open: Opens a session with a configuration, within a reach.
    convenience init(
        for configuration: HTTPSession.Configuration, proxyHandlers: ChallengeHandlers,
        open: @escaping @Sendable (HTTPSession.Configuration, EvidenceReach) -> any EvidenceSession
    ) {
        self.init(totalTimeout: configuration.evidenceTimeout) { reach in
            open(Self.configuration(like: configuration, proxyHandlers, within: reach), reach)
        }
    }

    private static func configuration(
        like configuration: HTTPSession.Configuration, _ proxyHandlers: ChallengeHandlers, within reach: EvidenceReach
    ) -> HTTPSession.Configuration {
        var policy = configuration.policies.fallback
        policy.allowsPlainHTTP = true
        policy.trust.pins = []
        policy.trust.missingIssuers = .notFetched
        policy.trust.revocation = .whereDemanded
        let proxies = configuration.proxies
        let entries = Set(proxies.all.map(\.endpoint.host)).compactMap { host in
            configuration.policies.entry(for: host).map { DomainPolicies.Entry(domain: host, policy: $0.policy) }
        }
        var own = HTTPSession.Configuration(
            policies: DomainPolicies(fallback: policy, entries: entries),
            handlers: proxyHandlers)
        own.serverTrustDecision = configuration.serverTrustDecision
        own.proxies = proxies
        own.addressFamily = configuration.addressFamily
        own.anchorEnvironment = configuration.anchorEnvironment
        own.eventLoopGroup = configuration.eventLoopGroup
        own.redirectLimit = 3
        own.allowsRedirectsToPlainHTTP = true
        // A proxy resolves and connects by itself, so the host of the URL is checked here.
        own.redirectDecision = { redirect in
            guard let host = try? HostEndpoint(of: redirect.to).host, reach.includes(host) else {
                throw AddressRefused()
            }
            return .follow
        }
        own.decodesContent = false
        own.connectTimeout = configuration.evidenceTimeout
        own.idleTimeout = configuration.evidenceTimeout
        return own
    }
}

/// A cache of fetched evidence, which lets connections that need the same evidence concurrently share one fetch.
actor EvidenceCache {
    /// A cache key.
    ///
    /// It includes the reach, because a source that is allowed for one server may be forbidden for another.
    private struct Key: Hashable {
        let source: EvidenceSource
        let reach: EvidenceReach
    }

    private struct Entry {
        let outcome: EvidenceOutcome
        let end: Date
    }

    /// The maximum time for which evidence is used, even if its next update is later, so that a new revocation is
    /// noticed.
    static let maximumUse: TimeInterval = 12 * 3600
    /// The time before a source that returned nothing is tried again.
    private static let failureLifetime: TimeInterval = 60
    private static let countLimit = 256
    /// The maximum size of the cache, in bytes.
    private static let sizeLimit = 64 << 20

    private var entries: [Key: Entry] = [:]
    private var fetches: [Key: Task<EvidenceOutcome, Never>] = [:]

    /// Returns the evidence of a source, from the cache if it was fetched recently.
    func evidence(
        from source: EvidenceSource, within reach: EvidenceReach, fetch: @escaping @Sendable () async -> EvidenceOutcome
    ) async throws -> EvidenceOutcome {
        let key = Key(source: source, reach: reach)
        if let entry = entries[key], Date() < entry.end { return entry.outcome }
        let task =
            fetches[key]
            ?? Task {
                let outcome = await fetch()
                finish(key, outcome)
                return outcome
            }
        fetches[key] = task
        return try await Self.value(of: task)
    }

    /// Lets a source be fetched again soon because its evidence was insufficient; an attacker on the network path may
    /// have sent it.
    func markInsufficient(_ source: EvidenceSource, within reach: EvidenceReach) {
        let key = Key(source: source, reach: reach)
        guard let entry = entries[key] else { return }
        entries[key] = Entry(outcome: entry.outcome, end: min(entry.end, Date() + Self.failureLifetime))
    }

    private func finish(_ key: Key, _ outcome: EvidenceOutcome) {
        fetches[key] = nil
        let (now, evidence) = (Date(), outcome.evidence)
        entries = entries.filter { now < $0.value.end }
        let size = entries.values.reduce(evidence?.size ?? 0) { $0 + ($1.outcome.evidence?.size ?? 0) }
        if entries.count >= Self.countLimit || size > Self.sizeLimit { entries = [:] }
        let use = evidence == nil ? Self.failureLifetime : Self.maximumUse
        entries[key] = Entry(outcome: outcome, end: min(evidence?.nextUpdate ?? .distantFuture, now + use))
    }

    /// Waits for a fetch.
    ///
    /// If the caller is cancelled, the wait ends, but the fetch continues for the other callers.
    private static func value(of fetch: Task<EvidenceOutcome, Never>) async throws -> EvidenceOutcome {
        let (stream, continuation) = AsyncStream.makeStream(of: EvidenceOutcome.self)
        Task {
            continuation.yield(await fetch.value)
            continuation.finish()
        }
        for await value in stream { return value }
        throw CancellationError()
    }
}
