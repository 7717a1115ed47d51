// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// Open connections, so that stopping leaves none behind.
final class ConnectionSet: Sendable {
    private let channels = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

    private let receipts = NIOLockedValueBox<[Int: ConnectionReceipt]>([:])

    var count: Int { channels.withLockedValue(\.count) }

    /// What an open connection has received, by the port of its client.
    func receipt(fromClientPort port: Int) -> ConnectionReceipt? { receipts.withLockedValue { $0[port] } }

    /// Records what arrives on a connection until it closes; called on the event loop, before other handlers are added.
    func recordReceipts(of channel: any Channel) throws {
        guard let port = channel.remoteAddress?.port else { return }
        let handler = ReceiptHandler { size in
            self.receipts.withLockedValue { $0[port, default: ConnectionReceipt()].add(size) }
        }
        try channel.pipeline.syncOperations.addHandler(handler)
        channel.closeFuture.whenComplete { _ in self.receipts.withLockedValue { $0[port] = nil } }
    }

    func insert(_ channel: any Channel) {
        let identifier = ObjectIdentifier(channel)
        channels.withLockedValue { $0[identifier] = channel }
        channel.closeFuture.whenComplete { _ in
            self.channels.withLockedValue { $0[identifier] = nil }
        }
    }

    func closeAll() async {
        for channel in channels.withLockedValue({ Array($0.values) }) {
            channel.close(promise: nil)
            try? await channel.closeFuture.get()
        }
    }
}

/// How much a server has received on one connection, and when it received the last of it.
package struct ConnectionReceipt: Sendable {
    /// In bytes, as they came over the network.
    package private(set) var size = 0
    package private(set) var last = ContinuousClock.now

    fileprivate mutating func add(_ size: Int) {
        self.size += size
        last = .now
    }
}

private final class ReceiptHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let note: @Sendable (Int) -> Void

    init(note: @escaping @Sendable (Int) -> Void) {
        self.note = note
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        note(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }
}
