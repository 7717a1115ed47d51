// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Lets a socket connect only to addresses that are allowed.
///
/// It judges the address that is connected to, after its name was resolved. A check of the name would leave time to resolve it
/// to something else (DNS rebinding).
final class AddressGuard: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let allows: @Sendable (SocketAddress) -> Bool

    init(_ allows: @escaping @Sendable (SocketAddress) -> Bool) {
        self.allows = allows
    }

    func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
        guard allows(address) else {
            promise?.fail(AddressRefused())
            return
        }
        context.connect(to: address, promise: promise)
    }
}

/// The owner of the connection does not allow the address (``ConnectionSettings/allowsAddress``).
package struct AddressRefused: Error {
    package init() {}
}
