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

    /// The fittest, and of these the most recently used; an exchange of HTTP/2 is counted.
    mutating func takeFittest(
        _ fitness: (HTTPConnection.Admission) -> ConnectionPool.Fitness
    ) -> HTTPConnection? {
        var usable: Int?
        search: for index in idle.indices.reversed() {
            switch fitness(idle[index].connection.admission) {
            case .authenticated:
                usable = index
                break search
            case .usable: usable = usable ?? index
            case .outdated, .foreign: break
            }
        }
        if let usable { return idle.remove(at: usable).connection }
        return takeShared { fitness($0) == .usable }
    }

    /// Whatever there is; whether it fits is for the taker to find out.
    mutating func takeAny() -> HTTPConnection? {
        idle.popLast()?.connection ?? takeShared { _ in true }
    }

    private mutating func takeShared(where isFit: (HTTPConnection.Admission) -> Bool) -> HTTPConnection? {
        guard let index = shared.firstIndex(where: { $0.hasRoom && isFit($0.connection.admission) }) else { return nil }
        shared[index].inUse += 1
        return shared[index].connection
    }

    func sharedIndex(of connection: HTTPConnection) -> Int? {
        shared.firstIndex { $0.connection.channel === connection.channel }
    }
}
