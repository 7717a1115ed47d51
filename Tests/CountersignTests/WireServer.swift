// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

/// A server whose every connection is served by the next of some scripts, byte by byte; there are as many as connections expected.
final class WireServer: Sendable {
    typealias Script = @Sendable (inout WireConnection) async throws -> Void
    private let listener: NIOAsyncChannel<any Channel, Never>
    private let serving: Task<Void, Never>
    private let accepted: NIOLockedValueBox<Int>

    let port: Int
    var connectionCount: Int { accepted.withLockedValue { $0 } }

    func url(_ path: String = "/") -> String { "http://localhost:\(port)\(path)" }

    private init(
        listener: NIOAsyncChannel<any Channel, Never>, port: Int, accepted: NIOLockedValueBox<Int>,
        serving: Task<Void, Never>
    ) {
        (self.listener, self.port, self.accepted, self.serving) = (listener, port, accepted, serving)
    }

    static func start(_ scripts: [Script]) async throws -> WireServer {
        let listener = try await ServerBootstrap.listenWithoutReading()
        let accepted = NIOLockedValueBox(0)
        let serving = Task {
            _ = try? await withThrowingDiscardingTaskGroup { group in
                try await listener.executeThenClose { connections in
                    for try await connection in connections {
                        let number = accepted.withLockedValue { count in
                            defer { count += 1 }
                            return count
                        }
                        group.addTask { await serve(connection, number < scripts.count ? scripts[number] : nil) }
                    }
                }
            }
        }
        return WireServer(
            listener: listener, port: try #require(listener.channel.localAddress?.port), accepted: accepted,
            serving: serving)
    }

    private static func serve(_ channel: any Channel, _ script: Script?) async {
        // Whatever goes wrong on the wire shows in what the client sees.
        try? await channel.beginReading().executeThenClose { inbound, outbound in
            var wire = WireConnection(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            try await script?(&wire)
        }
    }

    func stop() async {
        try? await listener.channel.close()
        serving.cancel()
        await serving.value
    }
}

/// One connection as its server sees it.
struct WireConnection {
    struct Ended: Error {}

    fileprivate var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var received = ""

    fileprivate init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        (self.inbound, self.outbound) = (inbound, outbound)
    }

    /// The head of a request, without its last empty line.
    mutating func head() async throws -> String {
        try await text(upTo: "\r\n\r\n")
    }

    /// What comes before a mark, which is read too.
    mutating func text(upTo mark: String) async throws -> String {
        while true {
            if let range = received.firstRange(of: mark) {
                defer { received.removeSubrange(..<range.upperBound) }
                return String(received[..<range.lowerBound])
            }
            try await receive()
        }
    }

    mutating func text(count: Int) async throws -> String {
        while received.utf8.count < count { try await receive() }
        let text = String(received.prefix(count))
        received.removeFirst(count)
        return text
    }

    private mutating func receive() async throws {
        guard let buffer = try await inbound.next() else { throw Ended() }
        received += String(buffer: buffer)
    }

    /// What is still to come until the client closes.
    mutating func rest() async throws -> String {
        while let buffer = try await inbound.next() { received += String(buffer: buffer) }
        return received
    }

    /// Lines, each ended as HTTP ends them.
    func send(_ lines: String...) async throws {
        try await outbound.write(ByteBuffer(string: lines.map { $0 + "\r\n" }.joined()))
    }

    /// Bytes as they are.
    func send(bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }
}
