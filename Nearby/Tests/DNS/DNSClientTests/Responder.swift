// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSClient
import DNSMessages
import DNSNames
import NIOCore
import NIOPosix
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A name server on loopback with answers that a test defines, including invalid ones.
struct Responder {
    /// Returns the datagrams, or the messages of a connection, for a query.
    typealias Answer = @Sendable (_ query: DNSMessage, _ isStream: Bool) -> [[UInt8]]

    let server: DNSServer
    private let channels: [any Channel]

    static func start(_ answer: @escaping Answer) async throws -> Responder {
        for _ in 0..<9 {
            // The TCP port with the number of a free UDP port may be in use by another test.
            do { return try await bind(answer) } catch let error as IOError where error.errnoCode == EADDRINUSE {}
        }
        return try await bind(answer)
    }

    private static func bind(_ answer: @escaping Answer) async throws -> Responder {
        let loop = MultiThreadedEventLoopGroup.singleton
        let datagrams = try await DatagramBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler(answer: answer))
                }
            }.bind(host: "127.0.0.1", port: 0).get()
        do {
            let port = try #require(datagrams.localAddress?.port)
            let streams = try await ServerBootstrap(group: loop)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(StreamHandler(answer: answer))
                    }
                }.bind(host: "127.0.0.1", port: port).get()
            let address = try #require(IPAddress("127.0.0.1"))
            return Responder(server: DNSServer(address, port: UInt16(port)), channels: [datagrams, streams])
        } catch {
            try await datagrams.close()
            throw error
        }
    }

    func stop() async throws { for channel in channels { try await channel.close() } }

    private final class DatagramHandler: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        typealias OutboundOut = AddressedEnvelope<ByteBuffer>
        private let answer: Answer

        init(answer: @escaping Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let envelope = unwrapInboundIn(data)
            guard let query = try? DNSMessage(decoding: Array(envelope.data.readableBytesView)) else { return }
            for bytes in answer(query, false) {
                let reply = AddressedEnvelope(remoteAddress: envelope.remoteAddress, data: ByteBuffer(bytes: bytes))
                context.writeAndFlush(wrapOutboundOut(reply), promise: nil)
            }
        }
    }

    private final class StreamHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let answer: Answer

        init(answer: @escaping Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data).readableBytesView
            guard let query = try? DNSMessage(decoding: Array(bytes.dropFirst(2))) else { return }
            for message in answer(query, true) {
                let length = [UInt8(message.count >> 8), UInt8(message.count & 0xFF)]
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: length + message)), promise: nil)
            }
            context.close(promise: nil)
        }
    }
}
