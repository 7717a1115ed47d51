// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// Connections that wait for their next request.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Route: [(connection: HTTPConnection, since: NIODeadline)]] = [:]
        var isClosed = false
    }

    /// How long a connection waits for its next request; most servers keep theirs for less.
    private static let idleLimit = TimeAmount.seconds(60)

    private let state = NIOLockedValueBox(State())

    var isClosed: Bool { state.withLockedValue(\.isClosed) }

    /// What a request can do with an idle connection.
    enum Fitness {
        /// The answers that opened it are not those that would be given now.
        case outdated
        /// It is somebody else's.
        case foreign
        case usable
        /// It is authenticated as the request needs it.
        case authenticated
    }

    /// Takes a connection out whose answers are still those that would be given: the fittest, and of these the most recently used.
    func take(for route: Route, fitness: (HTTPConnection.Admission) -> Fitness) -> HTTPConnection? {
        var outdated: [HTTPConnection] = []
        defer { outdated.forEach { $0.channel.close(promise: nil) } }
        return state.withLockedValue { state in
            let now = NIODeadline.now()
            var idle = (state.idle[route] ?? []).filter(\.connection.isAlive).map { entry in
                let isFresh = entry.since + Self.idleLimit > now
                return (entry: entry, fitness: isFresh ? fitness(entry.connection.admission) : .outdated)
            }
            outdated = idle.filter { $0.fitness == .outdated }.map(\.entry.connection)
            idle.removeAll { $0.fitness == .outdated }
            let best =
                idle.lastIndex { $0.fitness == .authenticated } ?? idle.lastIndex { $0.fitness == .usable }
            let taken = best.map { idle.remove(at: $0).entry.connection }
            state.idle[route] = idle.isEmpty ? nil : idle.map(\.entry)
            return taken
        }
    }

    /// Forgets a connection once it is closed; to be called once, when it is opened.
    func watch(_ connection: HTTPConnection, for route: Route) {
        connection.channel.closeFuture.whenComplete { _ in self.drop(connection, for: route) }
    }

    /// Takes a connection back whose response is complete.
    func put(_ connection: HTTPConnection, for route: Route) {
        let isKept = state.withLockedValue { state in
            guard !state.isClosed, connection.admission.mayBeShared else { return false }
            state.idle[route, default: []].append((connection, .now()))
            return true
        }
        guard isKept else {
            connection.channel.close(promise: nil)
            return
        }
        // It may have been closed and forgotten before it came back.
        if !connection.channel.isActive { drop(connection, for: route) }
        closeOverdue()
    }

    private func closeOverdue() {
        let limit = NIODeadline.now() - Self.idleLimit
        let overdue = state.withLockedValue { state in
            state.idle.values.flatMap { $0.filter { $0.since < limit }.map(\.connection) }
        }
        // Each takes itself out when it is closed.
        overdue.forEach { $0.channel.close(promise: nil) }
    }

    private func drop(_ connection: HTTPConnection, for route: Route) {
        state.withLockedValue { state in
            state.idle[route]?.removeAll { $0.connection.channel === connection.channel }
            if state.idle[route]?.isEmpty == true { state.idle[route] = nil }
        }
    }

    /// Closes what is idle now, and later what is still at work.
    func close() async {
        let connections = state.withLockedValue { state in
            state.isClosed = true
            defer { state.idle = [:] }
            return state.idle.values.flatMap { $0.map(\.connection) }
        }
        // Each waits for its peer's word of parting, so they wait together.
        let closings = connections.map { $0.channel.close() }
        for closing in closings { try? await closing.get() }
    }
}
