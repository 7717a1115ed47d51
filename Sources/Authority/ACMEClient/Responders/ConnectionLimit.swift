// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import NIOConcurrencyHelpers
internal import NIOCore
internal import ServerConnections

/// Bounds the connections to a responder, which the whole network can reach.
final class ConnectionLimit: Sendable {
    /// Far longer than an authority needs for one look.
    private let lifetime: TimeAmount
    private let most: Int
    private let open = NIOLockedValueBox(0)

    init(lifetime: TimeAmount = .seconds(20), most: Int = 128) { (self.lifetime, self.most) = (lifetime, most) }

    /// Has a listening channel wait while no descriptor is left.
    func apply(toListener channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionAcceptance(maximum: .max))
        }
    }

    /// Closes a new connection when its time is over, or at once where there are too many.
    func apply(to channel: any Channel) {
        let count = open.withLockedValue { count in
            count += 1
            return count
        }
        channel.closeFuture.whenComplete { [open] _ in open.withLockedValue { $0 -= 1 } }
        guard count <= most else { return channel.close(promise: nil) }
        let end = channel.eventLoop.scheduleTask(in: lifetime) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in end.cancel() }
    }
}
