// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Lets a socket connect only to addresses within a reach.
///
/// It judges the address that is connected to, after its name was resolved. A check of the name would leave time to resolve it
/// to something else (DNS rebinding).
final class AddressGuard: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let reach: EvidenceReach

    init(_ reach: EvidenceReach) {
        self.reach = reach
    }

    func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
        guard reach.includes(address) else {
            promise?.fail(AddressRefused())
            return
        }
        context.connect(to: address, promise: promise)
    }
}

/// Evidence lies at an address of the local network, where the server is not.
struct AddressRefused: Error {}
