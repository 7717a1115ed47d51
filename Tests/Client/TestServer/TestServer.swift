// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
package import NIOCore
import NIOPosix
package import NIOSSL

/// A server for tests whose connections carry out behaviors: they receive, send, wait, fail and close.
///
/// It records the bytes that it receives and sends. An error on a connection closes it, which the client notices.
package final class TestServer: Sendable {
    /// The bytes of one connection, after decryption if the server uses TLS.
    package struct Record: Sendable {
        package fileprivate(set) var received: [UInt8] = []
        package fileprivate(set) var sent: [UInt8] = []
        /// The number of HTTP/2 requests.
        package fileprivate(set) var requestCount = 0
        package fileprivate(set) var isOpen = true
    }

    private typealias Listener = NIOAsyncChannel<(any Channel, AsyncStream<ByteBuffer>), Never>

    private let listener: Listener
    private let serving: Task<Void, Never>
    private let box: NIOLockedValueBox<[Record]>

    /// The port on 127.0.0.1; 0 for a Unix socket.
    package let port: Int

    /// The connections in the order of their acceptance.
    package var records: [Record] { box.withLockedValue { $0 } }
    /// The bytes that each connection received.
    package var received: [[UInt8]] { records.map(\.received) }
    /// The number of accepted connections.
    package var connectionCount: Int { box.withLockedValue(\.count) }
    /// The number of open connections.
    package var openConnectionCount: Int { box.withLockedValue { $0.count(where: \.isOpen) } }
    /// The number of HTTP/2 requests whose heads have arrived.
    package var requestCount: Int { box.withLockedValue(\.requestCount) }

    private init(listener: Listener, serving: Task<Void, Never>, box: NIOLockedValueBox<[Record]>) {
        (self.listener, self.serving, self.box) = (listener, serving, box)
        port = listener.channel.localAddress?.port ?? 0
    }

    /// The URL of a path over plain HTTP.
    package func url(_ path: String = "/") -> String { "http://localhost:\(port)\(path)" }

    /// Starts a server whose n-th connection carries out the n-th list of behaviors; further connections are closed.
    ///
    /// - Parameters:
    ///   - address: The address to listen on; by default a free port of 127.0.0.1.
    ///   - tls: The TLS context, or `nil` for none.
    ///   - connections: The behaviors of each connection.
    /// - Returns: The listening server.
    /// - Throws: An error if the socket cannot be bound.
    package static func start(
        on address: SocketAddress? = nil, tls: NIOSSLContext? = nil, _ connections: [[Behavior]]
    ) async throws -> TestServer {
        try await start(on: address, tls: tls) { $0 < connections.count ? connections[$0] : [] }
    }

    /// Starts a server whose connections all carry out the same behaviors.
    package static func start(
        on address: SocketAddress? = nil, tls: NIOSSLContext? = nil, repeating behaviors: [Behavior]
    ) async throws -> TestServer {
        try await start(on: address, tls: tls) { _ in behaviors }
    }

    /// Starts a server whose n-th connection runs the n-th script; further connections are closed.
    package static func start(_ scripts: [TestConnection.Script]) async throws -> TestServer {
        try await start(scripts.map { [.script($0)] })
    }

    /// Runs a closure with a server, and stops the server afterwards.
    package static func with<Result>(
        _ connections: [[Behavior]], _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(connections)
        return try await server.stop { try await body(server) }
    }

    /// Runs a closure, and stops the server afterwards, even after an error.
    package func stop<Result>(after body: () async throws -> Result) async throws -> Result {
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await stop()
        return try result.get()
    }

    /// Closes the listener and every connection.
    package func stop() async {
        try? await listener.channel.close()
        serving.cancel()
        await serving.value
    }

    private static func start(
        on address: SocketAddress?, tls: NIOSSLContext?, _ behaviors: @escaping @Sendable (Int) -> [Behavior]
    ) async throws -> TestServer {
        let address = try address ?? SocketAddress(ipAddress: "127.0.0.1", port: 0)
        let listener = try await listen(on: address, tls: tls)
        let box = NIOLockedValueBox<[Record]>([])
        let serving = Task {
            _ = try? await withThrowingDiscardingTaskGroup { group in
                try await listener.executeThenClose { connections in
                    for try await (channel, parts) in connections {
                        let number = box.withLockedValue { records in
                            records.append(Record())
                            return records.count - 1
                        }
                        group.addTask {
                            let recorder = Recorder(number, box)
                            let sender = Sender(channel: channel, recorder: recorder)
                            var connection = TestConnection(sender: sender, inbound: parts.makeAsyncIterator())
                            try? await connection.perform(behaviors(number))
                            try? await channel.close()
                            recorder.closed()
                        }
                    }
                }
            }
        }
        return TestServer(listener: listener, serving: serving, box: box)
    }

    private static func listen(on address: SocketAddress, tls: NIOSSLContext?) async throws -> Listener {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            // With TLS, a client that closes its side would delay the server's close until a timeout.
            .childChannelOption(.allowRemoteHalfClosure, value: tls == nil)
            .bind(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let reader = Reader<ByteBuffer>()
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(reader)
                    return (channel, reader.parts)
                }
            }
    }

    /// Records the bytes of one connection.
    struct Recorder: Sendable {
        let number: Int
        private let box: NIOLockedValueBox<[Record]>

        init(_ number: Int, _ box: NIOLockedValueBox<[Record]>) {
            (self.number, self.box) = (number, box)
        }

        func received(_ bytes: ByteBuffer) {
            box.withLockedValue { $0[number].received += Array(buffer: bytes) }
        }

        func sent(_ bytes: ByteBuffer) {
            box.withLockedValue { $0[number].sent += Array(buffer: bytes) }
        }

        func closed() { box.withLockedValue { $0[number].isOpen = false } }

        /// The number of HTTP/2 requests of the server.
        var requestCount: Int { box.withLockedValue(\.requestCount) }

        /// Counts an HTTP/2 request, and returns the total number.
        func nextRequest() -> Int {
            box.withLockedValue { records in
                records[number].requestCount += 1
                return records.requestCount
            }
        }
    }
}

extension [TestServer.Record] {
    fileprivate var requestCount: Int { reduce(0) { $0 + $1.requestCount } }
}
