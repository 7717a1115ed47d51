// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule

/// The values that the pool and its state machine exchange, and those that the state machine keeps.
extension PoolStateMachine {
    /// A connection of the pool.
    struct ConnectionID: Hashable, Sendable {
        let number: Int
    }

    /// A request that waits.
    struct WaiterID: Hashable, Sendable {
        let number: Int
    }

    /// What a request is given.
    enum Offer: Hashable {
        case connection(ConnectionID)
        /// It may open a connection, and reports the outcome by ``add(_:_:for:now:)`` or ``withdrawPermit(for:)``.
        case permit
    }

    /// What is known of a connection besides its state.
    struct Traits: Hashable {
        /// How many exchanges the server takes at once; `nil` for HTTP/1.1, which takes one.
        var streamLimit: Int?
        /// Whether every request may use it that accepts plain connections.
        var isPlain = true

        var isMultiplexed: Bool { streamLimit != nil }
    }

    /// What a request accepts, and its judgement of the connections that are not for everyone.
    struct Demand {
        /// Whether plain connections are usable without a judgement.
        var acceptsPlain = true
        var judgements: [ConnectionID: HTTPConnection.Fitness] = [:]
        /// Whether it waits where it can have no connection now.
        var mayWait = true
    }

    enum Outcome: Equatable {
        case offer(Offer)
        /// The request judges these connections and asks again.
        case judge([ConnectionID])
        /// The request can have no connection now, and does not wait for one.
        case full
        case wait(WaiterID)
        case closed
    }

    /// Why a request that waits gets nothing.
    enum Failure: Error, Equatable {
        case closed
        case timedOut
        case cancelled
    }

    /// What the pool has to do after an event.
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
        /// How many exchanges go over it.
        var inUse = 0
        /// When its last exchange ended.
        var idleSince: ContinuousClock.Instant
        /// It takes no request any more, does not count, and closes with its last exchange.
        var isRetired = false

        var hasRoom: Bool { !isRetired && inUse < traits.streamLimit ?? 1 }
        var isIdle: Bool { inUse == 0 && !isRetired }
    }

    /// The connections of one route.
    struct Group {
        /// Idle ones of HTTP/1.1, the most recently used last.
        var idle: [ConnectionID] = []
        /// All of HTTP/2.
        var multiplexed: [ConnectionID] = []
        /// How many count: busy and idle ones, and those that are being opened.
        var count = 0
        var opening = 0
        /// Whether the server was found not to speak HTTP/2, so that every request needs a connection for itself.
        var speaksHTTP1 = false
        /// How many of those that count are not plain, and have to be judged.
        var restrictedCount = 0
        var waiters: Deque<WaiterID> = []

        var isEmpty: Bool { count == 0 && idle.isEmpty && multiplexed.isEmpty && waiters.isEmpty }
    }
}
