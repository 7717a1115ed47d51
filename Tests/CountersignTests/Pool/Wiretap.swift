// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

/// Passes connections on to a port of loopback, and keeps what went each way.
final class Wiretap: Sendable {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// What was said over one connection.
    struct Record: Sendable {
        var fromClient: [UInt8] = []
        var fromServer: [UInt8] = []
    }

    private let listener: NIOAsyncChannel<Connection, Never>
    private let passing: Task<Void, Never>
    private let box: NIOLockedValueBox<[Record]>

    let port: Int
    /// In the order in which the connections were accepted.
    var records: [Record] { box.withLockedValue { $0 } }

    private init(
        listener: NIOAsyncChannel<Connection, Never>, port: Int, passing: Task<Void, Never>,
        box: NIOLockedValueBox<[Record]>
    ) {
        (self.listener, self.port, self.passing, self.box) = (listener, port, passing, box)
    }

    static func start(to port: Int) async throws -> Wiretap {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
            }
        let box = NIOLockedValueBox<[Record]>([])
        let passing = Task {
            _ = try? await withThrowingDiscardingTaskGroup { group in
                try await listener.executeThenClose { connections in
                    for try await connection in connections {
                        let number = box.withLockedValue { records in
                            records.append(Record())
                            return records.count - 1
                        }
                        group.addTask { try? await pass(connection, to: port, number, box) }
                    }
                }
            }
        }
        return Wiretap(
            listener: listener, port: try #require(listener.channel.localAddress?.port), passing: passing, box: box)
    }

    private static func pass(
        _ near: Connection, to port: Int, _ number: Int, _ box: NIOLockedValueBox<[Record]>
    ) async throws {
        let far = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
            }
        try await near.executeThenClose { fromClient, toClient in
            try await far.executeThenClose { fromServer, toServer in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for try await part in fromClient {
                            box.withLockedValue { $0[number].fromClient += Array(part.readableBytesView) }
                            try await toServer.write(part)
                        }
                    }
                    group.addTask {
                        for try await part in fromServer {
                            box.withLockedValue { $0[number].fromServer += Array(part.readableBytesView) }
                            try await toClient.write(part)
                        }
                    }
                    // Whoever ends first ends both.
                    try await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    func stop() async {
        try? await listener.channel.close()
        passing.cancel()
        await passing.value
    }
}
