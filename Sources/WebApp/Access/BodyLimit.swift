// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends a connection whose request has a longer body than its path takes, once the request is refused.
///
/// The server would otherwise read the body to its end before the next request.
final class BodyLimit: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// In bytes, by the path of the request.
    private let limits: @Sendable (String) -> Int
    private var limit = 0
    private var received = 0
    private var isExceeded = false

    init(_ limits: @escaping @Sendable (String) -> Int) { self.limits = limits }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            (limit, received) = (limits(head.path ?? "/"), 0)
            isExceeded = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0 > limit
            context.fireChannelRead(data)
        case .body(let part):
            // The part that crosses the limit is passed on, so that the reader learns of it.
            guard received <= limit else { return }
            received += part.readableBytes
            if received > limit { isExceeded = true }
            context.fireChannelRead(data)
        case .end: context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isExceeded, case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        context.writeAndFlush(data, promise: promise)
        let channel = context.channel
        channel.close(mode: .output, promise: nil)
        // What the client has sent meanwhile must not reset the connection before it has read the response.
        channel.eventLoop.scheduleTask(in: .milliseconds(200)) { channel.close(promise: nil) }
    }
}
