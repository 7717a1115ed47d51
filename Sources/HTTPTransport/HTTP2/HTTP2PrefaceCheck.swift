// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Recognises a server that answers the preface of HTTP/2 with something else, such as an error of HTTP/1.1.
///
/// A server of HTTP/2 sends a SETTINGS frame first (RFC 9113 section 3.4). Its length is below 2^16, so its first byte is 0.
final class HTTP2PrefaceCheck: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The server's first byte begins no SETTINGS frame.
    struct Failure: Error {}

    private var isDone = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isDone, let first = unwrapInboundIn(data).readableBytesView.first {
            isDone = true
            guard first == 0 else {
                context.fireErrorCaught(Failure())
                return context.channel.hangUp()
            }
        }
        context.fireChannelRead(data)
    }
}
