// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule
import NIOCore

/// The connections that are opened in the same way to the same place.
struct PoolLane {
    /// One who waits; it is answered once.
    struct Waiter {
        let number: Int
        let answer: @Sendable (Result<ConnectionPool.Offer, any Error>) -> Void
    }

    /// A connection of HTTP/2 and how many exchanges go over it.
    struct Shared {
        let connection: HTTPConnection
        var inUse: Int
        /// Since when nothing has gone over it.
        var since: NIODeadline
        /// Whether it ends with its last exchange.
        var isRetired = false

        var isIdle: Bool { inUse == 0 && !isRetired }
        var hasRoom: Bool { !isRetired && connection.isAlive && inUse < (connection.streams?.limit ?? 0) }
    }

    /// Of HTTP/1.1, the most recently used last.
    var idle: [(connection: HTTPConnection, since: NIODeadline)] = []
    var shared: [Shared] = []
    /// How many there are, busy ones and those that are being opened too.
    var count = 0
    var opening = 0
    /// Whether its server was found not to speak HTTP/2, so that every request needs a connection of its own.
    var speaksHTTP1 = false
    var waiters: Deque<Waiter> = []

    var isEmpty: Bool { count == 0 && idle.isEmpty && shared.isEmpty && waiters.isEmpty }

    /// Since when its longest unused connection is that.
    var oldest: NIODeadline? {
        let shared = shared.lazy.filter(\.isIdle).map(\.since).min()
        guard let idle = idle.first?.since else { return shared }
        return min(idle, shared ?? idle)
    }

    /// The fittest that is idle, and of these the most recently used.
    ///
    /// - Parameter fitness: Asked of those alone that come into question.
    /// - Returns: Where it stands, and how fit it is; `nil` where all are somebody else's.
    func fittestIdle(
        _ fitness: (HTTPConnection) -> ConnectionPool.Fitness
    ) -> (index: Int, fitness: ConnectionPool.Fitness)? {
        var best: (index: Int, fitness: ConnectionPool.Fitness)?
        // One that is nobody's is never more than usable.
        for index in idle.indices.reversed() where best == nil || !idle[index].connection.isPlain {
            let found = fitness(idle[index].connection)
            if found == .outdated || found == .authenticated { return (index, found) }
            if found == .usable { best = best ?? (index, found) }
        }
        return best
    }

    /// Whatever there is; whether it fits is for the taker to find out.
    mutating func takeAny() -> HTTPConnection? {
        idle.popLast()?.connection ?? shared.firstIndex(where: \.hasRoom).map { takeShared(at: $0) }
    }

    /// One exchange more goes over it.
    mutating func takeShared(at index: Int) -> HTTPConnection {
        shared[index].inUse += 1
        return shared[index].connection
    }

    func sharedIndex(of connection: HTTPConnection) -> Int? {
        shared.firstIndex { $0.connection.channel === connection.channel }
    }
}
