// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOHPACK
import NIOHTTP2

/// A channel handler that answers a complete request according to its path.
final class HTTP2Responder: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The behaviour that a path selects.
    enum Behavior: String, CaseIterable {
        case good = "/"
        case large = "/large"
        /// Every third request is refused without being processed (RFC 9113 section 8.7).
        case refusing = "/refusing"
        /// Every third response is preceded by GOAWAY.
        case leaving = "/leaving"
        /// Every third request closes its connection.
        case dying = "/dying"
        case basic = "/basic"
        case never = "/never"

        /// Whether the behaviour may affect other requests on the same connection.
        var affectsConnection: Bool { [.refusing, .leaving, .dying].contains(self) }
    }

    private let requests: NIOLockedValueBox<Int>
    private var head = HPACKHeaders()

    init(requests: NIOLockedValueBox<Int>) {
        self.requests = requests
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            head = frame.headers
            if frame.endStream { answer(context) }
        case .data(let frame) where frame.endStream:
            answer(context)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ context: ChannelHandlerContext) {
        let number = requests.withLockedValue { count in
            count += 1
            return count
        }
        let isThird = number.isMultiple(of: 3)
        switch Behavior(rawValue: head.first(name: ":path") ?? "") ?? .good {
        case .never: break
        case .refusing where isThird:
            context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
        case .dying where isThird:
            context.channel.parent?.close(promise: nil)
        case .leaving where isThird:
            leave(context)
            respond(200, [("content-type", "text/plain")], 4, context)
        case .basic where !head.contains(name: "authorization"):
            respond(401, [("www-authenticate", "Basic realm=\"lab\"")], 4, context)
        case .large: respond(200, [], 1_000_000, context)
        default: respond(200, [], 4, context)
        }
    }

    private func respond(
        _ status: Int, _ fields: [(String, String)], _ size: Int, _ context: ChannelHandlerContext
    ) {
        let head = HPACKHeaders([(":status", "\(status)"), ("content-length", "\(size)")] + fields)
        context.write(wrapOutboundOut(.headers(.init(headers: head))), promise: nil)
        let body = ByteBuffer(repeating: 1, count: size)
        context.writeAndFlush(wrapOutboundOut(.data(.init(data: .byteBuffer(body), endStream: true))), promise: nil)
    }

    /// Sends GOAWAY with this stream as the last one (RFC 9113 section 6.8).
    private func leave(_ context: ChannelHandlerContext) {
        guard let options = context.channel.syncOptions, let parent = context.channel.parent,
            let stream = try? options.getOption(HTTP2StreamChannelOptions.streamID)
        else { return }
        let word = HTTP2Frame(
            streamID: .rootStream, payload: .goAway(lastStreamID: stream, errorCode: .noError, opaqueData: nil))
        parent.writeAndFlush(word, promise: nil)
    }
}
