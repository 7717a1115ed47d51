// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule

/// The state machine of the pool: it decides which connection a request gets, which connections are retained, and which
/// requests wait.
///
/// It has no I/O, locks or closures: every method processes an event, and adds the pool's next actions.
struct PoolStateMachine {
    private let limits: ConnectionLimits
    private var groups: [Route: Group] = [:]
    private var connections: [ConnectionID: Connection] = [:]
    /// The number of counted connections in all groups.
    private var total = 0
    /// The routes with waiters, the longest waiting first.
    private var waitingRoutes: [Route] = []
    private var lastConnection = 0
    private var lastWaiter = 0
    private var actions = Actions()
    private(set) var isClosed = false

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    /// The number of connections that close after their last exchange, and are not counted any more.
    var retiredCount: Int { connections.values.count(where: \.isRetired) }

    /// Returns and removes the pending actions.
    mutating func takeActions() -> Actions {
        guard !actions.isEmpty else { return Actions() }
        defer { actions = Actions() }
        return actions
    }

    private mutating func change<Value>(_ route: Route, _ body: (inout Group) -> Value) -> Value {
        // A group is changed in place by its index: access by its key would cost an allocation.
        guard let index = groups.index(forKey: route) else {
            var group = Group()
            let value = body(&group)
            if !group.isEmpty { groups[route] = group }
            return value
        }
        let value = body(&groups.values[index])
        if groups.values[index].isEmpty { groups.remove(at: index) }
        return value
    }

    private mutating func change(_ id: ConnectionID, _ body: (inout Connection) -> Void) {
        guard let index = connections.index(forKey: id) else { return }
        body(&connections.values[index])
    }

    // MARK: Leasing

    /// Leases a connection to a request: the most suitable and most recently used one, or the permit to open one.
    ///
    /// If the limits allow neither, the request waits if it may.
    mutating func lease(_ route: Route, _ demand: Demand, now: ContinuousClock.Instant) -> Outcome {
        guard !isClosed else { return .closed }
        if groups[route]?.waiters.isEmpty ?? true {
            if let outcome = takeFittest(of: route, demand, now: now) { return outcome }
        }
        // Requests that wait for an attempt are overtaken by one that gives the server less time.
        if permit(for: route, demand.connectTimeout) { return .offer(.permit) }
        return demand.mayWait ? .wait(enqueue(for: route, demand.connectTimeout)) : .full
    }

    /// Takes the fittest connection, or returns the connections that have to be evaluated before.
    private mutating func takeFittest(of route: Route, _ demand: Demand, now: ContinuousClock.Instant) -> Outcome? {
        while let (index, found) = fittestIdle(of: route, demand) {
            guard let found else {
                return groups[route].map { .evaluate(unevaluated(among: $0.idle.reversed(), demand)) }
            }
            let id = change(route) { $0.idle.remove(at: index) }
            if found != .outdated, !isOverdue(id, at: now) {
                take(id)
                return .offer(.connection(id))
            }
            close(id)
        }
        let shared = groups[route]?.multiplexed ?? []
        for id in shared {
            guard let connection = connections[id], !connection.isRetired else { continue }
            switch isOverdue(id, at: now) ? .outdated : fitness(of: id, demand) {
            case nil: return .evaluate(unevaluated(among: shared, demand))
            case .outdated: retire(id)
            case .usable where connection.hasCapacity:
                change(id) { $0.inUse += 1 }
                return .offer(.connection(id))
            default: break
            }
        }
        return nil
    }

    /// Returns the idle connection to take, or to close if it is outdated; its fitness is `nil` if it has to be evaluated
    /// before.
    private func fittestIdle(of route: Route, _ demand: Demand) -> (index: Int, fitness: HTTPConnection.Fitness?)? {
        guard let idle = groups[route]?.idle else { return nil }
        var usable: Int?
        for index in idle.indices.reversed() {
            let fitness = fitness(of: idle[index], demand)
            switch fitness {
            case .usable where demand.prefersAuthenticated: usable = usable ?? index
            case .foreign: break
            default: return (index, fitness)
            }
        }
        return usable.map { ($0, .usable) }
    }

    /// Returns the fitness of a connection; `nil` if the request has not evaluated it.
    private func fitness(of id: ConnectionID, _ demand: Demand) -> HTTPConnection.Fitness? {
        guard let connection = connections[id] else { return .foreign }
        return demand.evaluations[Candidate(id: id, takenCount: connection.takenCount)]
            ?? (demand.acceptsPlain && connection.traits.isPlain ? .usable : nil)
    }

    /// Returns the next connections to evaluate: as many as the request has evaluated before, because the first one
    /// usually suffices, and few calls are needed for many.
    private func unevaluated(among ids: some Sequence<ConnectionID>, _ demand: Demand) -> [Candidate] {
        let candidates = ids.lazy.compactMap { id -> Candidate? in
            guard let connection = connections[id], !connection.isRetired, fitness(of: id, demand) == nil else {
                return nil
            }
            return Candidate(id: id, takenCount: connection.takenCount)
        }
        return Array(candidates.prefix(max(1, demand.evaluations.count)))
    }

    /// Gives an idle HTTP/1.1 connection to a request.
    private mutating func take(_ id: ConnectionID) {
        change(id) { connection in
            connection.inUse = 1
            connection.takenCount += 1
        }
    }

    private func isOverdue(_ id: ConnectionID, at now: ContinuousClock.Instant) -> Bool {
        guard let connection = connections[id], connection.isIdle else { return false }
        return connection.idleSince + limits.keepAliveTimeout <= now
    }

    /// Permits another connection if the limits allow it, possibly by closing an idle one.
    private mutating func permit(for route: Route, _ connectTimeout: Duration) -> Bool {
        let group = groups[route] ?? Group()
        // The first connection shows whether the server supports HTTP/2, so that the other requests can share it. A
        // request waits only for an attempt that fails no later than its own would.
        if sharesAttempts(group, of: route), group.attempts.contains(where: { $0 <= connectTimeout }) { return false }
        // A server that currently allows no stream would allow none on another connection either
        // (RFC 9113 section 5.1.2).
        if group.multiplexed.contains(where: { isRefusing($0) }) { return false }
        if group.count >= limits.perRoute {
            // The idle connections of this route are unsuitable for the request, so one of them may be closed.
            guard let oldest = oldestIdle(of: group) else { return false }
            close(oldest)
        }
        if total >= limits.total, let oldest = oldestIdle() { close(oldest) }
        guard total < limits.total else { return false }
        change(route) { $0.beginAttempt(connectTimeout) }
        total += 1
        return true
    }

    /// Returns whether requests wait for the attempt of another request, because they may share its connection.
    private func sharesAttempts(_ group: Group, of route: Route) -> Bool {
        route.maySupportHTTP2 && !group.opensInParallel
    }

    private func isRefusing(_ id: ConnectionID) -> Bool {
        connections[id].map { !$0.isRetired && $0.traits.streamLimit == 0 } ?? false
    }

    private func oldestIdle(of group: Group) -> ConnectionID? {
        let shared = group.multiplexed.filter { connections[$0]?.isIdle == true }
        return ([group.idle.first].compactMap(\.self) + shared).min { idleSince($0) < idleSince($1) }
    }

    private func oldestIdle() -> ConnectionID? {
        groups.values.compactMap { oldestIdle(of: $0) }.min { idleSince($0) < idleSince($1) }
    }

    private func idleSince(_ id: ConnectionID) -> ContinuousClock.Instant {
        connections[id]?.idleSince ?? .now
    }

    // MARK: Waiting

    private mutating func enqueue(for route: Route, _ connectTimeout: Duration) -> WaiterID {
        lastWaiter += 1
        let waiter = WaiterID(number: lastWaiter)
        let isFirst = change(route) { group in
            group.waiters.append(Waiter(id: waiter, connectTimeout: connectTimeout))
            return group.waiters.count == 1
        }
        if isFirst { waitingRoutes.append(route) }
        return waiter
    }

    /// Ends the wait of a request; has no effect if the request has already received an offer.
    mutating func dismiss(_ waiter: WaiterID, for route: Route, because failure: Failure) {
        guard let group = groups[route], let index = group.waiters.firstIndex(where: { $0.id == waiter }) else {
            return
        }
        change(route) { _ = $0.waiters.remove(at: index) }
        let isOpening = failure == .timedOut && group.isOpeningFirst
        actions.offers.append((waiter, .failure(isOpening ? .timedOutOpening : failure)))
        removeRouteWithoutWaiters(for: route)
        // The server has allowed no stream during the entire wait; the next waiter opens another connection.
        let refusing = groups[route]?.multiplexed.first { connections[$0]?.isIdle == true && isRefusing($0) }
        guard let refusing else { return }
        retire(refusing)
        serveWaiters(first: route)
    }

    private mutating func removeRouteWithoutWaiters(for route: Route) {
        guard !waitingRoutes.isEmpty, groups[route]?.waiters.isEmpty ?? true else { return }
        waitingRoutes.removeAll { $0 == route }
    }

    /// Offers connections and permits to the waiters of a route, and then to those of all other routes, which may
    /// replace an idle connection.
    private mutating func serveWaiters(first route: Route) {
        guard !waitingRoutes.isEmpty else { return }
        serve(route)
        for other in waitingRoutes {
            guard total < limits.total || oldestIdle() != nil else { return }
            serve(other)
        }
    }

    private mutating func serve(_ route: Route) {
        while let waiters = groups[route]?.waiters, let first = waiters.first {
            var waiter = (index: waiters.startIndex, value: first)
            let offer: Offer
            if let found = takeAny(of: route) {
                offer = .connection(found)
            } else if permit(for: route, first.connectTimeout) {
                offer = .permit
            } else if let shortest = waiters.enumerated().min(by: { $0.1.connectTimeout < $1.1.connectTimeout }),
                shortest.element.connectTimeout < first.connectTimeout,
                permit(for: route, shortest.element.connectTimeout)
            {
                // If this request has to wait for an attempt, so do all others.
                (waiter, offer) = ((shortest.offset, shortest.element), .permit)
            } else {
                break
            }
            change(route) { _ = $0.waiters.remove(at: waiter.index) }
            actions.offers.append((waiter.value.id, .success(offer)))
        }
        removeRouteWithoutWaiters(for: route)
    }

    /// Takes any available connection, which its waiter then evaluates.
    private mutating func takeAny(of route: Route) -> ConnectionID? {
        guard let group = groups[route] else { return nil }
        if let id = group.idle.last {
            change(route) { _ = $0.idle.removeLast() }
            take(id)
            return id
        }
        guard let shared = group.multiplexed.first(where: { connections[$0]?.hasCapacity == true }) else { return nil }
        change(shared) { $0.inUse += 1 }
        return shared
    }

    // MARK: Opening

    /// Makes the identifier of the next connection.
    mutating func makeConnectionID() -> ConnectionID {
        lastConnection += 1
        return ConnectionID(number: lastConnection)
    }

    /// Adds the connection that a request has opened with a permit and uses.
    mutating func add(
        _ id: ConnectionID, _ traits: Traits, for route: Route, connectTimeout: Duration, now: ContinuousClock.Instant
    ) {
        connections[id] = Connection(route: route, traits: traits, inUse: 1, idleSince: now)
        change(route) { group in
            group.endAttempt(connectTimeout)
            group.opensInParallel = !traits.isMultiplexed
            if traits.isMultiplexed { group.multiplexed.append(id) }
        }
        serve(route)
    }

    /// Withdraws the permit of a failed attempt.
    ///
    /// If every attempt would fail in this way, the requests that wait for the attempt fail with it. If only that
    /// request failed, each of them may open a connection, and if it was cancelled, one of them.
    mutating func withdrawPermit(for route: Route, connectTimeout: Duration, because error: any Error) {
        change(route) { group in
            group.count -= 1
            group.endAttempt(connectTimeout)
        }
        total -= 1
        switch error {
        case is CancellationError: break
        case let error as TransportError where error.appliesToAllRequests:
            failWaiters(of: route, with: error, after: connectTimeout)
        default: change(route) { $0.opensInParallel = true }
        }
        serveWaiters(first: route)
    }

    /// Fails the requests that wait for the first connection, unless they give the server more time than the attempt.
    private mutating func failWaiters(of route: Route, with error: TransportError, after connectTimeout: Duration) {
        guard let group = groups[route], sharesAttempts(group, of: route), group.count == group.attempts.count else {
            return
        }
        for waiter in group.waiters where waiter.connectTimeout <= connectTimeout {
            actions.offers.append((waiter.id, .failure(.attemptFailed(error))))
        }
        change(route) { $0.waiters.removeAll { $0.connectTimeout <= connectTimeout } }
        removeRouteWithoutWaiters(for: route)
    }

    /// Closes an offered connection that does not fit, so that its waiter may open another one.
    ///
    /// - Returns: `false` if the connection was already closed, and its permit was given to another request.
    mutating func exchangeForPermit(_ id: ConnectionID, connectTimeout: Duration) -> Bool {
        guard let connection = connections[id], !connection.isRetired else { return false }
        close(id)
        change(connection.route) { $0.beginAttempt(connectTimeout) }
        total += 1
        return true
    }

    // MARK: Ending exchanges

    /// Ends an exchange.
    ///
    /// - Parameters:
    ///   - id: The connection.
    ///   - isReusable: Whether the connection may serve other requests.
    ///   - isPlain: Whether every request that accepts plain connections may use the connection.
    ///   - now: The time at which the exchange ended.
    mutating func release(_ id: ConnectionID, isReusable: Bool, isPlain: Bool, now: ContinuousClock.Instant) {
        change(id) { connection in
            connection.inUse -= 1
            connection.idleSince = now
            connection.traits.isPlain = isPlain
        }
        guard let connection = connections[id] else { return }
        let closesConnection = isClosed || !isReusable
        if !connection.traits.isMultiplexed, !closesConnection {
            change(connection.route) { $0.idle.append(id) }
        } else if connection.inUse == 0, closesConnection || connection.isRetired {
            close(id)
        }
        serveWaiters(first: connection.route)
    }

    /// Declines an offered connection that accepts no further request: it closes after its last running exchange.
    mutating func decline(_ id: ConnectionID, now: ContinuousClock.Instant) {
        guard let connection = connections[id] else { return }
        retire(id)
        release(id, isReusable: false, isPlain: connection.traits.isPlain, now: now)
    }

    /// Removes a connection that is closed or unusable.
    mutating func remove(_ id: ConnectionID) {
        guard let route = connections[id]?.route else { return }
        close(id)
        serveWaiters(first: route)
    }

    /// Updates the maximum number of simultaneous exchanges.
    mutating func setStreamLimit(_ limit: Int, of id: ConnectionID) {
        guard let route = connections[id]?.route else { return }
        change(id) { $0.traits.streamLimit = limit }
        serveWaiters(first: route)
    }

    /// Retires a connection on which the server accepts no new exchange (GOAWAY, RFC 9113 section 6.8).
    mutating func drain(_ id: ConnectionID) {
        guard let route = connections[id]?.route else { return }
        retire(id)
        serveWaiters(first: route)
    }

    // MARK: Closing

    /// Closes a connection at once, or after its last exchange.
    private mutating func retire(_ id: ConnectionID) {
        guard let connection = connections[id], !connection.isRetired else { return }
        guard connection.inUse > 0 else { return close(id) }
        change(id) { $0.isRetired = true }
        removeFromCount(connection)
    }

    private mutating func close(_ id: ConnectionID) {
        guard let connection = connections.removeValue(forKey: id) else { return }
        actions.closing.append(id)
        if !connection.isRetired { removeFromCount(connection) }
        change(connection.route) { group in
            group.idle.removeAll { $0 == id }
            group.multiplexed.removeAll { $0 == id }
        }
    }

    private mutating func removeFromCount(_ connection: Connection) {
        change(connection.route) { $0.count -= 1 }
        total -= 1
    }

    /// Closes connections whose idle timeout has passed.
    ///
    /// - Returns: The time since which the longest idle connection has been idle; `nil` if none is idle.
    mutating func sweep(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        for id in Array(connections.keys) where isOverdue(id, at: now) { close(id) }
        return oldestIdle().map { idleSince($0) }
    }

    /// Closes idle connections, and fails the waiting requests.
    mutating func close() {
        isClosed = true
        for route in waitingRoutes {
            for waiter in groups[route]?.waiters ?? [] { actions.offers.append((waiter.id, .failure(.closed))) }
            change(route) { $0.waiters = [] }
        }
        waitingRoutes = []
        for id in Array(connections.keys) { retire(id) }
    }
}
