// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Counts connections, and notes what is to be done with them once nobody looks at the pool's state.
struct PoolLedger {
    /// What is to be done.
    struct Effects {
        var closing: [any Channel] = []
        var answers: [(PoolLane.Waiter, Result<ConnectionPool.Offer, any Error>)] = []
    }

    let limits: ConnectionLimits
    /// Those that count and are open.
    private(set) var members: Set<ObjectIdentifier> = []
    /// How many there are, with those that are being opened.
    private(set) var total = 0
    var effects = Effects()

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    var isFull: Bool { total >= limits.total }

    func isOverdue(_ since: NIODeadline, at now: NIODeadline) -> Bool {
        since + TimeAmount(limits.idleTimeout) <= now
    }

    func counts(_ connection: HTTPConnection) -> Bool {
        members.contains(ObjectIdentifier(connection.channel))
    }

    /// One more may be opened.
    mutating func permit(in lane: inout PoolLane) {
        lane.count += 1
        lane.opening += 1
        total += 1
    }

    mutating func withdrawPermit(in lane: inout PoolLane) {
        lane.count -= 1
        lane.opening -= 1
        total -= 1
    }

    /// A permit was used.
    mutating func add(_ connection: HTTPConnection, to lane: inout PoolLane) {
        lane.opening -= 1
        members.insert(ObjectIdentifier(connection.channel))
    }

    /// It is closed, and counts no more.
    mutating func close(_ connection: HTTPConnection, in lane: inout PoolLane) {
        effects.closing.append(connection.channel)
        uncount(connection, in: &lane)
    }

    /// It is closed once its last exchange has ended, and counts no more.
    mutating func retireShared(at index: Int, in lane: inout PoolLane) {
        let connection = lane.shared[index].connection
        guard lane.shared[index].inUse == 0 else {
            lane.shared[index].isRetired = true
            return uncount(connection, in: &lane)
        }
        lane.shared.remove(at: index)
        close(connection, in: &lane)
    }

    private mutating func uncount(_ connection: HTTPConnection, in lane: inout PoolLane) {
        guard members.remove(ObjectIdentifier(connection.channel)) != nil else { return }
        lane.count -= 1
        total -= 1
    }

    /// The fittest; what is found unusable on the way is closed, as soon as nobody uses it.
    mutating func takeFittest(
        from lane: inout PoolLane, at now: NIODeadline, fitness: (HTTPConnection) -> ConnectionPool.Fitness
    ) -> HTTPConnection? {
        while let (index, found) = lane.fittestIdle(fitness) {
            let (connection, since) = lane.idle.remove(at: index)
            if found != .outdated, connection.isAlive, !isOverdue(since, at: now) { return connection }
            close(connection, in: &lane)
        }
        for index in lane.shared.indices.reversed() where !lane.shared[index].isRetired {
            let shared = lane.shared[index]
            let isOver = shared.isIdle && isOverdue(shared.since, at: now)
            if isOver || !shared.connection.isAlive || fitness(shared.connection) == .outdated {
                retireShared(at: index, in: &lane)
            }
        }
        return lane.shared.firstIndex { $0.hasRoom && fitness($0.connection) == .usable }.map {
            lane.takeShared(at: $0)
        }
    }

    /// Closes what nobody uses and what is not to be used, as soon as nobody does.
    mutating func closeUnused(
        in lane: inout PoolLane, at now: NIODeadline, where isUnwanted: (HTTPConnection) -> Bool
    ) {
        for index in lane.idle.indices.reversed() {
            let (connection, since) = lane.idle[index]
            if !connection.isAlive || isOverdue(since, at: now) || isUnwanted(connection) {
                lane.idle.remove(at: index)
                close(connection, in: &lane)
            }
        }
        for index in lane.shared.indices.reversed() where !lane.shared[index].isRetired {
            let shared = lane.shared[index]
            if !shared.connection.isAlive || shared.isIdle && isOverdue(shared.since, at: now)
                || isUnwanted(shared.connection)
            {
                retireShared(at: index, in: &lane)
            }
        }
    }

    /// Closes the one that was not used for the longest time.
    mutating func closeOldest(in lane: inout PoolLane) {
        let shared = lane.shared.indices.filter { lane.shared[$0].isIdle }.min {
            lane.shared[$0].since < lane.shared[$1].since
        }
        if let shared, lane.idle.first.map({ lane.shared[shared].since < $0.since }) ?? true {
            retireShared(at: shared, in: &lane)
        } else if !lane.idle.isEmpty {
            close(lane.idle.removeFirst().connection, in: &lane)
        }
    }
}
