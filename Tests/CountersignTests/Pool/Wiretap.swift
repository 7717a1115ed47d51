// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

/// Passes connections on to a port of loopback, and keeps what went each way.
final class Wiretap: Sendable {
    /// What was said over one connection.
    struct Record: Sendable {
        var fromClient: [UInt8] = []
        var fromServer: [UInt8] = []
    }

    private let listener: NIOAsyncChannel<any Channel, Never>
    private let passing: Task<Void, Never>
    private let box: NIOLockedValueBox<[Record]>

    let port: Int
    /// In the order in which the connections were accepted.
    var records: [Record] { box.withLockedValue { $0 } }

    private init(
        listener: NIOAsyncChannel<any Channel, Never>, port: Int, passing: Task<Void, Never>,
        box: NIOLockedValueBox<[Record]>
    ) {
        (self.listener, self.port, self.passing, self.box) = (listener, port, passing, box)
    }

    static func start(to port: Int) async throws -> Wiretap {
        let listener = try await ServerBootstrap.listenWithoutReading()
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
        _ near: any Channel, to port: Int, _ number: Int, _ box: NIOLockedValueBox<[Record]>
    ) async throws {
        try await near.beginReading().executeThenClose { fromClient, toClient in
            let far = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: port).get()
            try await far.beginReading().executeThenClose { fromServer, toServer in
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
