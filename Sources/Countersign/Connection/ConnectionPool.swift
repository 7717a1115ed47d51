// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// Connections, and the requests that wait for one.
final class ConnectionPool: Sendable {
    /// What a request is given.
    enum Offer: Sendable {
        case connection(HTTPConnection)
        /// It may open one, and says what came of it: ``add(_:for:)`` or ``withdrawPermit(for:)``.
        case permit
    }

    /// What a request can do with an idle connection, the worst first.
    enum Fitness: Int, Comparable {
        /// The answers that opened it are not those that would be given now.
        case outdated
        /// It is somebody else's.
        case foreign
        case usable
        /// It is authenticated as the request needs it.
        case authenticated

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    private let state: NIOLockedValueBox<PoolState>
    private let sweeper = NIOLockedValueBox<Scheduled<Void>?>(nil)
    private let group: any EventLoopGroup
    private let timeout: Duration
    private let idleTimeout: Duration

    init(limits: Session.ConnectionLimits, timeout: Duration, group: any EventLoopGroup) {
        state = NIOLockedValueBox(PoolState(limits: limits))
        idleTimeout = limits.idleTimeout
        self.timeout = timeout
        self.group = group
    }

    deinit {
        sweeper.withLockedValue { $0?.cancel() }
        change { $0.close() }
    }

    var isClosed: Bool { state.withLockedValue(\.isClosed) }

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
    /// - Throws: ``SessionError/noConnectionFree(_:waited:)``, ``SessionError/sessionClosed``, `CancellationError`.
    func take(for route: Route, fitness: (HTTPConnection.Admission) -> Fitness) async throws -> Offer {
        let offer = try change { state in
            guard !state.isClosed else { throw SessionError.sessionClosed }
            return state.take(for: route, now: .now(), fitness: fitness)
        }
        if let offer { return offer }
        guard case .connection(let offered) = try await wait(for: route) else { return .permit }
        switch fitness(offered.admission) {
        case .usable, .authenticated:
            if offered.isAlive { return .connection(offered) }
        case .foreign, .outdated: break
        }
        guard offered.streams == nil else {
            put(offered, for: route)
            return try await take(for: route, fitness: fitness)
        }
        change { $0.trade(offered, for: route) }
        return .permit
    }

    private func wait(for route: Route) async throws -> Offer {
        let promise = group.any().makePromise(of: Offer.self)
        let number = change { $0.wait(for: route) { promise.completeWith($0) } }
        let timer = promise.futureResult.eventLoop.scheduleTask(in: TimeAmount(timeout)) { [timeout] in
            self.change {
                $0.dismiss(
                    number, for: route, because: SessionError.noConnectionFree(route.endpoint, waited: timeout))
            }
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            change { $0.dismiss(number, for: route, because: CancellationError()) }
        }
    }

    // MARK: Giving back

    /// Counts a connection that was opened with a permit, and forgets it once it is closed.
    func add(_ connection: HTTPConnection, for route: Route) {
        change { $0.add(connection, for: route) }
        connection.streams?.listen { [weak self] in self?.change { $0.reconsider(connection, for: route) } }
        connection.channel.closeFuture.whenComplete { [weak self] _ in self?.remove(connection, for: route) }
    }

    /// Nothing was opened with a permit.
    func withdrawPermit(for route: Route) {
        change { $0.withdrawPermit(for: route) }
    }

    /// Takes a connection back, or one exchange of it, whose response is complete.
    func put(_ connection: HTTPConnection, for route: Route) {
        change { $0.put(connection, for: route) }
        scheduleSweep()
    }

    /// Nobody is to use a connection again; one of HTTP/2 only loses an exchange.
    func retire(_ connection: HTTPConnection, for route: Route) {
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
        let oldest = change { $0.sweep(now: .now()) }
        sweeper.withLockedValue { sweeper in
            sweeper = oldest.map { oldest in
                group.any().scheduleTask(deadline: oldest + TimeAmount(idleTimeout)) { [weak self] in self?.sweep() }
            }
        }
    }

    /// Closes what is idle now, and later what is still at work.
    func close() async {
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
