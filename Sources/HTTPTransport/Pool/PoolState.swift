// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule
import NIOCore

/// Which connections there are, who uses them, and who waits for one; what is to be done about it stands in its ledger.
struct PoolState {
    private var lanes: [Route: PoolLane] = [:]
    private var ledger: PoolLedger
    /// Lanes with waiters, the longest first.
    private var waiting: [Route] = []
    private(set) var isClosed = false
    private var lastWaiter = 0

    init(limits: ConnectionLimits) {
        ledger = PoolLedger(limits: limits)
    }

    /// Hands out what is to be done, once.
    mutating func takeEffects() -> PoolLedger.Effects {
        defer { ledger.effects = PoolLedger.Effects() }
        return ledger.effects
    }

    private mutating func with<Value>(
        _ route: Route, _ body: (inout PoolLane, inout PoolLedger) -> Value
    ) -> Value {
        var (isEmpty, isWaiting) = (false, false)
        func visit(_ lane: inout PoolLane, _ ledger: inout PoolLedger) -> Value {
            defer { (isEmpty, isWaiting) = (lane.isEmpty, !lane.waiters.isEmpty) }
            return body(&lane, &ledger)
        }
        let value = visit(&lanes[route, default: PoolLane()], &ledger)
        if isEmpty { lanes[route] = nil }
        if !isWaiting, !waiting.isEmpty { waiting.removeAll { $0 == route } }
        return value
    }

    // MARK: Taking

    /// What a request can have at once; `nil` where it has to wait.
    mutating func take(
        for route: Route, now: NIODeadline, fitness: (HTTPConnection) -> ConnectionPool.Fitness
    ) -> ConnectionPool.Offer? {
        let found = with(route) { lane, ledger -> HTTPConnection? in
            guard lane.waiters.isEmpty else { return nil }
            return ledger.takeFittest(from: &lane, at: now, fitness: fitness)
        }
        if let found { return .connection(found) }
        guard lanes[route]?.waiters.isEmpty ?? true else { return nil }
        return permit(for: route)
    }

    /// Whether another connection may be opened, perhaps for one that nobody uses.
    private mutating func permit(for route: Route) -> ConnectionPool.Offer? {
        let mayOpen = with(route) { lane, ledger in
            // Whoever opens the first finds out whether the others need any.
            if route.maySpeakHTTP2, !lane.speaksHTTP1, lane.opening > 0 { return false }
            // A server that takes no request for now takes none over another connection (RFC 9113 section 5.1.2).
            if lane.shared.contains(where: { !$0.isRetired && $0.connection.streams?.limit == 0 }) { return false }
            guard lane.count >= ledger.limits.perRoute else { return true }
            // What is idle here is somebody else's.
            guard lane.oldest != nil else { return false }
            ledger.closeOldest(in: &lane)
            return true
        }
        guard mayOpen else { return nil }
        if ledger.isFull { closeOldest() }
        guard !ledger.isFull else { return nil }
        with(route) { lane, ledger in ledger.permit(in: &lane) }
        return .permit
    }

    private mutating func closeOldest() {
        let oldest = lanes.compactMap { route, lane in lane.oldest.map { (route, $0) } }.min { $0.1 < $1.1 }
        guard let (route, _) = oldest else { return }
        with(route) { lane, ledger in ledger.closeOldest(in: &lane) }
    }

    // MARK: Waiting

    /// - Returns: The waiter's number.
    mutating func wait(
        for route: Route, answer: @escaping @Sendable (Result<ConnectionPool.Offer, any Error>) -> Void
    ) -> Int {
        lastWaiter += 1
        let waiter = PoolLane.Waiter(number: lastWaiter, answer: answer)
        if with(
            route,
            { lane, _ in
                lane.waiters.append(waiter); return lane.waiters.count == 1
            })
        {
            waiting.append(route)
        }
        return lastWaiter
    }

    /// Ends the waiting of one; nothing happens where it was answered before.
    mutating func dismiss(_ number: Int, for route: Route, because error: any Error) {
        with(route) { lane, ledger in
            guard let index = lane.waiters.firstIndex(where: { $0.number == number }) else { return }
            ledger.effects.answers.append((lane.waiters.remove(at: index), .failure(error)))
            // A server that took no request for so long is asked anew.
            let refusing = lane.shared.firstIndex { $0.isIdle && $0.connection.streams?.limit == 0 }
            if let refusing { ledger.retireShared(at: refusing, in: &lane) }
        }
    }

    /// Gives those who wait what there is.
    private mutating func serve(_ route: Route) {
        while lanes[route]?.waiters.isEmpty == false {
            let found = with(route) { lane, _ in lane.takeAny() }
            guard let offer = found.map(ConnectionPool.Offer.connection) ?? permit(for: route) else { return }
            with(route) { lane, ledger in
                ledger.effects.answers.append((lane.waiters.removeFirst(), .success(offer)))
            }
        }
    }

    /// Gives first those of one lane what there is, and then all others, who may need the place of an idle one more.
    private mutating func serveAll(first route: Route) {
        guard !waiting.isEmpty else { return }
        serve(route)
        for other in waiting {
            guard !ledger.isFull || lanes.values.contains(where: { $0.oldest != nil }) else { return }
            serve(other)
        }
    }

    // MARK: Coming and going

    /// A permit was used: whoever had it uses the connection.
    mutating func add(_ connection: HTTPConnection, for route: Route) {
        with(route) { lane, ledger in
            ledger.add(connection, to: &lane)
            lane.speaksHTTP1 = connection.streams == nil
            if connection.streams != nil {
                lane.shared.append(.init(connection: connection, inUse: 1, since: .now()))
            }
        }
        serve(route)
    }

    /// A permit came to nothing.
    mutating func withdrawPermit(for route: Route) {
        with(route) { lane, ledger in ledger.withdrawPermit(in: &lane) }
        serveAll(first: route)
    }

    /// A connection was offered that does not fit: another may be opened for it.
    ///
    /// - Returns: `false` where it was closed before, and its place is somebody else's by now.
    mutating func trade(_ connection: HTTPConnection, for route: Route) -> Bool {
        guard ledger.counts(connection) else { return false }
        with(route) { lane, ledger in
            ledger.close(connection, in: &lane)
            ledger.permit(in: &lane)
        }
        return true
    }

    /// An exchange has ended.
    mutating func put(_ connection: HTTPConnection, for route: Route) {
        guard connection.streams == nil else { return release(connection, for: route) }
        let isKept =
            !isClosed && connection.mayBeShared && connection.isAlive && ledger.counts(connection)
        guard isKept else { return remove(connection, for: route) }
        with(route) { lane, _ in lane.idle.append((connection, .now())) }
        serveAll(first: route)
    }

    private mutating func release(_ connection: HTTPConnection, for route: Route) {
        let isEnding = isClosed || !connection.mayBeShared
        with(route) { lane, ledger in
            guard let index = lane.sharedIndex(of: connection) else { return }
            lane.shared[index].inUse -= 1
            lane.shared[index].since = .now()
            if lane.shared[index].inUse == 0, isEnding || lane.shared[index].isRetired {
                ledger.retireShared(at: index, in: &lane)
            }
        }
        serveAll(first: route)
    }

    /// A connection is closed, or nobody is to use it any more.
    mutating func remove(_ connection: HTTPConnection, for route: Route) {
        with(route) { lane, ledger in
            lane.idle.removeAll { $0.connection.channel === connection.channel }
            lane.shared.removeAll { $0.connection.channel === connection.channel }
            ledger.close(connection, in: &lane)
        }
        serveAll(first: route)
    }

    /// A server has said something of how many exchanges it takes.
    mutating func reconsider(_ connection: HTTPConnection, for route: Route) {
        if connection.streams?.isDraining == true {
            with(route) { lane, ledger in
                guard let index = lane.sharedIndex(of: connection) else { return }
                ledger.retireShared(at: index, in: &lane)
            }
        }
        serveAll(first: route)
    }

    // MARK: Ending

    /// Closes what has been idle for too long.
    ///
    /// - Returns: Since when the longest idle of the others is that; `nil` where nothing is idle.
    mutating func sweep(now: NIODeadline) -> NIODeadline? {
        for route in Array(lanes.keys) {
            with(route) { lane, ledger in ledger.closeUnused(in: &lane, at: now) { _ in false } }
        }
        return lanes.values.compactMap(\.oldest).min()
    }

    /// Closes what nobody uses, and turns away who waits.
    mutating func close() {
        isClosed = true
        for route in Array(lanes.keys) {
            with(route) { lane, ledger in
                for waiter in lane.waiters {
                    ledger.effects.answers.append((waiter, .failure(TransportError.poolClosed)))
                }
                lane.waiters = []
                ledger.closeUnused(in: &lane, at: .now()) { _ in true }
            }
        }
    }
}
