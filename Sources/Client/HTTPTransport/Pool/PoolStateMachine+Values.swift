// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule

/// The values that the pool and its state machine exchange, and the stored values of the state machine.
extension PoolStateMachine {
    /// The identifier of a pooled connection.
    struct ConnectionID: Hashable, Sendable {
        let number: Int
    }

    /// The identifier of a waiting request.
    struct WaiterID: Hashable, Sendable {
        let number: Int
    }

    /// The offer to a request.
    enum Offer: Hashable {
        case connection(ConnectionID)
        /// The request may open a connection, and reports the outcome with ``add(_:_:for:now:)``
        /// or ``withdrawPermit(for:)``.
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
        var evaluations: [ConnectionID: HTTPConnection.Fitness] = [:]
        /// Whether the request waits if no connection is available.
        var mayWait = true
    }

    enum Outcome: Equatable {
        case offer(Offer)
        /// The request has to evaluate these connections, and then repeats the call.
        case evaluate([ConnectionID])
        /// No connection is available, and the request does not wait.
        case full
        case wait(WaiterID)
        case closed
    }

    /// The reason why a waiting request gets no connection.
    enum Failure: Error, Equatable {
        case closed
        case timedOut
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
        var opening = 0
        /// Whether the server turned out not to support HTTP/2, so that every request needs its own connection.
        var supportsOnlyHTTP1 = false
        /// The number of counted connections that are not plain, and need an evaluation.
        var restrictedCount = 0
        var waiters: Deque<WaiterID> = []

        var isEmpty: Bool { count == 0 && idle.isEmpty && multiplexed.isEmpty && waiters.isEmpty }
    }
}
