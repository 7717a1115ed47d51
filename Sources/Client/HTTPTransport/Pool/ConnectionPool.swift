// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// A pool that leases connections, opens new ones within its limits, and stores idle ones for further requests.
///
/// ``PoolStateMachine`` makes the decisions; the pool protects it with a lock and carries them out. The lock covers
/// only the state machine, the pool's own tables and the comparison of routes: no delegate, promise,
/// channel or other lock.
package final class ConnectionPool: Sendable {
    typealias ConnectionID = PoolStateMachine.ConnectionID
    private typealias Offer = PoolStateMachine.Offer
    private typealias WaiterID = PoolStateMachine.WaiterID

    private struct State {
        var machine: PoolStateMachine
        var connections: [ConnectionID: HTTPConnection] = [:]
        var waiters: [WaiterID: EventLoopPromise<Offer>] = [:]
        var sweep: Scheduled<Void>?
    }

    private let state: NIOLockedValueBox<State>
    private let settings: Connector.Settings
    private let timeout: Duration
    private let keepAliveTimeout: Duration

    /// Makes an empty pool.
    ///
    /// - Parameters:
    ///   - settings: The settings with which connections are opened.
    ///   - limits: The maximum numbers of connections, and the idle timeout.
    ///   - timeout: The timeout of a request that waits for a connection, because the limits allow no new one or because
    ///     another request is opening one that both may share.
    package init(settings: Connector.Settings, limits: ConnectionLimits, timeout: Duration) {
        state = NIOLockedValueBox(State(machine: PoolStateMachine(limits: limits)))
        (self.settings, self.timeout, keepAliveTimeout) = (settings, timeout, limits.keepAliveTimeout)
    }

    deinit {
        state.withLockedValue { $0.sweep }?.cancel()
        for connection in change({ $0.close() }).connections { connection.channel.close(promise: nil) }
    }

    /// Whether the pool was closed, so that it leases no connections.
    package var isClosed: Bool { state.withLockedValue(\.machine.isClosed) }

    // MARK: Leasing

    /// Leases a connection of a route: a suitable idle one, a stream of an HTTP/2 connection, or a new one.
    ///
    /// - Parameters:
    ///   - route: The route of the connection.
    ///   - connectTimeout: The timeout for opening a new connection; `nil` for that of the settings.
    ///   - delegate: The delegate of the request, which evaluates idle connections, and answers challenges while a new
    ///     one is opened.
    /// - Returns: The lease, for at least one exchange.
    /// - Throws: ``TransportError``, errors of the delegate, and `CancellationError` if the task is cancelled.
    package func lease(
        _ route: Route, connectTimeout: Duration? = nil, delegate: any LeaseDelegate
    ) async throws -> HTTPConnection.Lease {
        let connectTimeout = connectTimeout ?? settings.connectTimeout
        if let found = try await takeConnection(of: route, connectTimeout, delegate) { return found }
        do {
            let connection = try await Connector(settings: settings, route: route, connectTimeout: connectTimeout)
                .connect(delegate: delegate)
            return add(connection, for: route, connectTimeout)
        } catch {
            perform { $0.withdrawPermit(for: route, connectTimeout: connectTimeout, because: error) }
            throw error
        }
    }

    /// Takes a pooled connection, or waits for one.
    ///
    /// - Returns: The lease; `nil` if the request may open a connection.
    private func takeConnection(
        of route: Route, _ connectTimeout: Duration, _ delegate: any LeaseDelegate
    ) async throws -> HTTPConnection.Lease? {
        var deadline: NIODeadline?
        while true {
            switch try takeOrQueue(route, connectTimeout, delegate) {
            case .lease(let lease): return lease
            case .permit: return nil
            case .waiting(let waiter, let offered):
                let end = deadline ?? .now() + TimeAmount(timeout)
                deadline = end
                guard case .connection(let id) = try await wait(waiter, for: route, offered, until: end) else {
                    return nil
                }
                guard let connection = state.withLockedValue({ $0.connections[id] }) else { continue }
                if connection.isAlive, fitness(of: connection, delegate).isFit {
                    return HTTPConnection.Lease(of: connection, isReused: true, from: self)
                }
                if connection.isMultiplexed {
                    release(id, connection, isReusable: true)
                } else if perform({ $0.exchangeForPermit(id, connectTimeout: connectTimeout) }) {
                    return nil
                }
            }
        }
    }

    private enum Taking {
        case lease(HTTPConnection.Lease)
        case permit
        case waiting(WaiterID, EventLoopFuture<Offer>)
    }

    private func takeOrQueue(
        _ route: Route, _ connectTimeout: Duration, _ delegate: any LeaseDelegate
    ) throws -> Taking {
        var demand = PoolStateMachine.Demand(
            acceptsPlain: delegate.acceptsPlainConnections,
            prefersAuthenticated: delegate.prefersAuthenticatedConnections, connectTimeout: connectTimeout)
        // The promise is created before the request waits, so that no offer is lost.
        var promise: EventLoopPromise<Offer>?
        defer { promise?.fail(PoolStateMachine.Failure.cancelled) }
        while true {
            demand.mayWait = promise != nil
            let (outcome, found, unevaluated) = changeAndPerform { state in
                let outcome = state.machine.lease(route, demand, now: .now)
                var found: HTTPConnection?
                var unevaluated: [(PoolStateMachine.Candidate, HTTPConnection)] = []
                switch outcome {
                case .offer(.connection(let id)): found = state.connections[id]
                case .evaluate(let candidates):
                    unevaluated = candidates.compactMap { candidate in
                        state.connections[candidate.id].map { (candidate, $0) }
                    }
                case .wait(let waiter): state.waiters[waiter] = promise
                default: break
                }
                return (outcome, found, unevaluated)
            }
            switch outcome {
            case .closed: throw TransportError.poolClosed
            case .offer(.permit): return .permit
            case .offer(.connection(let id)):
                guard let found else { continue }
                guard found.isAlive else {
                    // Other exchanges may still be running:
                    // a server that sends GOAWAY completes them (RFC 9113 section 6.8).
                    perform { $0.decline(id, now: .now) }
                    continue
                }
                return .lease(HTTPConnection.Lease(of: found, isReused: true, from: self))
            case .evaluate:
                for (candidate, connection) in unevaluated {
                    demand.evaluations[candidate] = fitness(of: connection, delegate)
                }
            case .full: promise = settings.group.any().makePromise()
            case .wait(let waiter):
                guard let offer = promise?.futureResult else { continue }
                promise = nil
                return .waiting(waiter, offer)
            }
        }
    }

    private func fitness(of connection: HTTPConnection, _ delegate: any LeaseDelegate) -> HTTPConnection.Fitness {
        guard connection.isAlive else { return .outdated }
        return connection.isPlain && delegate.acceptsPlainConnections ? .usable : delegate.fitness(of: connection)
    }

    private func wait(
        _ waiter: WaiterID, for route: Route, _ offer: EventLoopFuture<Offer>, until deadline: NIODeadline
    ) async throws -> Offer {
        let timer = offer.eventLoop.scheduleTask(deadline: deadline) {
            self.perform { $0.dismiss(waiter, for: route, because: .timedOut) }
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await offer.get()
            } onCancel: {
                perform { $0.dismiss(waiter, for: route, because: .cancelled) }
            }
        } catch let failure as PoolStateMachine.Failure {
            switch failure {
            case .closed: throw TransportError.poolClosed
            case .timedOut: throw TransportError.noConnectionFree(route.peer, waited: timeout)
            case .timedOutOpening: throw TransportError.noConnectionOpened(route.peer, waited: timeout)
            case .attemptFailed(let error): throw error
            case .cancelled: throw CancellationError()
            }
        }
    }

    // MARK: Storing connections

    private func add(
        _ connection: HTTPConnection, for route: Route, _ connectTimeout: Duration
    ) -> HTTPConnection.Lease {
        let traits = PoolStateMachine.Traits(
            streamLimit: connection.streams?.limit, isPlain: connection.isPlain)
        let id = state.withLockedValue { $0.machine.makeConnectionID() }
        // Set before the connection is added, because other requests may lease it from then on.
        connection.whenLeaseEnds { [weak self] connection, isReusable in
            guard let self else { return connection.channel.close(promise: nil) }
            release(id, connection, isReusable: isReusable)
        }
        changeAndPerform { state in
            state.machine.add(id, traits, for: route, connectTimeout: connectTimeout, now: .now)
            state.connections[id] = connection
        }
        if let streams = connection.streams {
            streams.listen { [weak self, weak streams] in
                guard let self, let streams else { return }
                note(streams, of: id)
            }
            // The limit may have changed before the listener was set.
            note(streams, of: id)
        }
        connection.channel.closeFuture.whenComplete { [weak self] _ in self?.remove(id) }
        return HTTPConnection.Lease(of: connection, isReused: false, from: self)
    }

    private func note(_ streams: HTTP2Streams, of id: ConnectionID) {
        let (isDraining, limit) = (streams.isDraining, streams.limit)
        perform { machine in
            if isDraining { machine.drain(id) } else { machine.setStreamLimit(limit, of: id) }
        }
    }

    /// Returns a connection to the pool when its lease has ended.
    private func release(_ id: ConnectionID, _ connection: HTTPConnection, isReusable: Bool) {
        // A failed exchange does not make a multiplexed connection unusable for its other exchanges.
        let attachment = connection.attachment
        let isPlain = attachment?.isPlain ?? true
        let isRetained =
            attachment?.mayBeShared ?? true && (connection.isMultiplexed || isReusable && connection.isAlive)
        let hasSweep = changeAndPerform { state in
            state.machine.release(id, isReusable: isRetained, isPlain: isPlain, now: .now)
            return state.sweep != nil
        }
        if !hasSweep { setSweep(at: .now() + TimeAmount(keepAliveTimeout)) }
    }

    private func remove(_ id: ConnectionID) {
        perform { $0.remove(id) }
    }

    // MARK: Locking

    /// Changes the state machine, and then performs the resulting actions.
    @discardableResult
    private func perform<Value>(_ change: (inout PoolStateMachine) -> Value) -> Value {
        changeAndPerform { change(&$0.machine) }
    }

    private func changeAndPerform<Value>(_ change: (inout State) -> Value) -> Value {
        let (value, work) = state.withLockedValue { state in
            let value = change(&state)
            return (value, Work(state.machine.takeActions(), &state))
        }
        for (promise, result) in work.offers { promise.completeWith(result) }
        for connection in work.connections { connection.channel.close(promise: nil) }
        return value
    }

    private func change(_ change: (inout PoolStateMachine) -> Void) -> Work {
        state.withLockedValue { state in
            change(&state.machine)
            return Work(state.machine.takeActions(), &state)
        }
    }

    /// The actions that are performed after the lock is released.
    private struct Work {
        var offers: [(EventLoopPromise<Offer>, Result<Offer, any Error>)] = []
        /// The connections to close; retained until the lock is released, because their deinitialization may run
        /// arbitrary code.
        var connections: [HTTPConnection] = []

        init(_ actions: PoolStateMachine.Actions, _ state: inout State) {
            for id in actions.closing {
                if let connection = state.connections.removeValue(forKey: id) { connections.append(connection) }
            }
            for (waiter, result) in actions.offers {
                guard let promise = state.waiters.removeValue(forKey: waiter) else { continue }
                offers.append((promise, result.mapError { $0 }))
            }
        }
    }

    // MARK: Closing

    private func setSweep(at time: NIODeadline) {
        let scheduled = settings.group.any().scheduleTask(deadline: time) { [weak self] () -> Void in self?.sweep() }
        let earlier = state.withLockedValue { state in
            defer { state.sweep = scheduled }
            return state.sweep
        }
        earlier?.cancel()
    }

    private func sweep() {
        // Reset before the check, because connections that are released from now on schedule another sweep.
        state.withLockedValue { $0.sweep = nil }
        let now = ContinuousClock.now
        guard let oldest = perform({ $0.sweep(now: now) }) else { return }
        setSweep(at: .now() + TimeAmount(oldest + keepAliveTimeout - now))
    }

    /// Closes idle connections now, and the other connections when their exchanges have ended.
    ///
    /// Waiting requests fail with ``TransportError/poolClosed``.
    package func close() async {
        let work = change { $0.close() }
        state.withLockedValue { $0.sweep }?.cancel()
        for (promise, result) in work.offers { promise.completeWith(result) }
        for connection in work.connections { connection.channel.close(promise: nil) }
        for connection in work.connections { try? await connection.channel.closeFuture.get() }
    }

    /// Closes all connections now, also those with running exchanges, which fail with ``TransportError/poolClosed``.
    package func abort() {
        perform { $0.close() }
        for connection in state.withLockedValue({ Array($0.connections.values) }) {
            connection.record.note { $0.lateFailure = TransportError.poolClosed }
            connection.channel.close(promise: nil)
        }
    }

    /// Waits until the present connections are closed; the pool closes each one itself only after ``close()``.
    package func waitForConnections() async {
        for connection in state.withLockedValue({ Array($0.connections.values) }) {
            try? await connection.channel.closeFuture.get()
        }
    }
}

extension HTTPConnection.Fitness {
    fileprivate var isFit: Bool { self == .usable || self == .authenticated }
}

/// The connection limits of a session: the maximum numbers of connections, and the idle timeout.
public struct ConnectionLimits: Hashable, Sendable {
    /// The maximum number of connections to the same origin with the same proxy and settings; 32 by default, and at
    /// least 1.
    public var perRoute: Int { didSet { perRoute = max(1, perRoute) } }
    /// The maximum number of all connections; 512 by default, and at least 1.
    public var total: Int { didSet { total = max(1, total) } }
    /// The time after which an idle connection is closed; 60 seconds by default.
    ///
    /// Most servers close it earlier.
    public var keepAliveTimeout: Duration

    /// Makes limits; numbers below 1 count as 1.
    ///
    /// A request waits if every connection is busy; see `HTTPSession.Configuration.poolTimeout`.
    public init(perRoute: Int = 32, total: Int = 512, keepAliveTimeout: Duration = .seconds(60)) {
        self.perRoute = max(1, perRoute)
        self.total = max(1, total)
        self.keepAliveTimeout = keepAliveTimeout
    }
}
