// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import TestServer
import Testing
@testable import ChallengeLab
@testable import Countersign
@testable import HTTPTransport
import EssentialFoundation

/// A request that was not written is sent again, and one that the server may have processed is not.
///
/// The rule is that of RFC 9112 section 9.3.1.
@Suite("Requests on a connection that the server has just closed") struct StaleConnectionTests {
    /// Blocks the event loop while the server closes, so that the end of the connection stays unread in the socket.
    private static func block(_ loop: any EventLoop, for time: Duration) -> EventLoopFuture<Void> {
        loop.submit { wait(for: time) }
    }

    fileprivate static func wait(for time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {}
    }

    private static func withServer(
        isTLS: Bool, _ connections: [[TestServer.Behavior]],
        _ body: (TestServer, HTTPSession, String) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority(name: "Stale Root", now: Date())
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        let tls = isTLS ? try NIOSSLContext(configuration: LabTLS.configuration(presenting: identity)) : nil
        let server = try await TestServer.start(tls: tls, connections)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: .only([authority.certificate])))
        configuration.eventLoopGroup = group
        try await server.stop {
            try await withSession(configuration) { session in
                try await body(server, session, "\(isTLS ? "https" : "http")://localhost:\(server.port)/")
            }
        }
        try await group.shutdownGracefully()
    }

    private static let answer = TestServer.Behavior.send("HTTP/1.1 200 OK", "Content-Length: 0", "")

    /// The end of the connection is in the socket, but the event loop starts to write the request before it reads it.
    @Test(
        "A POST is not written to a connection whose end is unread in the socket, and succeeds over another",
        arguments: [false, true])
    func endInSocket(isTLS: Bool) async throws {
        try await Self.withServer(
            isTLS: isTLS,
            [
                [.receiveHead, Self.answer, .delay(.milliseconds(100)), .close],
                [.receiveHead, Self.answer, .receiveRest],
            ]
        ) { server, session, url async throws in
            _ = try await session.post(url, body: .text("1")).text()
            let loop = session.core.configuration.eventLoopGroup.next()
            let busy = Self.block(loop, for: .milliseconds(400))
            // The connection is leased while it is alive, and the request starts after the event loop was blocked.
            let response = try await session.post(url, body: .text("second"))
            try await busy.get()
            #expect(response.status == .ok)
            #expect(server.connectionCount == 2)
            #expect(!String(decoding: server.received[0], as: UTF8.self).contains("second"))
        }
    }

    /// The server has read the request and closes without a response.
    @Test("A POST that was written to a connection before it closed is not sent again", arguments: [false, true])
    func endAfterRequest(isTLS: Bool) async throws {
        try await Self.withServer(
            isTLS: isTLS,
            [[.receiveHead, Self.answer, .receiveHead, .close], [.receiveHead, Self.answer, .receiveRest]]
        ) { server, session, url async throws in
            _ = try await session.post(url).text()
            await #expect {
                _ = try await session.post(url)
            } throws: { error in
                if case SessionError.connection(.lost(_, .response)) = error { true } else { false }
            }
            #expect(server.connectionCount == 1)
        }
    }

    /// The server closes before the request arrives, and the client notices it after it has written the request.
    @Test(
        "A POST is sent again only if the server ended the connection before it received any of it",
        arguments: [(isRead: false, isRepeated: true), (isRead: true, isRepeated: false)])
    func endBeforeReceipt(isRead: Bool, isRepeated: Bool) async throws {
        let behaviors: [TestServer.Behavior] =
            [.receiveHead, Self.answer] + (isRead ? [.receiveHead, .close] : [.delay(.milliseconds(100)), .close])
        let server = try await TestServer.start([behaviors])
        try await server.stop { () async throws in
            let connection = try await Self.connect(to: server.port)
            _ = try await connection.exchange(Self.message(.get))
            let error = await #expect(throws: (any Error).self) { try await connection.exchange(Self.message(.post)) }
            #if os(Linux)
                #expect((error is RequestNotProcessed) == isRepeated)
            #endif
            let reason = ((error as? RequestNotProcessed)?.reason ?? error) as? TransportError
            if case .connectionLost(_, .response)? = reason {} else { Issue.record("\(String(describing: error))") }
        }
    }

    private static func message(_ method: HTTPRequest.Method) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "localhost", path: "/")
    }

    /// Opens a connection on which writing a POST takes longer than the server needs to close.
    private static func connect(to port: Int) async throws -> HTTPConnection {
        let failure = ChannelFailure(
            peer: .origin(HostEndpoint(host: try HostName("localhost"), port: port)), record: PeerRecord())
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let watch = IdleMonitor(limit: .seconds(10), on: channel.eventLoop)
                    try channel.pipeline.syncOperations.addHandlers(
                        SlowWriter(),
                        HTTP1Handler(
                            .carriageReturnLineFeed, failure: failure, watch: watch, eventLoop: channel.eventLoop))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return HTTPConnection(channel: channel, streams: nil, failure: failure, opening: ConnectionOpening())
    }

    /// Delays the event loop before it writes a POST.
    private final class SlowWriter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if unwrapOutboundIn(data).readableBytesView.first == UInt8(ascii: "P") {
                StaleConnectionTests.wait(for: .milliseconds(300))
            }
            context.write(data, promise: promise)
        }
    }

    /// The end of the connection arrives in the packet of the response, and the next POST starts immediately.
    @Test("No POST is lost or repeated if the server closes each connection with its response")
    func stress() async throws {
        let bodies = NIOLockedValueBox<[String: Int]>([:])
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // TCP_CORK delays the response, so that it is sent in one packet with the FIN.
            .childChannelOption(ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 3)), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ClosingServer(bodies))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        try await withSession(HTTPSession.Configuration()) { session async throws in
            try await withThrowingDiscardingTaskGroup { group in
                for worker in 0..<4 {
                    group.addTask {
                        for number in 0..<150 {
                            let response = try await session.post(
                                "http://127.0.0.1:\(port)/", body: .text("<\(worker)-\(number)>"))
                            #expect(try await response.text() == "ok")
                        }
                    }
                }
            }
        }
        try await listener.close()
        #expect(bodies.withLockedValue { $0.count } == 600)
        #expect(bodies.withLockedValue { $0.values.allSatisfy { $0 == 1 } })
    }

    /// Answers one request, whose body is enclosed in angle brackets, and closes without announcing it.
    private final class ClosingServer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let bodies: NIOLockedValueBox<[String: Int]>
        private var received = ""

        init(_ bodies: NIOLockedValueBox<[String: Int]>) { self.bodies = bodies }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard received.hasSuffix(">"), let start = received.lastIndex(of: "<") else { return }
            bodies.withLockedValue { $0[String(received[start...]), default: 0] += 1 }
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            context.writeAndFlush(NIOAny(answer), promise: nil)
            context.close(promise: nil)
        }
    }
}
