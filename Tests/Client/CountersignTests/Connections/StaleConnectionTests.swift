// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
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

/// RFC 9112 section 9.3.1: a request that was not written to a connection is sent again, and one that the server may have processed is not.
@Suite("A request on a connection that the server has just closed") struct StaleConnectionTests {
    /// An event loop that is busy while the server closes, so that the end of the connection waits in the socket.
    private static func block(_ loop: any EventLoop, for time: Duration) -> EventLoopFuture<Void> {
        loop.submit { wait(for: time) }
    }

    fileprivate static func wait(for time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {}
    }

    private static func withServer(
        isTLS: Bool, _ connections: [[TestServer.Behavior]], _ body: (TestServer, Session, String) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority(name: "Stale Root", now: Date())
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        let tls = isTLS ? try NIOSSLContext(configuration: LabTLS.configuration(presenting: identity)) : nil
        let server = try await TestServer.start(tls: tls, connections)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = Session.Configuration(trust: TrustPolicy(anchors: .only([authority.certificate])))
        configuration.eventLoopGroup = group
        try await server.stop {
            try await withSession(configuration) { session in
                try await body(server, session, "\(isTLS ? "https" : "http")://localhost:\(server.port)/")
            }
        }
        try await group.shutdownGracefully()
    }

    private static let answer = TestServer.Behavior.send("HTTP/1.1 200 OK", "Content-Length: 0", "")

    /// Order one: the end is in the socket, and the event loop has not read it when it comes to write the request.
    @Test(
        "A POST is not written to a connection whose end waits in the socket, and succeeds over another",
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
            // Leased while the connection is alive, and begun after the loop was busy.
            let response = try await session.post(url, body: .text("second"))
            try await busy.get()
            #expect(response.status == .ok)
            #expect(server.connectionCount == 2)
            #expect(!String(decoding: server.received[0], as: UTF8.self).contains("second"))
        }
    }

    /// Order two: the server has read the request, and closes without an answer.
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

    /// Order three: the server closes before the request arrives, and its end arrives after the request was written.
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

    /// Opens a connection whose write of a POST takes longer than the server needs to close.
    private static func connect(to port: Int) async throws -> HTTPConnection {
        let failure = ChannelFailure(
            peer: .origin(Endpoint(host: try HostName("localhost"), port: port)), record: PeerRecord())
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

    /// Holds up the event loop before it writes a POST.
    private final class SlowWriter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if unwrapOutboundIn(data).readableBytesView.first == UInt8(ascii: "P") {
                StaleConnectionTests.wait(for: .milliseconds(300))
            }
            context.write(data, promise: promise)
        }
    }

    /// The end of a connection comes in the packet of the response, and a POST follows at once.
    @Test("Of 600 POSTs to a server that closes each connection with its response none is lost, and none arrives twice")
    func stress() async throws {
        let bodies = NIOLockedValueBox<[String: Int]>([:])
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // TCP_CORK: what is written waits for the end, and leaves with it.
            .childChannelOption(ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 3)), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ClosingServer(bodies))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        try await withSession(Session.Configuration()) { session async throws in
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

    /// Answers one request, whose body stands between angle brackets, and closes the connection without a word.
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
