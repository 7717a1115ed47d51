// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a server, so that stopping the server can close them.
final class ConnectionSet: Sendable {
    private let channels = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

    private let receipts = NIOLockedValueBox<[Int: ConnectionReceipt]>([:])

    var count: Int { channels.withLockedValue(\.count) }

    /// Returns the amount and time of the data received on an open connection, by client port.
    func receipt(fromClientPort port: Int) -> ConnectionReceipt? { receipts.withLockedValue { $0[port] } }

    /// Counts the bytes received on a connection until it closes.
    ///
    /// It must be called on the event loop, before other handlers are added.
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

/// The number of bytes that a server has received on one connection, and the time of the last receipt.
package struct ConnectionReceipt: Sendable {
    /// The number of bytes received from the network.
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
