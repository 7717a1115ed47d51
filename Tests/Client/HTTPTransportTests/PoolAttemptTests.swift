// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import HTTPTransport

/// The attempts to open the first connection of a route that may support HTTP/2, and the requests that wait for them.
@Suite("Pool attempts")
struct PoolAttemptTests {
    typealias Scene = PoolStateMachineTests.Scene
    typealias Machine = PoolStateMachine

    /// The error of a request's own handler.
    private struct Refusal: Error {}

    private static let short = Machine.Demand(connectTimeout: .seconds(1))

    private static func route(httpVersions: HTTPVersions = .all) throws -> Route {
        try PoolStateMachineTests.route(httpVersions: httpVersions, tls: true)
    }

    private static func timeout(_ route: Route, after time: Duration = Scene.connectTimeout) -> TransportError {
        .cannotConnect(route.peer, .timedOut(after: time))
    }

    @Test("The requests that wait for an attempt fail with it if the server does not answer or cannot be reached")
    func sharedFailure() throws {
        let route = try Self.route()
        let errors: [TransportError] = [
            Self.timeout(route), .cannotConnect(route.peer, .refused), .cannotResolve(route.peer),
            .cannotConnectToSocket("/s", .notFound),
            .timedOut(route.peer, .handshake, Timeout(.seconds(1), .handshake)),
        ]
        for error in errors {
            var scene = Scene()
            #expect(scene.lease(route) == .offer(.permit))
            let waiters = [try scene.wait(route), try scene.wait(route), try scene.wait(route)]
            scene.fail(route, because: error)
            #expect(
                scene.machine.takeActions() == .init(offers: waiters.map { ($0, .failure(.attemptFailed(error))) }))
            // The next request tries again.
            #expect(scene.lease(route) == .offer(.permit))
        }
    }

    @Test("If only its request made an attempt fail, the waiting requests open connections at once, within the limit")
    func failedRequest() throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 2)
        #expect(scene.lease(route) == .offer(.permit))
        let waiters = [try scene.wait(route), try scene.wait(route), try scene.wait(route)]
        scene.fail(route, because: Refusal())
        #expect(scene.machine.takeActions() == .init(offers: waiters.prefix(2).map { ($0, .success(.permit)) }))
        let id = scene.add(.init(streamLimit: 100), for: route)
        #expect(scene.machine.takeActions() == .init(offers: [(waiters[2], .success(.connection(id)))]))
    }

    @Test("If an attempt is cancelled, one waiting request opens the connection") func cancelled() throws {
        let route = try Self.route()
        var scene = Scene()
        #expect(scene.lease(route) == .offer(.permit))
        let waiters = [try scene.wait(route), try scene.wait(route)]
        scene.fail(route, because: CancellationError())
        #expect(scene.machine.takeActions() == .init(offers: [(waiters[0], .success(.permit))]))
        let id = scene.add(.init(streamLimit: 100), for: route)
        #expect(scene.machine.takeActions() == .init(offers: [(waiters[1], .success(.connection(id)))]))
    }

    @Test("A request waits for no attempt that may last longer than its own connect timeout") func shorter() throws {
        let route = try Self.route()
        var scene = Scene()
        #expect(scene.lease(route) == .offer(.permit))
        let long = try scene.wait(route)
        #expect(scene.lease(route, Self.short) == .offer(.permit))
        // There is an attempt with the same timeout now.
        let short = try scene.wait(route, Self.short)
        let error = Self.timeout(route, after: .seconds(1))
        scene.fail(route, because: error, after: .seconds(1))
        #expect(scene.machine.takeActions() == .init(offers: [(short, .failure(.attemptFailed(error)))]))
        scene.fail(route, because: Self.timeout(route))
        #expect(
            scene.machine.takeActions() == .init(offers: [(long, .failure(.attemptFailed(Self.timeout(route))))]))
    }

    @Test("If an attempt is cancelled, a request that waits for it does not wait for a longer one")
    func cancelledShorter() throws {
        let route = try Self.route()
        var scene = Scene()
        #expect(scene.lease(route) == .offer(.permit))
        _ = try scene.wait(route)
        #expect(scene.lease(route, Self.short) == .offer(.permit))
        let short = try scene.wait(route, Self.short)
        scene.fail(route, because: CancellationError(), after: .seconds(1))
        #expect(scene.machine.takeActions() == .init(offers: [(short, .success(.permit))]))
    }

    @Test("A request does not fail with an attempt that gave the server less time") func longer() throws {
        let route = try Self.route()
        var scene = Scene()
        #expect(scene.lease(route, Self.short) == .offer(.permit))
        let waiters = [try scene.wait(route), try scene.wait(route)]
        scene.fail(route, because: Self.timeout(route, after: .seconds(1)), after: .seconds(1))
        #expect(scene.machine.takeActions() == .init(offers: [(waiters[0], .success(.permit))]))
    }

    @Test("If another connection is open, waiting requests do not fail with an attempt") func otherConnection() throws {
        let route = try Self.route()
        var scene = Scene()
        let id = scene.open(route, streams: 1)
        #expect(scene.lease(route) == .offer(.permit))
        let waiters = [try scene.wait(route), try scene.wait(route)]
        scene.fail(route, because: TransportError.cannotConnect(route.peer, .refused))
        #expect(scene.machine.takeActions() == .init(offers: [(waiters[0], .success(.permit))]))
        scene.release(id)
        #expect(scene.machine.takeActions() == .init(offers: [(waiters[1], .success(.connection(id)))]))
    }

    @Test("If the route does not support HTTP/2, a failed attempt fails no other request") func onlyHTTP1() throws {
        let route = try Self.route(httpVersions: .onlyHTTP1)
        var scene = Scene(perRoute: 1)
        #expect(scene.lease(route) == .offer(.permit))
        let waiters = [try scene.wait(route), try scene.wait(route)]
        scene.fail(route, because: Self.timeout(route))
        #expect(scene.machine.takeActions() == .init(offers: [(waiters[0], .success(.permit))]))
    }

    @Test(
        "A wait that times out states whether a connection was open",
        arguments: [(true, Machine.Failure.timedOut), (false, .timedOutOpening)])
    func timedOut(isOpen: Bool, failure: Machine.Failure) throws {
        let route = try Self.route()
        var scene = Scene(perRoute: 1)
        if isOpen { _ = scene.open(route, streams: 1) } else { #expect(scene.lease(route) == .offer(.permit)) }
        let waiter = try scene.wait(route)
        scene.machine.dismiss(waiter, for: route, because: .timedOut)
        #expect(scene.machine.takeActions() == .init(offers: [(waiter, .failure(failure))]))
    }
}
