// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPTransport

@Suite("HTTP/2 connection handler")
struct HTTP2ConnectionHandlerTests {
    /// A connection whose server has sent its settings.
    private struct Scene {
        let channel = NIOAsyncTestingChannel()
        private let handler: NIOLoopBound<HTTP2ConnectionHandler>

        init(settings: [UInt8]) async throws {
            let endpoint = HostEndpoint(host: try HostName("a.test"), port: 443)
            let failure = ChannelFailure(peer: .origin(endpoint), record: PeerRecord())
            handler = try await channel.testingEventLoop.submit { [channel] in
                let watch = IdleMonitor(limit: .seconds(60), on: channel.eventLoop)
                let handler = HTTP2ConnectionHandler(HTTP2Streams(), failure: failure, watch: watch)
                try channel.pipeline.syncOperations.addHandler(handler)
                return NIOLoopBound(handler, eventLoop: channel.eventLoop)
            }.get()
            try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/peer"))
            try await receive(settings)
            _ = try await written()
        }

        func receive(_ bytes: [UInt8]) async throws {
            try await channel.writeInbound(ByteBuffer(bytes: bytes))
        }

        func written() async throws -> [WrittenFrame] {
            await channel.testingEventLoop.run()
            var frames: [WrittenFrame] = []
            while let buffer = try await channel.readOutbound(as: ByteBuffer.self) {
                frames += WrittenFrame.all(in: buffer)
            }
            return frames
        }

        /// Starts an exchange whose body parts follow later.
        func upload() async throws -> (exchange: HTTPExchange, handle: HTTPExchange.Handle) {
            let permission = channel.eventLoop.makePromise(of: HTTPExchange.Handle.self)
            let exchange = exchange(.following(permission: permission, continueTimeout: nil))
            begin(exchange)
            await channel.testingEventLoop.run()
            // On a busy machine, the connection may already count as quiet, so that the exchange waits for a PING.
            try await receive(FrameBytes.ping(1))
            await channel.testingEventLoop.run()
            return (exchange, try await permission.futureResult.get())
        }

        func exchange(
            _ body: HTTPExchange.Body, limits: HTTPExchange.Limits = HTTPExchange.Limits()
        ) -> HTTPExchange {
            HTTPExchange(
                request: HTTPRequest(method: .post, scheme: "https", authority: "a.test", path: "/"),
                isAbsoluteForm: false, body: body, limits: limits, completion: { _ in })
        }

        func begin(_ exchange: HTTPExchange) {
            channel.eventLoop.execute { [handler] in handler.value.begin(exchange) }
        }

        /// Writes a part of the body.
        func write(_ text: String, to handle: HTTPExchange.Handle) async throws {
            try await channel.testingEventLoop.executeInContext { [channel] in
                handle.write([ByteBuffer(string: text)], writePromise: channel.eventLoop.makePromise())
            }
        }
    }

    @Test("A stream that ends before it is opened does not block the bodies of other streams")
    func endedBeforeOpening() async throws {
        // The server allows one stream.
        let scene = try await Scene(settings: FrameBytes.settings((3, 1)))
        let (_, open) = try await scene.upload()
        let (exchange, waiting) = try await scene.upload()
        try await scene.write("waiting", to: waiting)
        _ = try await scene.written()
        exchange.cancel()
        try await scene.write("good", to: open)
        #expect(try await scene.written() == [WrittenFrame(0, 0, on: 1, Array("good".utf8))])
    }

    @Test("The deadline of an exchange ends its wait for the answer to a PING, and its request is not sent")
    func deadline() async throws {
        let scene = try await Scene(settings: FrameBytes.settings())
        // The wait makes the connection quiet, so that the exchange sends a PING first.
        try await Task.sleep(for: .milliseconds(1_200))
        let loop = scene.channel.testingEventLoop
        let limits = HTTPExchange.Limits(deadline: .init(Timeout(.seconds(2), .total), from: loop.now))
        let exchange = scene.exchange(.complete(ByteBuffer(string: "body")), limits: limits)
        let response = Task { try await exchange.response { scene.begin(exchange) } }
        // The client has written the PING.
        #expect(try await eventually { try await scene.written().map(\.kind) == [6] })
        await loop.advanceTime(by: .seconds(3))
        // The cancellation ends the wait if the deadline does not.
        exchange.cancel()
        await #expect {
            _ = try await response.value
        } throws: { error in
            if case TransportError.timedOut(_, .total, _) = error { true } else { false }
        }
        try await scene.receive(FrameBytes.ping(1))
        #expect(try await scene.written() == [])
    }

    private func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
        for _ in 0..<6_000 {
            if try await condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
