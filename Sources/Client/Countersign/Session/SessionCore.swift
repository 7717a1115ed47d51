// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTransport
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// What all copies of a session share.
final class SessionCore: Sendable {
    let configuration: Session.Configuration
    /// The configuration's, with the schemes that it registers and does not list.
    let preference: MethodPreference
    let memory: CredentialMemory
    let pool: ConnectionPool
    let routes: RouteCache
    /// Origins that are spoken to in HTTP/1.1 only, because a connection is authenticated there or they said so.
    let http1Origins = NIOLockedValueBox<Set<Endpoint>>([])
    let connectionSettings: Connector.Settings
    let chains = ChainCache()
    /// The part of a proxy's credential that cannot be sent; `nil` where all can.
    let proxyFlaw: RequestError.Text?
    /// `nil` for a session that itself fetches evidence.
    let evidence: EvidenceFetcher?
    /// `nil` where the configuration names no metrics.
    let metrics: SessionMetrics?
    private let log: SessionLog?
    private let anchors = SystemAnchors()
    private let evaluators = NIOLockedValueBox<[TrustPolicy: TrustEvaluator]>([:])

    /// - Parameters:
    ///   - configuration: How the session behaves.
    ///   - memory: What it remembers.
    ///   - evidence: Fetches for its trust decisions; `nil` for a session that itself fetches evidence.
    ///   - reach: For a session that itself fetches evidence, the addresses that it may connect to; `nil` for every other session.
    init(
        configuration: Session.Configuration, memory: CredentialMemory = CredentialMemory(),
        evidence: EvidenceFetcher?, reach: EvidenceReach? = nil
    ) {
        (self.configuration, self.memory, self.evidence) = (configuration, memory, evidence)
        connectionSettings = configuration.connectionSettings(within: reach)
        pool = ConnectionPool(
            settings: connectionSettings, limits: configuration.connectionLimits, timeout: configuration.poolTimeout)
        routes = RouteCache(configuration)
        proxyFlaw = configuration.proxies.all.lazy.compactMap { $0.credential?.flaw }.first
        metrics = configuration.metrics.map(SessionMetrics.init)
        log = configuration.logger.map { SessionLog($0, limit: configuration.logLimit) }
        var preference = configuration.methods
        let unlisted = configuration.authenticators.methods.subtracting(preference.order)
        preference.order.insert(contentsOf: unlisted.sorted { $0.description < $1.description }, at: 0)
        self.preference = preference
    }

    func isHTTP1Only(_ origin: Endpoint) -> Bool {
        configuration.httpVersions == .all && http1Origins.withLockedValue { !$0.isEmpty && $0.contains(origin) }
    }

    func noteHTTP1Only(_ origin: Endpoint) {
        http1Origins.withLockedValue { origins in
            if origins.count >= Self.http1OriginLimit { origins.removeAll() }
            origins.insert(origin)
        }
    }

    /// One that is forgotten says so again.
    private static let http1OriginLimit = 1024

    /// Real programs have a few policies; one that makes them up for every request is no reason to keep them all.
    private static let evaluatorLimit = 64

    /// Begins to make the evaluator of a policy, so that it is there when the server that is being connected to presents its chain.
    ///
    /// A failure is dropped: ``evaluator(for:)`` meets it again, where it can be thrown.
    func prepareEvaluator(for policy: TrustPolicy) {
        guard evaluators.withLockedValue({ $0[policy] }) == nil else { return }
        Task.detached { try? self.evaluator(for: policy) }
    }

    /// The evaluator of a policy, made once: it reads anchors only once.
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

    func report(_ event: SessionEvent) {
        configuration.observer?(event)
        metrics?.note(event)
        log?.note(event)
    }

    /// Puts a challenge to the handler of its method.
    func ask(_ challenge: Challenge) async throws -> SessionEvent.Answer {
        guard let handler = configuration.handlers[challenge.space.method] else { return .performedDefault }
        return switch try await handler.answer(challenge) {
        case .use(let credential): .used(credential)
        case .performDefault: .performedDefault
        case .rejectProtectionSpace: .rejectedProtectionSpace
        case .cancel: .cancelled
        }
    }
}
