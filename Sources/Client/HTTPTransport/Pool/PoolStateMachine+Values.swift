// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule

/// The values that the pool and its state machine exchange, and the stored values of the state machine.
extension PoolStateMachine {
    /// The identifier of a pooled connection.
    struct ConnectionID: Hashable, Sendable {
        let number: Int
    }

    /// A connection to evaluate, between two of its exchanges.
    ///
    /// The next exchange may authenticate the connection as a user, so that it needs another evaluation.
    struct Candidate: Hashable, Sendable {
        let id: ConnectionID
        /// The connection's ``Connection/takenCount``.
        let takenCount: Int
    }

    /// The identifier of a waiting request.
    struct WaiterID: Hashable, Sendable {
        let number: Int
    }

    /// A waiting request.
    struct Waiter {
        let id: WaiterID
        let connectTimeout: Duration
    }

    /// The offer to a request.
    enum Offer: Hashable {
        case connection(ConnectionID)
        /// The request may open a connection, and reports the outcome with ``add(_:_:for:connectTimeout:now:)``
        /// or ``withdrawPermit(for:connectTimeout:because:)``.
        case permit
    }

    /// The properties of a connection that decide which requests it can serve.
    struct Traits: Hashable {
        /// The maximum number of simultaneous exchanges; `nil` for HTTP/1.1, which allows one.
        var streamLimit: Int?
        /// Whether every request that accepts plain connections may use the connection.
        var isPlain = true

        var isMultiplexed: Bool { streamLimit != nil }
    }

    /// The request's requirements, and its evaluation of connections that are not plain.
    struct Demand {
        /// Whether plain connections are usable without an evaluation.
        var acceptsPlain = true
        /// Whether a connection may be authenticated with the request's credential; such a connection is preferred.
        var prefersAuthenticated = false
        var evaluations: [Candidate: HTTPConnection.Fitness] = [:]
        /// The timeout with which the request would open a connection.
        let connectTimeout: Duration
        /// Whether the request waits if no connection is available.
        var mayWait = true
    }

    enum Outcome: Equatable {
        case offer(Offer)
        /// The request has to evaluate these connections, and then repeats the call.
        case evaluate([Candidate])
        /// No connection is available, and the request does not wait.
        case full
        case wait(WaiterID)
        case closed
    }

    /// The reason why a waiting request gets no connection.
    enum Failure: Error, Equatable {
        case closed
        /// All connections that the limits allow stayed busy until the wait timed out.
        case timedOut
        /// The first connection was still being opened when the wait timed out.
        case timedOutOpening
        /// The attempt at the first connection failed, as an attempt of the waiting request would have.
        case attemptFailed(TransportError)
        case cancelled
    }

    /// The actions that the pool has to perform after an event.
    struct Actions: Equatable {
        var closing: [ConnectionID] = []
        var offers: [(waiter: WaiterID, result: Result<Offer, Failure>)] = []

        var isEmpty: Bool { closing.isEmpty && offers.isEmpty }

        static func == (one: Self, other: Self) -> Bool {
            one.closing == other.closing
                && one.offers.elementsEqual(other.offers) { $0.waiter == $1.waiter && $0.result == $1.result }
        }
    }

    /// The state of a connection.
    struct Connection {
        let route: Route
        var traits: Traits
        /// The number of running exchanges.
        var inUse = 0
        /// The number of times that a request has taken the connection while it was idle; 0 for HTTP/2.
        var takenCount = 0
        /// The time at which the last exchange ended.
        var idleSince: ContinuousClock.Instant
        /// Whether the connection accepts no further request, is not counted any more,
        /// and closes after its last exchange.
        var isRetired = false

        var hasCapacity: Bool { !isRetired && inUse < traits.streamLimit ?? 1 }
        var isIdle: Bool { inUse == 0 && !isRetired }
    }

    /// The connections of one route.
    struct Group {
        /// The idle HTTP/1.1 connections, with the most recently used last.
        var idle: [ConnectionID] = []
        /// All HTTP/2 connections.
        var multiplexed: [ConnectionID] = []
        /// The number of counted connections: busy ones, idle ones, and those that are being opened.
        var count = 0
        /// The connect timeouts of the connections that are being opened.
        var attempts: [Duration] = []
        /// Whether every request may open its own connection: the server turned out not to support HTTP/2, or an
        /// attempt failed for a reason that may not apply to other requests.
        var opensInParallel = false
        var waiters: Deque<Waiter> = []

        /// Whether connections are being opened, and none is open.
        var isOpeningFirst: Bool { !attempts.isEmpty && attempts.count == count }
        var isEmpty: Bool { count == 0 && idle.isEmpty && multiplexed.isEmpty && waiters.isEmpty }

        /// Begins an attempt to open a connection.
        mutating func beginAttempt(_ connectTimeout: Duration) {
            count += 1
            attempts.append(connectTimeout)
        }

        /// Ends an attempt, whether it opened a connection or not.
        mutating func endAttempt(_ connectTimeout: Duration) {
            if let index = attempts.firstIndex(of: connectTimeout) { attempts.remove(at: index) }
        }
    }
}
