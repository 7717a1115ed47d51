// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

/// A server on loopback that serves a test, and records the received heads.
actor ReplayServer {
    typealias Listener = NIOAsyncChannel<any Channel, Never>

    /// The time for a client to close a connection after the server has closed its side.
    private static let lingering = TimeAmount.seconds(1)

    nonisolated let port: Int
    private let listener: Listener
    private var script: ReplyScript?
    private var commands: Set<ServerCommand> = []
    /// The server for requests in a tunnel; `nil` if this server handles them.
    private var origin: ReplayServer?
    private(set) var received: [RequestHead] = []

    /// Listens on a free port, without accepting connections yet.
    init() async throws {
        listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0) { $0.eventLoop.makeSucceededFuture($0) }
        port = listener.channel.localAddress?.port ?? 0
    }

    func prepare(_ test: CurlTest, before origin: ReplayServer? = nil) {
        script = ReplyScript(test)
        commands = test.serverCommands
        self.origin = origin
    }

    /// Serves until the task is cancelled.
    nonisolated func run() async throws {
        try await listener.executeThenClose { connections in
            await withDiscardingTaskGroup { group in
                do {
                    for try await connection in connections {
                        group.addTask { try? await self.serve(connection) }
                    }
                } catch {
                    // The task was cancelled, or no more connections can be accepted: the replay ends in both cases.
                }
                group.cancelAll()
            }
        }
    }

    private nonisolated func serve(_ channel: any Channel) async throws {
        try await channel.beginReading().executeThenClose { inbound, outbound in
            var server = self
            var reader = RequestReader(await commands)
            var parts = inbound.makeAsyncIterator()
            while true {
                guard let head = reader.next() else {
                    guard let part = try await parts.next() else { return }
                    reader.append(part.readableBytesView)
                    continue
                }
                guard let reply = await server.answer(head) else { continue }
                try await outbound.write(ByteBuffer(bytes: reply.bytes))
                if reply.closes { break }
                if reply.opensTunnel { server = await server.origin ?? server }
            }
            outbound.finish()
            try await Self.linger(&parts, on: channel)
        }
    }

    private func answer(_ head: RequestHead) -> ReplyScript.Reply? {
        received.append(head)
        guard !commands.contains(.staysSilent) else { return nil }
        return script?.reply(to: head)
    }

    /// Reads until the client closes, because closing with unread
    /// bytes resets the connection and loses the last response.
    private static func linger(
        _ parts: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, on channel: any Channel
    ) async throws {
        let end = channel.eventLoop.scheduleTask(in: lingering) { channel.close(promise: nil) }
        defer { end.cancel() }
        while try await parts.next() != nil {}
    }
}

/// The test number and part in a request target.
struct TestNumber: Hashable, Sendable {
    let test: Int
    let part: Int

    private static let partFactor = 10_000

    /// Reads the number after the last slash, or otherwise after the last dot.
    init?(target: String) {
        guard let number = Self.number(after: "/", in: target) ?? Self.number(after: ".", in: target) else {
            return nil
        }
        self.init(number)
    }

    private init(_ number: Int) {
        (test, part) = number > Self.partFactor ? number.quotientAndRemainder(dividingBy: Self.partFactor) : (number, 0)
    }

    private static func number(after separator: Character, in target: String) -> Int? {
        guard let start = target.lastIndex(of: separator) else { return nil }
        let digits = target[target.index(after: start)...].prefix { ("0"..."9").contains($0) }
        return Int(digits).flatMap { $0 > 0 ? $0 : nil }
    }
}

extension Channel {
    /// Starts reading from a channel with `autoRead` turned off, and supports closing only the outbound side.
    ///
    /// NIO (2.101) ends the process if its wrapper is released without having been used, which happens to a connection
    /// that is accepted while the listener closes. Therefore, only the code that serves an accepted channel wraps it.
    func beginReading() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await eventLoop.submit {
            try self.syncOptions?.setOption(.autoRead, value: true)
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: self, configuration: .init(isOutboundHalfClosureEnabled: true))
        }.get()
    }
}
