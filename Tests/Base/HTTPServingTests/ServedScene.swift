// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Hummingbird
import HummingbirdCore
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerConnections
import ServiceLifecycle

@testable import HTTPServing

/// A Hummingbird server with the rules under test, and a function that opens raw connections to it.
struct ServedScene {
    static let largeBody = 32 << 20

    let port: Int
    private let connections: NIOLockedValueBox<[any Channel]>

    /// The number of connections that are open at the server.
    var openCount: Int { connections.withLockedValue { $0.count(where: \.isActive) } }

    static func run(
        _ timeouts: HTTPServerConnection.Timeouts = .init(), maximum: Int = 100,
        _ body: @escaping @Sendable (ServedScene) async throws -> Void
    ) async throws {
        let router = Router()
        router.get("text") { _, _ in "text" }
        router.head("text") { _, _ in "text" }
        router.on("stream", method: .get) { _, _ in Self.stream }
        router.on("stream", method: .head) { _, _ in Self.stream }
        router.get("large") { _, _ in
            Response(status: .ok, body: .init(byteBuffer: ByteBuffer(repeating: 0x61, count: largeBody)))
        }
        router.get("late") { _, _ in
            try await Task.sleep(for: .milliseconds(700))
            return "late"
        }
        router.post("length") { request, _ in
            var request = request
            return "\(try await request.collectBody(upTo: 100_000).readableBytes)"
        }
        let connections = NIOLockedValueBox<[any Channel]>([])
        let running = NIOLockedValueBox<CheckedContinuation<Int, Never>?>(nil)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: router,
            server: ServedHTTP1.builder(timeouts) { [Recorder(connections)] },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                await ServedHTTP1.limitConnections(of: channel, to: maximum)
                running.withLockedValue { $0 }?.resume(returning: channel.localAddress?.port ?? 0)
            }, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            let port = await withCheckedContinuation { continuation in
                running.withLockedValue { $0 = continuation }
                tasks.addTask { try await group.run() }
            }
            tasks.addTask { try await body(ServedScene(port: port, connections: connections)) }
            // Only the body ends by itself; the server is shut down afterwards.
            try await tasks.next()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private static var stream: Response {
        Response(
            status: .ok,
            body: .init { writer in
                for part in ["one", "two"] { try await writer.write(ByteBuffer(string: part)) }
                try await writer.finish(nil)
            })
    }

    /// Opens a connection, and sends bytes.
    func send(_ text: String, reads: Bool = true) async throws -> RawClient {
        let client = RawClient()
        try await client.connect(to: port, reads: reads)
        try await client.send(text)
        return client
    }
}

/// Waits until a condition holds, for a minute at most, because other tests may delay the server.
func holds(_ condition: @Sendable () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(10))
    }
    return true
}

/// A channel handler that records the server's channels.
private final class Recorder: ChannelInboundHandler {
    typealias InboundIn = Any

    private let channels: NIOLockedValueBox<[any Channel]>

    init(_ channels: NIOLockedValueBox<[any Channel]>) { self.channels = channels }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        channels.withLockedValue { $0.append(channel) }
    }
}

/// A client connection that records the received bytes and whether the server closed it.
final class RawClient: Sendable {
    private let received = NIOLockedValueBox((text: "", count: 0, isClosed: false))
    private let channel = NIOLockedValueBox<(any Channel)?>(nil)

    fileprivate init() {}

    var text: String { received.withLockedValue { $0.text } }
    var count: Int { received.withLockedValue { $0.count } }
    /// Whether the server has closed the connection.
    var isClosed: Bool { received.withLockedValue { $0.isClosed } }
    /// The status codes of the responses, in order.
    var statuses: [Int] {
        text.split(separator: "HTTP/1.").dropFirst(text.hasPrefix("HTTP/1.") ? 0 : 1)
            .compactMap { Int($0.dropFirst(2).prefix(3)) }
    }

    fileprivate func connect(to port: Int, reads: Bool) async throws {
        let received = received
        let open = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: reads)
            .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(received))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        channel.withLockedValue { $0 = open }
    }

    func send(_ text: String) async throws {
        try await channel.withLockedValue { $0 }?.writeAndFlush(ByteBuffer(string: text)).get()
    }

    /// Requests one read from the channel.
    func read() { channel.withLockedValue { $0 }?.read() }

    func close() async throws { try await channel.withLockedValue { $0 }?.close().get() }

    /// Waits until a condition holds.
    func waits(until condition: @Sendable (RawClient) -> Bool) async throws -> Bool {
        try await holds { condition(self) }
    }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: NIOLockedValueBox<(text: String, count: Int, isClosed: Bool)>

        init(_ received: NIOLockedValueBox<(text: String, count: Int, isClosed: Bool)>) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            received.withLockedValue { received in
                received.count += buffer.readableBytes
                if received.count < 65_536 { received.text += String(buffer: buffer) }
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { received.withLockedValue { $0.isClosed = true } }
        }

        func channelInactive(context: ChannelHandlerContext) { received.withLockedValue { $0.isClosed = true } }
    }
}
