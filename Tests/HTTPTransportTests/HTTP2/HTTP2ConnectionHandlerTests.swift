// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPTransport

@Suite("The handler of an HTTP/2 connection")
struct HTTP2ConnectionHandlerTests {
    /// A connection whose server has sent its settings.
    private struct Scene {
        let channel = NIOAsyncTestingChannel()
        private let streams = HTTP2Streams(idleTimeout: .seconds(60))
        private let failure: ChannelFailure

        init(settings: [UInt8]) async throws {
            let endpoint = Endpoint(host: try HostName("a.test"), port: 443)
            failure = ChannelFailure(peer: .origin(endpoint), record: ConnectionRecord())
            try await channel.testingEventLoop.submit { [channel, streams, failure] in
                try streams.addHandlers(to: channel, failure: failure)
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

        /// Starts an exchange whose body follows in parts.
        func upload() async throws -> (exchange: HTTPExchange, handle: ExchangeHandle) {
            let permission = channel.eventLoop.makePromise(of: ExchangeHandle.self)
            let exchange = exchange(.following(permission: permission, continueTimeout: nil))
            begin(exchange)
            await channel.testingEventLoop.run()
            return (exchange, try await permission.futureResult.get())
        }

        func exchange(_ body: HTTPExchange.Body) -> HTTPExchange {
            HTTPExchange(
                request: HTTPRequest(method: .post, scheme: "https", authority: "a.test", path: "/"),
                isAbsoluteForm: false, body: body, limits: .init(), completion: { _ in })
        }

        func begin(_ exchange: HTTPExchange) {
            channel.eventLoop.execute { [streams, channel, failure] in
                streams.begin(exchange, on: channel, failure: failure)
            }
        }

        /// Writes a part of a body.
        func write(_ text: String, to handle: ExchangeHandle) async throws {
            try await channel.testingEventLoop.executeInContext { [channel] in
                handle.write([ByteBuffer(string: text)], departure: channel.eventLoop.makePromise())
            }
        }
    }

    @Test("A stream that ends before it is opened does not hold back the bodies of other streams")
    func endedBeforeOpening() async throws {
        // One stream is allowed.
        let scene = try await Scene(settings: FrameBytes.settings((3, 1)))
        let (_, open) = try await scene.upload()
        let (exchange, waiting) = try await scene.upload()
        try await scene.write("waiting", to: waiting)
        _ = try await scene.written()
        exchange.cancel()
        try await scene.write("good", to: open)
        #expect(try await scene.written() == [WrittenFrame(0, 0, on: 1, Array("good".utf8))])
    }
}
