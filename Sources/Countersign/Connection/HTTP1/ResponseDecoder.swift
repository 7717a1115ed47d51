// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHTTP1

/// Turns what arrives into responses, one for every request that passes on its way out.
final class ResponseDecoder: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ExchangePart
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
            parser.expect(.init(isHead: head.method == .HEAD, isConnect: head.method == .CONNECT))
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
        let part: ExchangePart =
            switch part {
            case .head(let head, _) where head.status < 200: .information(.init(code: head.status))
            case .head(let head, let framing):
                .head(head.response, keepsAlive: head.keepsAlive(framing), isWhole: false)
            case .body(let buffer): .body(buffer, isLast: false)
            case .end(let isAlone): .end(isAlone: isAlone)
            }
        context.fireChannelRead(wrapInboundOut(part))
    }
}

extension ResponseHead {
    fileprivate var response: HTTPResponse {
        HTTPResponse(status: .init(code: status, reasonPhrase: reason), headerFields: fields)
    }

    /// Whether the connection is there for another request (RFC 9112 section 9.3).
    fileprivate func keepsAlive(_ framing: ResponseFraming) -> Bool {
        guard framing != .untilClose, framing != .tunnel else { return false }
        let options = fields[values: .connection].joined(separator: ",").lowercased().split(separator: ",")
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        return minorVersion >= 1
            ? !options.contains("close") : options.contains("keep-alive") && !options.contains("close")
    }
}
