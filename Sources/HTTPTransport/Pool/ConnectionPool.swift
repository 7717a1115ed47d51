// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
package import NIOCore

/// Connections, and the requests that wait for one.
package final class ConnectionPool: Sendable {
    /// What a request is given.
    package enum Offer: Sendable {
        case connection(HTTPConnection)
        /// It may open one, and says what came of it: ``add(_:for:)`` or ``withdrawPermit(for:)``.
        case permit
    }

    /// What a request can do with an idle connection, the worst first.
    package enum Fitness: Int, Comparable {
        /// The answers that opened it are not those that would be given now.
        case outdated
        /// It is somebody else's.
        case foreign
        case usable
        /// It is authenticated as the request needs it.
        case authenticated

        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    private let state: NIOLockedValueBox<PoolState>
    private let sweeper = NIOLockedValueBox<Scheduled<Void>?>(nil)
    private let group: any EventLoopGroup
    private let timeout: Duration
    private let idleTimeout: Duration

    package init(limits: ConnectionLimits, timeout: Duration, group: any EventLoopGroup) {
        state = NIOLockedValueBox(PoolState(limits: limits))
        idleTimeout = limits.idleTimeout
        self.timeout = timeout
        self.group = group
    }

    deinit {
        sweeper.withLockedValue { $0?.cancel() }
        change { $0.close() }
    }

    package var isClosed: Bool { state.withLockedValue(\.isClosed) }

    /// Does what a change of the state has made necessary, once nobody looks at it.
    @discardableResult
    private func change<Value>(_ body: (inout PoolState) throws -> Value) rethrows -> Value {
        let (value, effects) = try state.withLockedValue { state in
            let value = try body(&state)
            return (value, state.takeEffects())
        }
        for (waiter, answer) in effects.answers { waiter.answer(answer) }
        for channel in effects.closing { channel.close(promise: nil) }
        return value
    }

    // MARK: Taking

    /// A connection whose answers are still those that would be given, the fittest, and of these the most recently used; or the
    /// permit to open one.
    ///
    /// Waits where the limits allow neither.
    ///
    /// - Throws: ``TransportError/noConnectionFree(_:waited:)``, ``TransportError/sessionClosed``, `CancellationError`.
    package func take(for route: Route, fitness: (HTTPConnection) -> Fitness) async throws -> Offer {
        var deadline: NIODeadline?
        while true {
            let place: WaitingPlace
            switch try takeOrQueue(for: route, fitness: fitness) {
            case .offer(let offer): return offer
            case .place(let found): place = found
            }
            let end = deadline ?? .now() + TimeAmount(timeout)
            deadline = end
            guard case .connection(let offered) = try await wait(at: place, for: route, until: end) else {
                return .permit
            }
            if offered.isAlive, fitness(offered) >= .usable { return .connection(offered) }
            if offered.streams != nil {
                put(offered, for: route)
            } else if change({ $0.trade(offered, for: route) }) {
                return .permit
            }
        }
    }

    private struct WaitingPlace {
        let number: Int
        let offer: EventLoopFuture<Offer>
    }

    private enum Taking {
        case offer(Offer)
        case place(WaitingPlace)
    }

    /// At once: what is given back between a look and the queue would be offered to nobody.
    private func takeOrQueue(for route: Route, fitness: (HTTPConnection) -> Fitness) throws -> Taking {
        try change { state in
            guard !state.isClosed else { throw TransportError.poolClosed }
            if let offer = state.take(for: route, now: .now(), fitness: fitness) { return .offer(offer) }
            let promise = group.any().makePromise(of: Offer.self)
            let number = state.wait(for: route) { promise.completeWith($0) }
            return .place(WaitingPlace(number: number, offer: promise.futureResult))
        }
    }

    private func wait(at place: WaitingPlace, for route: Route, until deadline: NIODeadline) async throws -> Offer {
        let timer = place.offer.eventLoop.scheduleTask(deadline: deadline) { [timeout] in
            self.change {
                $0.dismiss(
                    place.number, for: route, because: TransportError.noConnectionFree(route.peer, waited: timeout))
            }
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await place.offer.get()
        } onCancel: {
            change { $0.dismiss(place.number, for: route, because: CancellationError()) }
        }
    }

    // MARK: Giving back

    /// Counts a connection that was opened with a permit, and forgets it once it is closed.
    package func add(_ connection: HTTPConnection, for route: Route) {
        change { $0.add(connection, for: route) }
        if let streams = connection.streams {
            streams.listen { [weak self] in self?.change { $0.reconsider(connection, for: route) } }
            // The server may have spoken before anybody listened.
            change { $0.reconsider(connection, for: route) }
        }
        connection.channel.closeFuture.whenComplete { [weak self] _ in self?.remove(connection, for: route) }
    }

    /// Nothing was opened with a permit.
    package func withdrawPermit(for route: Route) {
        change { $0.withdrawPermit(for: route) }
    }

    /// Takes a connection back, or one exchange of it, whose response is complete.
    package func put(_ connection: HTTPConnection, for route: Route) {
        change { $0.put(connection, for: route) }
        scheduleSweep()
    }

    /// Nobody is to use a connection again; one of HTTP/2 only loses an exchange.
    package func retire(_ connection: HTTPConnection, for route: Route) {
        guard connection.streams == nil else { return put(connection, for: route) }
        remove(connection, for: route)
    }

    private func remove(_ connection: HTTPConnection, for route: Route) {
        connection.channel.close(promise: nil)
        change { $0.remove(connection, for: route) }
    }

    // MARK: Ending

    private func scheduleSweep() {
        sweeper.withLockedValue { sweeper in
            guard sweeper == nil else { return }
            sweeper = group.any().scheduleTask(in: TimeAmount(idleTimeout)) { [weak self] in self?.sweep() }
        }
    }

    private func sweep() {
        // Before looking: what is put back from now on schedules a sweep of its own.
        sweeper.withLockedValue { $0 = nil }
        guard let oldest = change({ $0.sweep(now: .now()) }) else { return }
        sweeper.withLockedValue { sweeper in
            sweeper?.cancel()
            sweeper = group.any().scheduleTask(deadline: oldest + TimeAmount(idleTimeout)) { [weak self] in
                self?.sweep()
            }
        }
    }

    /// Closes what is idle now, and later what is still at work.
    package func close() async {
        let effects = state.withLockedValue { state in
            state.close()
            return state.takeEffects()
        }
        sweeper.withLockedValue { $0?.cancel() }
        for (waiter, answer) in effects.answers { waiter.answer(answer) }
        // Each waits for its peer's word of parting, so they wait together.
        let closings = effects.closing.map { $0.close() }
        for closing in closings { try? await closing.get() }
    }
}
