// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHTTP1

/// Hides from the decoder that a request is a CONNECT.
///
/// Told of one, NIO's decoder (2.101) takes every answer to have no body, and chokes on the page of a 407; only a 2xx has none
/// (RFC 9110 section 9.3.6). So the request passes the decoder as another method, and becomes a CONNECT below it.
final class ConnectMethodHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// No other request has this method.
    static let disguise = HTTPMethod.RAW(value: "COUNTERSIGN-CONNECT")

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.method == Self.disguise else {
            return context.write(data, promise: promise)
        }
        head.method = .CONNECT
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
