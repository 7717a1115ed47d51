// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHTTP1

/// Turns what arrives into responses, one for every request that passes on its way out.
final class ResponseDecoder: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private var parser: ResponseParser
    private var hasFailed = false

    /// - Parameter headLimit: Largest head of a response, in bytes.
    init(headLimit: Int) {
        parser = ResponseParser(headLimit: headLimit)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            let isConnect = head.method == .CONNECT || head.method == ConnectMethodHandler.disguise
            parser.expect(.init(isHead: head.method == .HEAD, isConnect: isConnect))
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        parser.append(unwrapInboundIn(data))
        do {
            while let part = try parser.next() {
                emit(part, context: context)
                // Whoever reads the part may have ended the connection.
                if hasFailed { return }
            }
        } catch {
            hasFailed = true
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !hasFailed, let part = parser.close() { emit(part, context: context) }
        hasFailed = true
        context.fireChannelInactive()
    }

    /// What came behind the answer that opened a tunnel belongs to whoever comes next.
    func handlerRemoved(context: ChannelHandlerContext) {
        hasFailed = true
        guard parser.isTunnel, context.channel.isActive else { return }
        if let rest = parser.takeRest() { context.fireChannelRead(NIOAny(rest)) }
    }

    private func emit(_ part: ResponseParser.Part, context: ChannelHandlerContext) {
        let part: HTTPClientResponsePart =
            switch part {
            case .head(let head, _): .head(HTTPResponseHead(head))
            case .body(let buffer): .body(buffer)
            case .end: .end(nil)
            }
        context.fireChannelRead(wrapInboundOut(part))
    }
}

extension HTTPResponseHead {
    fileprivate init(_ head: ResponseHead) {
        self.init(
            version: HTTPVersion(major: 1, minor: head.minorVersion),
            status: HTTPResponseStatus(statusCode: head.status, reasonPhrase: head.reason),
            headers: HTTPHeaders(head.fields.map { ($0.name, $0.value) }))
    }
}
