// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CertificateTrustNIOSSL
import Challenges
import HTTPTransport
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// The state that all copies of a session share.
final class SessionCore: Sendable {
    let configuration: HTTPSession.Configuration
    /// The method preference of the configuration, with the registered schemes that it does not list.
    let preference: MethodPreference
    let memory: CredentialMemory
    let pool: ConnectionPool
    let requests = RunningRequests()
    let routes: RouteCache
    /// The origins that are used with HTTP/1.1 only, because a connection is authenticated there or the server required
    /// it.
    let http1Origins = NIOLockedValueBox<Set<HostEndpoint>>([])
    let connectionSettings: Connector.Settings
    let chains = ChainCache()
    /// The part of a proxy's credential that cannot be sent; `nil` if there is none.
    let forbiddenProxyText: RequestError.Text?
    /// The evidence fetcher; `nil` for a session that itself fetches evidence.
    let evidence: EvidenceFetcher?
    /// The metrics; `nil` if the configuration has no metrics factory.
    let metrics: SessionMetrics?
    private let log: SessionLog?
    private let anchors: SystemAnchors
    private let evaluators = NIOLockedValueBox<[TrustPolicy: TrustEvaluator]>([:])

    /// Creates the shared state.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session.
    ///   - memory: The remembered credentials.
    ///   - evidence: The fetcher for trust decisions; `nil` for a session that itself fetches evidence.
    ///   - reach: The addresses to which a session that itself fetches evidence may connect; `nil` for every other
    ///     session.
    init(
        configuration: HTTPSession.Configuration, memory: CredentialMemory = CredentialMemory(),
        evidence: EvidenceFetcher?, reach: EvidenceReach? = nil
    ) {
        (self.configuration, self.memory, self.evidence) = (configuration, memory, evidence)
        anchors = SystemAnchors(environment: configuration.anchorEnvironment)
        connectionSettings = configuration.connectionSettings(within: reach)
        pool = ConnectionPool(
            settings: connectionSettings, limits: configuration.connectionLimits, timeout: configuration.poolTimeout)
        routes = RouteCache(configuration)
        forbiddenProxyText = configuration.proxies.all.lazy.compactMap { $0.credential?.forbiddenText }.first
        metrics = configuration.metrics.map(SessionMetrics.init)
        log = configuration.logger.map { SessionLog($0, limit: configuration.logLimit) }
        var preference = configuration.methods
        if configuration.authenticators.negotiatesNTLM { preference = preference.negotiatingNTLM() }
        let unlisted = configuration.authenticators.methods.subtracting(preference.order)
        preference.order.insert(contentsOf: unlisted.sorted { $0.description < $1.description }, at: 0)
        self.preference = preference
    }

    func isHTTP1Only(_ origin: HostEndpoint) -> Bool {
        configuration.httpVersions == .all && http1Origins.withLockedValue { !$0.isEmpty && $0.contains(origin) }
    }

    func noteHTTP1Only(_ origin: HostEndpoint) {
        http1Origins.withLockedValue { origins in
            if origins.count >= Self.http1OriginLimit { origins.removeAll() }
            origins.insert(origin)
        }
    }

    /// The maximum number of ``http1Origins``; above it, all are discarded, and a discarded origin is detected again.
    private static let http1OriginLimit = 1024

    /// The maximum number of evaluators.
    ///
    /// Programs have a few policies; if one creates a policy for every request, not all evaluators are retained.
    private static let evaluatorLimit = 64

    /// Starts to create the evaluator of a policy, so that it is ready when the server presents its chain.
    ///
    /// A failure is ignored: ``evaluator(for:)`` fails again in a place that can throw.
    func prepareEvaluator(for policy: TrustPolicy) {
        guard evaluators.withLockedValue({ $0[policy] }) == nil else { return }
        Task.detached { try? self.evaluator(for: policy) }
    }

    /// Returns the evaluator of a policy, which is created once and reads the anchors once.
    func evaluator(for policy: TrustPolicy) throws -> TrustEvaluator {
        if let known = evaluators.withLockedValue({ $0[policy] }) { return known }
        let evaluator = TrustEvaluator(
            policy: policy, systemAnchors: try anchors.store(for: policy), publicSuffixes: SystemPublicSuffixes.list)
        evaluators.withLockedValue { evaluators in
            if evaluators.count >= Self.evaluatorLimit { evaluators = [:] }
            evaluators[policy] = evaluator
        }
        return evaluator
    }

    /// Ends the running requests, by closing all connections.
    func abort() {
        requests.abort()
        pool.abort()
    }

    func report(_ event: SessionEvent) {
        configuration.observer?(event)
        metrics?.note(event)
        log?.note(event)
    }

    /// Passes a challenge to the handler of its method.
    func ask(_ challenge: Challenge) async throws -> SessionEvent.Answer {
        guard let handler = configuration.handlers[challenge.space.method] else { return .performedDefault }
        return SessionEvent.Answer(try await handler.answer(challenge))
    }
}

extension SessionEvent.Answer {
    /// Makes the answer from a handler's decision.
    init(_ disposition: Disposition) {
        self =
            switch disposition {
            case .use(let credential): .used(credential)
            case .performDefault: .performedDefault
            case .rejectProtectionSpace: .rejectedProtectionSpace
            case .cancel: .cancelled
            }
    }
}
