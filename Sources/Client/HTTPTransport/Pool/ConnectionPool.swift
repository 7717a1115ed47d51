// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Identities
import NIOConcurrencyHelpers
import NIOCore

/// Leases connections, opens new ones within its limits, and keeps those that can serve further requests.
///
/// ``PoolStateMachine`` decides; the pool guards it by a lock and does what it says. Under the lock only the state machine and the tables
/// beside it are touched, and routes are compared: no delegate, promise, channel or other lock.
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
    ///   - settings: The settings by which connections are opened.
    ///   - limits: The largest number of connections, and how long an idle one is kept.
    ///   - timeout: How long a request waits for a connection where the limits allow no new one.
    package init(settings: Connector.Settings, limits: ConnectionLimits, timeout: Duration) {
        state = NIOLockedValueBox(State(machine: PoolStateMachine(limits: limits)))
        (self.settings, self.timeout, keepAliveTimeout) = (settings, timeout, limits.keepAliveTimeout)
    }

    deinit {
        state.withLockedValue { $0.sweep }?.cancel()
        for connection in change({ $0.close() }).connections { connection.channel.hangUp() }
    }

    /// Whether the pool was closed, so that it leases no connections.
    package var isClosed: Bool { state.withLockedValue(\.machine.isClosed) }

    // MARK: Leasing

    /// Leases a connection of a route: an idle one that fits, a share of one of HTTP/2, or a new one.
    ///
    /// - Parameters:
    ///   - route: The route of the connection.
    ///   - identityInAdvance: The identity that a new connection presents if its origin renegotiates; `nil` for none.
    ///   - delegate: Judges idle connections, and answers the questions that arise while a new one is opened.
    /// - Returns: The lease, for at least one exchange.
    /// - Throws: ``TransportError``, what the delegate throws, and `CancellationError` where the task is cancelled.
    package func lease(
        _ route: Route, identityInAdvance: Identity? = nil, delegate: any LeaseDelegate
    ) async throws -> HTTPConnection.Lease {
        if let found = try await takeConnection(of: route, delegate) { return found }
        do {
            let connection = try await Connector(
                settings: settings, route: route, identityInAdvance: identityInAdvance
            ).connect(delegate: delegate)
            return add(connection, for: route)
        } catch {
            perform { $0.withdrawPermit(for: route) }
            throw error
        }
    }

    /// - Returns: `nil` where the request may open a connection.
    private func takeConnection(
        of route: Route, _ delegate: any LeaseDelegate
    ) async throws -> HTTPConnection.Lease? {
        var deadline: NIODeadline?
        while true {
            switch try takeOrQueue(route, delegate) {
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
                } else if perform({ $0.trade(id) }) {
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

    private func takeOrQueue(_ route: Route, _ delegate: any LeaseDelegate) throws -> Taking {
        var demand = PoolStateMachine.Demand(acceptsPlain: delegate.acceptsPlainConnections)
        // Made before the request waits, so that no offer is lost.
        var promise: EventLoopPromise<Offer>?
        defer { promise?.fail(PoolStateMachine.Failure.cancelled) }
        while true {
            demand.mayWait = promise != nil
            let (outcome, found, unjudged) = changeAndPerform { state in
                let outcome = state.machine.lease(route, demand, now: .now)
                var found: HTTPConnection?
                var unjudged: [(ConnectionID, HTTPConnection)] = []
                switch outcome {
                case .offer(.connection(let id)): found = state.connections[id]
                case .judge(let ids): unjudged = ids.compactMap { id in state.connections[id].map { (id, $0) } }
                case .wait(let waiter): state.waiters[waiter] = promise
                default: break
                }
                return (outcome, found, unjudged)
            }
            switch outcome {
            case .closed: throw TransportError.poolClosed
            case .offer(.permit): return .permit
            case .offer(.connection(let id)):
                guard let found else { continue }
                guard found.isAlive else {
                    // Other exchanges may be under way: a server that sends GOAWAY completes them (RFC 9113 section 6.8).
                    perform { $0.decline(id, now: .now) }
                    continue
                }
                return .lease(HTTPConnection.Lease(of: found, isReused: true, from: self))
            case .judge:
                for (id, connection) in unjudged { demand.judgements[id] = fitness(of: connection, delegate) }
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
            case .cancelled: throw CancellationError()
            }
        }
    }

    // MARK: Keeping

    private func add(_ connection: HTTPConnection, for route: Route) -> HTTPConnection.Lease {
        let traits = PoolStateMachine.Traits(
            streamLimit: connection.streams?.limit, isPlain: connection.isPlain)
        let id = state.withLockedValue { $0.machine.makeConnectionID() }
        // Before the connection is added: from then on other requests may lease it.
        connection.whenLeaseEnds { [weak self] connection, isReusable in
            guard let self else { return connection.channel.hangUp() }
            release(id, connection, isReusable: isReusable)
        }
        changeAndPerform { state in
            state.machine.add(id, traits, for: route, now: .now)
            state.connections[id] = connection
        }
        if let streams = connection.streams {
            streams.listen { [weak self, weak streams] in
                guard let self, let streams else { return }
                note(streams, of: id)
            }
            // The server may have spoken before the pool listened.
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

    /// The lease of a connection has ended.
    private func release(_ id: ConnectionID, _ connection: HTTPConnection, isReusable: Bool) {
        // An exchange that fails says nothing of the other exchanges of its connection.
        let attachment = connection.attachment
        let isPlain = attachment?.isPlain ?? true
        let isKept =
            attachment?.mayBeShared ?? true && (connection.isMultiplexed || isReusable && connection.isAlive)
        let hasSweep = changeAndPerform { state in
            state.machine.release(id, isReusable: isKept, isPlain: isPlain, now: .now)
            return state.sweep != nil
        }
        if !hasSweep { setSweep(at: .now() + TimeAmount(keepAliveTimeout)) }
    }

    private func remove(_ id: ConnectionID) {
        perform { $0.remove(id) }
    }

    // MARK: The lock

    /// Changes the state, and then does what the change has made necessary.
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
        for connection in work.connections { connection.channel.hangUp() }
        return value
    }

    private func change(_ change: (inout PoolStateMachine) -> Void) -> Work {
        state.withLockedValue { state in
            change(&state.machine)
            return Work(state.machine.takeActions(), &state)
        }
    }

    /// What is done without the lock.
    private struct Work {
        var offers: [(EventLoopPromise<Offer>, Result<Offer, any Error>)] = []
        /// To be closed; kept until the lock is released, because the end of a connection may do anything.
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

    // MARK: Ending

    private func setSweep(at time: NIODeadline) {
        let scheduled = settings.group.any().scheduleTask(deadline: time) { [weak self] () -> Void in self?.sweep() }
        let earlier = state.withLockedValue { state in
            defer { state.sweep = scheduled }
            return state.sweep
        }
        earlier?.cancel()
    }

    private func sweep() {
        // Before looking: what is released from now on schedules another sweep.
        state.withLockedValue { $0.sweep = nil }
        let now = ContinuousClock.now
        guard let oldest = perform({ $0.sweep(now: now) }) else { return }
        setSweep(at: .now() + TimeAmount(oldest + keepAliveTimeout - now))
    }

    /// Closes idle connections now, and each other one when its exchanges have ended.
    ///
    /// Requests that wait fail with ``TransportError/poolClosed``.
    package func close() async {
        let work = change { $0.close() }
        state.withLockedValue { $0.sweep }?.cancel()
        for (promise, result) in work.offers { promise.completeWith(result) }
        for connection in work.connections { connection.channel.hangUp() }
        for connection in work.connections { try? await connection.channel.closeFuture.get() }
    }
}

extension HTTPConnection.Fitness {
    fileprivate var isFit: Bool { self == .usable || self == .authenticated }
}

/// The limits of the connections of a session: their number, and their idle time.
public struct ConnectionLimits: Hashable, Sendable {
    /// The largest number of connections to the same origin with the same proxy and settings; 32 by default, at least 1.
    public var perRoute: Int { didSet { perRoute = max(1, perRoute) } }
    /// The largest number of connections in all; 512 by default, at least 1.
    public var total: Int { didSet { total = max(1, total) } }
    /// How long an idle connection is kept for its next request; 60 seconds by default.
    ///
    /// Most servers close it earlier.
    public var keepAliveTimeout: Duration

    /// Makes limits; numbers below 1 count as 1.
    ///
    /// Requests that find every connection busy wait, see `Session.Configuration.poolTimeout`.
    public init(perRoute: Int = 32, total: Int = 512, keepAliveTimeout: Duration = .seconds(60)) {
        self.perRoute = max(1, perRoute)
        self.total = max(1, total)
        self.keepAliveTimeout = keepAliveTimeout
    }
}
