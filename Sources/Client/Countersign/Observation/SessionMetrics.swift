// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import HTTPTransport
import HTTPTypes
import Metrics
import NIOConcurrencyHelpers
import NIOCore

/// The metrics of a session, with the names that ``HTTPSession/Configuration/metrics`` documents; each series is created
/// once.
final class SessionMetrics: Sendable {
    private struct Series: Hashable {
        let name: String
        let dimensions: [Dimension]
    }

    private struct Dimension: Hashable {
        let name: String
        let value: String
    }

    private struct Instruments {
        var counters: [Series: Counter] = [:]
        var timers: [Series: Timer] = [:]
    }

    private let factory: any MetricsFactory
    private let made = NIOLockedValueBox(Instruments())
    private let opened: Counter
    private let reused: Counter
    private let open: Meter
    private let redirects: Counter
    private let retries: Counter

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        opened = Counter(label: "countersign_connections_opened", factory: factory)
        reused = Counter(label: "countersign_connections_reused", factory: factory)
        open = Meter(label: "countersign_connections_open", factory: factory)
        redirects = Counter(label: "countersign_redirects", factory: factory)
        retries = Counter(label: "countersign_retries", factory: factory)
    }

    /// Counts a request and its outcome, and measures the time to the head of the response.
    func measure(
        _ method: HTTPRequest.Method, _ work: () async throws -> SessionResponse
    ) async throws -> SessionResponse {
        let start = ContinuousClock.now
        let methodName = Self.known.contains(method) ? method.rawValue : "other"
        do {
            let response = try await work()
            note(methodName, outcome: "\(response.status.code / 100)xx", since: start)
            return response
        } catch {
            note(methodName, outcome: "error", since: start)
            counter("countersign_errors", [.init(name: "code", value: ErrorExplanation.code(of: error))]).increment()
            throw error
        }
    }

    func note(_ event: SessionEvent) {
        switch event {
        case .connected: opened.increment()
        case .redirected: redirects.increment()
        case .retrying: retries.increment()
        case .challenged(let challenge, .used):
            counter("countersign_challenges_answered", [.init(name: "method", value: "\(challenge.space.method)")])
                .increment()
        case .challenged, .methodsNotAllowed, .preempted, .credentialStoreFailed, .exchanged, .fetchedEvidence,
            .refusedEvidence:
            break
        }
    }

    /// Counts a reused connection, or a new one, which counts as open until it closes.
    func note(_ lease: HTTPConnection.Lease) {
        guard !lease.isReused else { return reused.increment() }
        open.increment()
        lease.connection.channel.closeFuture.whenComplete { [open] _ in open.decrement() }
    }

    /// The methods with a series of their own.
    ///
    /// Other methods share one, because a user may choose methods freely.
    private static let known: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .delete, .patch, .options]

    private func note(_ method: String, outcome: String, since start: ContinuousClock.Instant) {
        let dimension = Dimension(name: "method", value: method)
        counter("countersign_requests", [dimension, .init(name: "outcome", value: outcome)]).increment()
        timer("countersign_request_duration", [dimension]).record(duration: ContinuousClock.now - start)
    }

    private func counter(_ name: String, _ dimensions: [Dimension]) -> Counter {
        let series = Series(name: name, dimensions: dimensions)
        return made.withLockedValue { made in
            if let known = made.counters[series] { return known }
            let counter = Counter(
                label: name, dimensions: dimensions.map { ($0.name, $0.value) }, factory: factory)
            made.counters[series] = counter
            return counter
        }
    }

    private func timer(_ name: String, _ dimensions: [Dimension]) -> Timer {
        let series = Series(name: name, dimensions: dimensions)
        return made.withLockedValue { made in
            if let known = made.timers[series] { return known }
            let timer = Timer(label: name, dimensions: dimensions.map { ($0.name, $0.value) }, factory: factory)
            made.timers[series] = timer
            return timer
        }
    }
}
