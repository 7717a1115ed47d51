// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import HTTPTypes
import NIOCore
import NIOPosix
import TestServer
import Testing

@testable import Countersign
@testable import HTTPTransport

/// Events of one request on an HTTP/2 connection do not affect the connection's other exchanges.
@Suite("Exchanges that share a connection") struct SharedConnectionTests {
    /// A delegate for connections in cleartext, which need no decisions.
    private struct Delegate: LeaseDelegate {
        struct Unexpected: Error {}

        var acceptsPlainConnections: Bool { true }
        var prefersAuthenticatedConnections: Bool { false }

        func fitness(of connection: HTTPConnection) -> HTTPConnection.Fitness { .usable }
        func connectionOpened(_ connection: HTTPConnection) {}
        func handshakeDelegate(for peer: ConnectionPeer, record: PeerRecord) -> any HandshakeDelegate {
            fatalError("the route has no TLS")
        }
        func openTunnel(to target: HostEndpoint, over connection: HTTPConnection) async throws { throw Unexpected() }
        func socksLogin() async throws -> (login: SOCKSLogin, wasKnown: Bool) { throw Unexpected() }
        func socksLoginAccepted() {}
        func socksLoginRejected() async throws { throw Unexpected() }
    }

    /// Calls a closure with a pool, a route to a server, and an exchange whose body follows a number of requests.
    private static func withSlowExchange(
        awaiting requests: Int,
        _ body: (ConnectionPool, Route, HTTPConnection.Lease, HTTPExchange.Response) async throws -> Void
    ) async throws {
        let server = try await TestServer.start(repeating: [
            .http2 { request in
                request.path == "/slow" ? [.head(200), .awaitRequests(requests), .echo] : [.respond(200, body: [1])]
            }
        ])
        try await server.stop { () async throws in
            let endpoint = HostEndpoint(host: try HostName("127.0.0.1"), port: server.port)
            let route = Route(
                endpoint: endpoint, destination: endpoint, unixSocket: nil, proxy: nil, usesTunnel: false,
                httpVersions: .onlyHTTP2, originTLS: nil, proxyTLS: nil)
            let settings = Connector.Settings(
                group: MultiThreadedEventLoopGroup.singleton, connectTimeout: .seconds(10),
                handshakeTimeout: .seconds(10), idleTimeout: .seconds(10), lineTerminator: .carriageReturnLineFeed)
            let pool = ConnectionPool(settings: settings, limits: ConnectionLimits(), timeout: .seconds(10))
            let lease = try await pool.lease(route, delegate: Delegate())
            let response = try await lease.send(
                request("/slow", .post), body: OutgoingBody(length: 4, content: .bytes(Array("slow".utf8))))
            try await body(pool, route, lease, response)
        }
    }

    private static func request(_ path: String, _ method: HTTPRequest.Method = .get) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1", path: path)
    }

    private static func text(of response: HTTPExchange.Response) async throws -> String {
        guard case .arriving(let queue) = response.body else { return "whole" }
        var text = ""
        while let part = try await queue.next() { text += String(buffer: part) }
        return text
    }

    /// The server has sent GOAWAY, and the request leases the connection before the pool is notified.
    @Test("A request on a draining connection does not interrupt the exchanges in progress")
    func draining() async throws {
        try await Self.withSlowExchange(awaiting: 2) { pool, route, lease, response async throws in
            let streams = try #require(lease.connection.streams)
            streams.listen {}
            streams.drain()
            let other = try await pool.lease(route, delegate: Delegate())
            #expect(other.connection !== lease.connection)
            _ = try await other.send(Self.request("/"))
            #expect(try await Self.text(of: response) == "slow")
            try await lease.connection.channel.closeFuture.get()
        }
    }

    @Test("The bodies of a released session arrive completely, even if one ends before the other")
    func releasedSession() async throws {
        let server = try await HTTP2Server.start { request in
            [.head(200), .awaitRequests(request.path == "/slow" ? 3 : 2), .echo]
        }
        try await server.server.stop { () async throws in
            func start() async throws -> [SessionResponse] {
                let session = HTTPSession(trust: TrustPolicy(anchors: .only([server.authority])))
                var responses: [SessionResponse] = []
                for path in ["quick", "slow"] {
                    responses.append(try await session.post(server.url + path, body: .text(path)))
                }
                return responses
            }
            let responses = try await start()
            #expect(try await responses[0].text() == "quick")
            // The third request lets the server send the slow body.
            _ = try? await HTTPSession(trust: TrustPolicy(anchors: .only([server.authority]))).get(server.url)
            #expect(try await responses[1].text() == "slow")
            #expect(server.connectionCount == 2)
        }
    }
}
