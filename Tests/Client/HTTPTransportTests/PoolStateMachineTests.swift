// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Testing

@testable import HTTPTransport

@Suite("Pool state machine")
struct PoolStateMachineTests {
    typealias Machine = PoolStateMachine

    /// A pool under test with a simulated clock.
    struct Scene {
        /// The connect timeout of a request that states none.
        static let connectTimeout = Duration.seconds(30)

        var machine: Machine
        var now = ContinuousClock.now

        init(perRoute: Int = 8, total: Int = 64, keepAliveTimeout: Duration = .seconds(60)) {
            machine = Machine(
                limits: ConnectionLimits(perRoute: perRoute, total: total, keepAliveTimeout: keepAliveTimeout))
        }

        mutating func lease(_ route: Route, _ demand: Machine.Demand = .init()) -> Machine.Outcome {
            machine.lease(route, demand, now: now)
        }

        /// Leases a connection for a request that evaluates connections.
        ///
        /// - Returns: The outcome, and the evaluated connections for each call.
        mutating func lease(
            _ route: Route, _ demand: Machine.Demand = .init(), fitness: [Machine.ConnectionID: HTTPConnection.Fitness]
        ) -> (outcome: Machine.Outcome, evaluated: [[Machine.ConnectionID]]) {
            var (demand, evaluated) = (demand, [[Machine.ConnectionID]]())
            while true {
                let outcome = lease(route, demand)
                guard case .evaluate(let candidates) = outcome else { return (outcome, evaluated) }
                evaluated.append(candidates.map(\.id))
                for candidate in candidates { demand.evaluations[candidate] = fitness[candidate.id] ?? .foreign }
            }
        }

        /// Opens idle connections that are not plain, and returns them with the most recently used first.
        mutating func openIdle(_ count: Int, of route: Route) -> [Machine.ConnectionID] {
            let ids = (0..<count).map { _ in open(route, isPlain: false) }
            for id in ids { release(id, isPlain: false) }
            return ids.reversed()
        }

        /// Opens a connection for a new request that uses it.
        mutating func open(_ route: Route, streams: Int? = nil, isPlain: Bool = true) -> Machine.ConnectionID {
            #expect(lease(route) == .offer(.permit))
            return add(.init(streamLimit: streams, isPlain: isPlain), for: route)
        }

        @discardableResult
        mutating func add(_ traits: Machine.Traits, for route: Route) -> Machine.ConnectionID {
            let id = machine.makeConnectionID()
            machine.add(id, traits, for: route, connectTimeout: Self.connectTimeout, now: now)
            return id
        }

        /// Ends an attempt to open a connection with an error.
        mutating func fail(
            _ route: Route, because error: any Error = CancellationError(),
            after connectTimeout: Duration = Self.connectTimeout
        ) {
            machine.withdrawPermit(for: route, connectTimeout: connectTimeout, because: error)
        }

        mutating func release(_ id: Machine.ConnectionID, isReusable: Bool = true, isPlain: Bool = true) {
            machine.release(id, isReusable: isReusable, isPlain: isPlain, now: now)
        }

        /// Adds a waiting request.
        mutating func wait(_ route: Route, _ demand: Machine.Demand = .init()) throws -> Machine.WaiterID {
            guard case .wait(let waiter) = lease(route, demand) else { throw NotWaiting() }
            return waiter
        }
    }

    struct NotWaiting: Error {}

    static func route(_ name: String = "a.test", httpVersions: HTTPVersions = .onlyHTTP1, tls: Bool = false) throws
        -> Route
    {
        let endpoint = HostEndpoint(host: try HostName(name), port: 443)
        return Route(
            endpoint: endpoint, destination: endpoint, unixSocket: nil, proxy: nil, usesTunnel: false,
            httpVersions: httpVersions,
            originTLS: tls ? TLSRequirements(trust: TrustPolicy(), versions: .all) : nil, proxyTLS: nil)
    }

    @Test("A declined shared connection closes after its last exchange, and a declined HTTP/1.1 connection at once")
    func declined() throws {
        let (shared, exclusive) = (try Self.route("a.test", httpVersions: .onlyHTTP2), try Self.route("b.test"))
        var scene = Scene()
        let id = scene.open(shared, streams: 8)
        #expect(scene.lease(shared) == .offer(.connection(id)))
        scene.machine.decline(id, now: scene.now)
        #expect(scene.machine.takeActions() == .init())
        // The connection serves no new request.
        #expect(scene.lease(shared) == .offer(.permit))
        scene.release(id)
        #expect(scene.machine.takeActions() == .init(closing: [id]))
        let other = scene.open(exclusive)
        scene.machine.decline(other, now: scene.now)
        #expect(scene.machine.takeActions() == .init(closing: [other]))
        #expect(scene.machine.retiredCount == 0)
    }

    // MARK: Leasing

    @Test("The connection that was used last is leased first")
    func mostRecent() throws {
        let route = try Self.route()
        var scene = Scene()
        let (first, second) = (scene.open(route), scene.open(route))
        scene.release(first)
        scene.release(second)
        #expect(scene.lease(route) == .offer(.connection(second)))
        #expect(scene.lease(route) == .offer(.connection(first)))
        #expect(scene.lease(route) == .offer(.permit))
        #expect(scene.machine.takeActions() == .init())
    }

    @Test("A connection serves only its own route")
    func otherRoute() throws {
        var scene = Scene()
        let id = scene.open(try Self.route("a.test"))
        scene.release(id)
        #expect(scene.lease(try Self.route("b.test")) == .offer(.permit))
        #expect(scene.lease(try Self.route("a.test")) == .offer(.connection(id)))
    }

    @Test(
        "A request evaluates the connections that are not plain",
        arguments: [
            (HTTPConnection.Fitness.usable, true, false), (.authenticated, true, false), (.foreign, false, false),
            (.outdated, false, true),
        ])
    func evaluation(fitness: HTTPConnection.Fitness, isLeased: Bool, isClosed: Bool) throws {
        let route = try Self.route()
        var scene = Scene()
        let id = scene.open(route, isPlain: false)
        scene.release(id, isPlain: false)
        let (outcome, evaluated) = scene.lease(route, fitness: [id: fitness])
        #expect(evaluated == [[id]])
        #expect(outcome == .offer(isLeased ? .connection(id) : .permit))
        #expect(scene.machine.takeActions().closing == (isClosed ? [id] : []))
    }

    @Test(
        "A request takes the first connection that it can use, and evaluates few others",
        arguments: [
            // The fitness of 64 idle connections, the last one repeated; the index of the leased one; the numbers of
            // connections that are evaluated at once.
            (false, [.usable], 0, [1]),
            (false, [.authenticated], 0, [1]),
            (false, [.usable, .authenticated, .usable], 0, [1]),
            (true, [.authenticated], 0, [1]),
            (true, [.usable, .authenticated, .usable], 1, [1, 1]),
            (true, [.usable], 0, [1, 1, 2, 4, 8, 16, 32]),
            (false, [.foreign, .usable], 1, [1, 1]),
            (false, [.foreign, .foreign, .usable, .foreign], 2, [1, 1, 2]),
            (false, [.outdated, .usable], 1, [1, 1]),
            (false, [.foreign], nil, [1, 1, 2, 4, 8, 16, 32]),
            (false, [.outdated], nil, [1, 1, 2, 4, 8, 16, 32]),
        ] as [(Bool, [HTTPConnection.Fitness], Int?, [Int])])
    func firstUsable(
        prefersAuthenticated: Bool, fitness: [HTTPConnection.Fitness], leased: Int?, evaluated: [Int]
    ) throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 65, total: 65)
        let ids = scene.openIdle(64, of: route)
        let all = fitness + Array(repeating: fitness[fitness.count - 1], count: 64 - fitness.count)
        let result = scene.lease(
            route, .init(prefersAuthenticated: prefersAuthenticated),
            fitness: Dictionary(uniqueKeysWithValues: zip(ids, all)))
        #expect(result.outcome == .offer(leased.map { .connection(ids[$0]) } ?? .permit))
        #expect(result.evaluated.map(\.count) == evaluated)
        let closing = zip(ids, all).prefix(leased ?? 64).filter { $0.1 == .outdated }.map(\.0)
        #expect(scene.machine.takeActions().closing == closing)
    }

    @Test("An evaluation does not hold after another request has used the connection, which may be authenticated since")
    func expiredEvaluation() throws {
        let route = try Self.route()
        var scene = Scene()
        let id = try #require(scene.openIdle(1, of: route).first)
        let first = Machine.Candidate(id: id, takenCount: 0)
        #expect(scene.lease(route) == .evaluate([first]))
        #expect(scene.lease(route, .init(evaluations: [first: .usable])) == .offer(.connection(id)))
        scene.release(id, isPlain: false)
        let second = Machine.Candidate(id: id, takenCount: 1)
        #expect(scene.lease(route, .init(evaluations: [first: .usable])) == .evaluate([second]))
        #expect(scene.lease(route, .init(evaluations: [first: .usable, second: .foreign])) == .offer(.permit))
    }

    @Test("An evaluation of a shared connection holds while other requests use it")
    func sharedEvaluation() throws {
        let route = try Self.route(httpVersions: .all, tls: true)
        var scene = Scene()
        let id = scene.open(route, streams: 8, isPlain: false)
        let candidate = Machine.Candidate(id: id, takenCount: 0)
        #expect(scene.lease(route) == .evaluate([candidate]))
        for _ in 0..<2 {
            #expect(scene.lease(route, .init(evaluations: [candidate: .usable])) == .offer(.connection(id)))
        }
    }

    @Test("A connection that is authenticated for the request is leased before a plain one")
    func authenticatedFirst() throws {
        let route = try Self.route()
        var scene = Scene()
        let (bound, plain) = (scene.open(route), scene.open(route))
        scene.release(bound, isPlain: false)
        scene.release(plain)
        let demand = Machine.Demand(prefersAuthenticated: true)
        #expect(scene.lease(route, demand, fitness: [bound: .authenticated]).outcome == .offer(.connection(bound)))
        #expect(scene.lease(route, demand) == .offer(.connection(plain)))
    }

    @Test("A request that accepts no plain connection evaluates plain ones, too")
    func plainEvaluation() throws {
        let route = try Self.route()
        var scene = Scene()
        let id = scene.open(route)
        scene.release(id)
        let (outcome, evaluated) = scene.lease(route, .init(acceptsPlain: false), fitness: [id: .foreign])
        #expect(evaluated == [[id]])
        #expect(outcome == .offer(.permit))
    }

    @Test("A connection that exceeded the idle timeout is closed, not leased", arguments: [(59, true), (60, false)])
    func overdue(seconds: Int, isLeased: Bool) throws {
        let route = try Self.route()
        var scene = Scene()
        let id = scene.open(route)
        scene.release(id)
        scene.now += .seconds(seconds)
        #expect(scene.lease(route) == .offer(isLeased ? .connection(id) : .permit))
        #expect(scene.machine.takeActions().closing == (isLeased ? [] : [id]))
    }

    @Test("A connection that cannot be reused is closed at the end of its exchange")
    func notReusable() throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 1)
        let id = scene.open(route)
        scene.release(id, isReusable: false)
        #expect(scene.machine.takeActions().closing == [id])
        #expect(scene.lease(route) == .offer(.permit))
    }

    // MARK: Limits

    @Test("Requests beyond the limit of a route wait in order")
    func order() throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 1)
        let id = scene.open(route)
        let (first, second) = (try scene.wait(route), try scene.wait(route))
        scene.release(id)
        #expect(scene.machine.takeActions() == .init(offers: [(first, .success(.connection(id)))]))
        scene.release(id)
        #expect(scene.machine.takeActions() == .init(offers: [(second, .success(.connection(id)))]))
    }

    @Test("A request that may not wait is refused at the limit, and is not offered a connection later")
    func full() throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 1)
        let id = scene.open(route)
        #expect(scene.lease(route, .init(mayWait: false)) == .full)
        scene.release(id)
        #expect(scene.machine.takeActions() == .init())
        #expect(scene.lease(route, .init(mayWait: false)) == .offer(.connection(id)))
    }

    @Test("No request overtakes waiting requests")
    func noOvertaking() throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 1)
        let id = scene.open(route)
        _ = try scene.wait(route)
        _ = try scene.wait(route)
        scene.release(id)
        // The second waiter still waits, so that a third request has to wait, too.
        _ = try scene.wait(route)
    }

    @Test("At the total limit, the connection that was idle longest is closed")
    func longestIdle() throws {
        let (a, b, c) = (try Self.route("a.test"), try Self.route("b.test"), try Self.route("c.test"))
        var scene = Scene(total: 2)
        let (first, second) = (scene.open(a), scene.open(b))
        scene.release(second)
        scene.now += .seconds(1)
        scene.release(first)
        #expect(scene.lease(c) == .offer(.permit))
        #expect(scene.machine.takeActions().closing == [second])
    }

    @Test("At the total limit, an idle connection is closed for a waiter of another route")
    func waiterOfAnotherRoute() throws {
        let (a, b) = (try Self.route("a.test"), try Self.route("b.test"))
        var scene = Scene(total: 1)
        let id = scene.open(a)
        let waiter = try scene.wait(b)
        scene.release(id)
        #expect(scene.machine.takeActions() == .init(closing: [id], offers: [(waiter, .success(.permit))]))
    }

    @Test("A withdrawn permit or a removed connection serves the next waiter", arguments: [false, true])
    func freedCapacity(isOpened: Bool) throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 1)
        #expect(scene.lease(route) == .offer(.permit))
        let id = isOpened ? scene.add(.init(), for: route) : nil
        let waiter = try scene.wait(route)
        if let id { scene.machine.remove(id) } else { scene.fail(route) }
        #expect(scene.machine.takeActions().offers.map(\.waiter) == [waiter])
    }

    @Test("A dismissed waiter is answered once")
    func dismissal() throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 1)
        let id = scene.open(route)
        let waiter = try scene.wait(route)
        scene.machine.dismiss(waiter, for: route, because: .timedOut)
        scene.machine.dismiss(waiter, for: route, because: .cancelled)
        #expect(scene.machine.takeActions() == .init(offers: [(waiter, .failure(.timedOut))]))
        scene.release(id)
        #expect(scene.machine.takeActions() == .init())
    }

    @Test("A connection that does not fit its waiter is exchanged for a permit, once")
    func exchangeForPermit() throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 1)
        let id = scene.open(route)
        _ = try scene.wait(route)
        scene.release(id)
        #expect(scene.machine.exchangeForPermit(id, connectTimeout: Scene.connectTimeout) == true)
        #expect(scene.machine.takeActions().closing == [id])
        #expect(scene.machine.exchangeForPermit(id, connectTimeout: Scene.connectTimeout) == false)
    }

    // MARK: HTTP/2

    @Test("Requests share an HTTP/2 connection up to the server's stream limit")
    func sharing() throws {
        let route = try Self.route(httpVersions: .all, tls: true)
        var scene = Scene(perRoute: 1)
        let id = scene.open(route, streams: 2)
        #expect(scene.lease(route) == .offer(.connection(id)))
        let waiter = try scene.wait(route)
        scene.machine.setStreamLimit(3, of: id)
        #expect(scene.machine.takeActions() == .init(offers: [(waiter, .success(.connection(id)))]))
    }

    @Test("If HTTP/2 is possible, one request opens the first connection, and the others wait for it")
    func firstOpens() throws {
        let route = try Self.route(httpVersions: .all, tls: true)
        var scene = Scene()
        #expect(scene.lease(route) == .offer(.permit))
        let waiters = [try scene.wait(route), try scene.wait(route)]
        let id = scene.add(.init(streamLimit: 100), for: route)
        #expect(scene.machine.takeActions() == .init(offers: waiters.map { ($0, .success(.connection(id))) }))
    }

    @Test("If the server negotiates HTTP/1.1, each waiter may open a connection")
    func negotiatedHTTP1() throws {
        let route = try Self.route(httpVersions: .all, tls: true)
        var scene = Scene()
        #expect(scene.lease(route) == .offer(.permit))
        let waiters = [try scene.wait(route), try scene.wait(route)]
        scene.add(.init(), for: route)
        #expect(scene.machine.takeActions() == .init(offers: waiters.map { ($0, .success(.permit)) }))
    }

    @Test("After GOAWAY, no request leases the connection, which closes after its last exchange")
    func draining() throws {
        let route = try Self.route(httpVersions: .all, tls: true)
        var scene = Scene(perRoute: 1)
        let id = scene.open(route, streams: 100)
        #expect(scene.lease(route) == .offer(.connection(id)))
        scene.machine.drain(id)
        #expect(scene.machine.takeActions() == .init())
        // The draining connection does not count toward the limit, so that another may be opened.
        #expect(scene.lease(route) == .offer(.permit))
        scene.release(id)
        #expect(scene.machine.takeActions() == .init())
        scene.release(id)
        #expect(scene.machine.takeActions().closing == [id])
    }

    @Test("If a server accepts no streams, its connection is replaced after a waiter times out")
    func noStreams() throws {
        let route = try Self.route(httpVersions: .all, tls: true)
        var scene = Scene()
        let id = scene.open(route, streams: 1)
        scene.machine.setStreamLimit(0, of: id)
        scene.release(id)
        let waiter = try scene.wait(route)
        scene.machine.dismiss(waiter, for: route, because: .timedOut)
        #expect(scene.machine.takeActions() == .init(closing: [id], offers: [(waiter, .failure(.timedOut))]))
        #expect(scene.lease(route) == .offer(.permit))
    }

    // MARK: Closing

    @Test("The sweep closes overdue connections and returns the time since which the others are idle")
    func sweep() throws {
        let route = try Self.route()
        var scene = Scene()
        let (first, second) = (scene.open(route), scene.open(route))
        scene.release(first)
        scene.now += .seconds(30)
        scene.release(second)
        let since = scene.now
        #expect(scene.machine.sweep(now: scene.now + .seconds(30)) == since)
        #expect(scene.machine.takeActions().closing == [first])
        #expect(scene.machine.sweep(now: scene.now + .seconds(60)) == nil)
    }

    @Test("A closed pool closes idle connections at once, busy ones after their exchanges, and rejects waiters")
    func close() throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 2)
        let (busy, idle) = (scene.open(route), scene.open(route))
        let waiter = try scene.wait(route)
        scene.machine.close()
        let actions = scene.machine.takeActions()
        #expect(actions == .init(offers: [(waiter, .failure(.closed))]))
        scene.release(idle)
        scene.release(busy)
        #expect(scene.machine.takeActions().closing == [idle, busy])
        #expect(scene.lease(route) == .closed)
    }

    @Test(
        "Random events never exceed the limits, and lose neither connections nor waiters", arguments: [1, 2, 3, 4, 5])
    func randomEvents(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        let routes = [
            try Self.route("a.test"), try Self.route("b.test"),
            try Self.route("c.test", httpVersions: .all, tls: true),
        ]
        var scene = Scene(perRoute: 2, total: 3)
        var (busy, permits, waiting): ([Machine.ConnectionID], [Route], [Machine.WaiterID: Route]) = ([], [], [:])
        var open: Set<Machine.ConnectionID> = []
        func settle() {
            let actions = scene.machine.takeActions()
            for id in actions.closing { #expect(open.remove(id) != nil, "closed once") }
            for (waiter, result) in actions.offers {
                guard let route = waiting.removeValue(forKey: waiter) else {
                    Issue.record("answered twice")
                    continue
                }
                take(result, route)
            }
        }
        func take(_ result: Result<Machine.Offer, Machine.Failure>, _ route: Route) {
            switch result {
            case .success(.connection(let id)): busy.append(id)
            case .success(.permit): permits.append(route)
            case .failure: break
            }
        }
        for _ in 0..<5_000 {
            let route = routes[Int.random(in: 0..<routes.count, using: &generator)]
            scene.now += .seconds(Int.random(in: 0...2, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2:
                switch scene.lease(route) {
                case .offer(let offer): take(.success(offer), route)
                case .wait(let waiter): waiting[waiter] = route
                default: Issue.record("no other outcome is possible")
                }
            case 3 where !permits.isEmpty:
                let route = permits.removeLast()
                if Bool.random(using: &generator) {
                    let isHTTP2 = route.maySupportHTTP2 && Bool.random(using: &generator)
                    let id = scene.add(.init(streamLimit: isHTTP2 ? 2 : nil), for: route)
                    open.insert(id)
                    busy.append(id)
                } else {
                    let errors: [any Error] = [
                        CancellationError(), NotWaiting(), TransportError.cannotResolve(route.peer),
                    ]
                    scene.fail(route, because: errors[Int.random(in: 0..<3, using: &generator)])
                }
            case 4...5 where !busy.isEmpty:
                let id = busy.remove(at: Int.random(in: 0..<busy.count, using: &generator))
                scene.release(id, isReusable: Int.random(in: 0..<4, using: &generator) > 0)
            case 6: if let id = open.randomElement(using: &generator) { scene.machine.drainOrRemove(id, &generator) }
            default: _ = scene.machine.sweep(now: scene.now)
            }
            settle()
            busy.removeAll { !open.contains($0) }
            #expect(permits.count + open.count <= 3 + scene.machine.retiredCount)
        }
        // The released connections and permits serve all waiters.
        while !waiting.isEmpty || !busy.isEmpty || !permits.isEmpty {
            if let id = busy.popLast() { scene.release(id) }
            if let route = permits.popLast() { scene.fail(route) }
            let before = (waiting.count, busy.count, permits.count)
            settle()
            busy.removeAll { !open.contains($0) }
            if busy.isEmpty, permits.isEmpty, before == (waiting.count, 0, 0) { break }
        }
        #expect(waiting.isEmpty)
    }
}

extension PoolStateMachine.Demand {
    init(
        acceptsPlain: Bool = true, prefersAuthenticated: Bool = false,
        evaluations: [PoolStateMachine.Candidate: HTTPConnection.Fitness] = [:], mayWait: Bool = true
    ) {
        self.init(
            acceptsPlain: acceptsPlain, prefersAuthenticated: prefersAuthenticated, evaluations: evaluations,
            connectTimeout: PoolStateMachineTests.Scene.connectTimeout, mayWait: mayWait)
    }
}

extension PoolStateMachine {
    fileprivate mutating func drainOrRemove(_ id: ConnectionID, _ generator: inout some RandomNumberGenerator) {
        if Bool.random(using: &generator) { drain(id) } else { remove(id) }
    }
}

/// A random number generator with a seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
