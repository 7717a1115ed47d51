// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

/// A server that reads and writes bytes as a script says: one script for each connection, the last for all that follow.
final class ByteServer: Sendable {
    enum Step: Sendable {
        case receive(Int)
        case send([UInt8])
        case close
    }

    private let channel: any Channel
    private let box: NIOLockedValueBox<[[UInt8]]>

    let port: Int
    /// What came over each connection, in the order in which they were accepted.
    var received: [[UInt8]] { box.withLockedValue { $0 } }

    private init(channel: any Channel, port: Int, box: NIOLockedValueBox<[[UInt8]]>) {
        (self.channel, self.port, self.box) = (channel, port, box)
    }

    static func with<Result>(_ scripts: [[Step]], _ body: (ByteServer) async throws -> Result) async throws -> Result {
        let box = NIOLockedValueBox<[[UInt8]]>([])
        let children = NIOLockedValueBox<[any Channel]>([])
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                children.withLockedValue { $0.append(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ScriptHandler(scripts, box))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = ByteServer(channel: channel, port: try #require(channel.localAddress?.port), box: box)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(server)) } catch { result = .failure(error) }
        try? await channel.close()
        for child in children.withLockedValue({ $0 }) { child.close(promise: nil) }
        return try result.get()
    }
}

private final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let box: NIOLockedValueBox<[[UInt8]]>
    private let number: Int
    private var steps: ArraySlice<ByteServer.Step>
    private var unread = 0

    init(_ scripts: [[ByteServer.Step]], _ box: NIOLockedValueBox<[[UInt8]]>) {
        self.box = box
        number = box.withLockedValue { received in
            received.append([])
            return received.count - 1
        }
        steps = scripts[min(number, scripts.count - 1)][...]
    }

    func channelActive(context: ChannelHandlerContext) {
        go(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        box.withLockedValue { $0[number] += bytes }
        unread += bytes.count
        go(context)
    }

    private func go(_ context: ChannelHandlerContext) {
        while let step = steps.first {
            switch step {
            case .receive(let count):
                guard unread >= count else { return }
                unread -= count
            case .send(let bytes):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .close:
                context.close(promise: nil)
            }
            steps = steps.dropFirst()
        }
    }
}
