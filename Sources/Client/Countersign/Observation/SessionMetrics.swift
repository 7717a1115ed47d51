// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import HTTPTransport
import HTTPTypes
import Metrics
import NIOConcurrencyHelpers
import NIOCore

/// The metrics of a session, with the names in the article "Log, measure and trace requests"; each series is created
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
        var servers: Set<HostEndpoint> = []
    }

    private let factory: any MetricsFactory
    private let made = NIOLockedValueBox(Instruments())
    private let opened: Counter
    private let reused: Counter
    private let resumed: Counter
    private let open: Meter
    private let redirects: Counter
    private let retries: Counter

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        opened = Counter(label: "countersign.connections.opened", factory: factory)
        reused = Counter(label: "countersign.connections.reused", factory: factory)
        resumed = Counter(label: "countersign.connections.resumed", factory: factory)
        open = Meter(label: "countersign.connections.open", factory: factory)
        redirects = Counter(label: "countersign.redirects", factory: factory)
        retries = Counter(label: "countersign.retries", factory: factory)
    }

    /// Counts a request and its outcome.
    func count(_ method: HTTPRequest.Method, _ work: () async throws -> SessionResponse) async throws -> SessionResponse
    {
        do {
            let response = try await work()
            count(method, outcome: "\(response.status.code / 100)xx")
            return response
        } catch {
            count(method, outcome: "error")
            counter("countersign.errors", [.init(name: "code", value: ErrorExplanation.code(of: error))]).increment()
            throw error
        }
    }

    private func count(_ method: HTTPRequest.Method, outcome: String) {
        let dimensions = [
            Dimension(name: "method", value: method.conventionalName), Dimension(name: "outcome", value: outcome),
        ]
        counter("countersign.requests", dimensions).increment()
    }

    /// Records the duration of an attempt.
    ///
    /// - Parameters:
    ///   - attributes: The attributes of the convention for the attempt.
    ///   - endpoint: The origin; above ``serverLimit`` origins, later ones share the series of the server `_OTHER`.
    ///   - duration: The time from the start of the attempt to the head of its response or its failure.
    func record(_ attributes: AttemptAttributes, at endpoint: HostEndpoint, _ duration: Duration) {
        let isSeparate = made.withLockedValue { made in
            if made.servers.count < Self.serverLimit { made.servers.insert(endpoint) }
            return made.servers.contains(endpoint)
        }
        var dimensions = attributes.list.map { Dimension(name: $0.name, value: "\($0.value)") }
        dimensions.append(.init(name: "server.address", value: isSeparate ? "\(endpoint.host)" : "_OTHER"))
        if isSeparate { dimensions.append(.init(name: "server.port", value: "\(endpoint.port)")) }
        timer("http.client.request.duration", dimensions).record(duration: duration)
    }

    /// The maximum number of origins with series of their own, because URLs may come from users.
    private static let serverLimit = 1_000

    func note(_ event: SessionEvent) {
        switch event.kind {
        case .connected(let report):
            opened.increment()
            if report.tls?.isResumed == true { resumed.increment() }
        case .redirected: redirects.increment()
        case .retrying: retries.increment()
        case .challenged(let challenge, .used):
            counter("countersign.challenges.answered", [.init(name: "method", value: "\(challenge.space.method)")])
                .increment()
        case .challenged, .methodsNotAllowed, .notAnswered, .preempted, .credentialStoreFailed, .sending, .received,
            .exchanged, .fetchedEvidence, .refusedEvidence, .failed:
            break
        }
    }

    /// Counts a reused connection, or a new one, which counts as open until it closes.
    func note(_ lease: HTTPConnection.Lease) {
        guard !lease.isReused else { return reused.increment() }
        open.increment()
        lease.connection.channel.closeFuture.whenComplete { [open] _ in open.decrement() }
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
            let timer = Timer(
                label: name, dimensions: dimensions.map { ($0.name, $0.value) }, preferredDisplayUnit: .seconds,
                factory: factory)
            made.timers[series] = timer
            return timer
        }
    }
}
