// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Answers one request once it is there whole, as its path says.
final class HTTP2Answer: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// What stands in the path.
    enum Manner: String, CaseIterable {
        case good = "/"
        case large = "/large"
        /// Every third request is refused: nothing was done with it (RFC 9113 section 8.7).
        case refusing = "/refusing"
        /// Every third response is the last of its connection.
        case leaving = "/leaving"
        /// Every third request ends its connection.
        case dying = "/dying"
        case basic = "/basic"
        case never = "/never"

        /// Whether it may be more than the request's own trouble.
        var isTrouble: Bool { [.refusing, .leaving, .dying].contains(self) }
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
        switch Manner(rawValue: head.first(name: ":path") ?? "") ?? .good {
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

    /// Says that this stream is the last one served (RFC 9113 section 6.8).
    private func leave(_ context: ChannelHandlerContext) {
        guard let options = context.channel.syncOptions, let parent = context.channel.parent,
            let stream = try? options.getOption(HTTP2StreamChannelOptions.streamID)
        else { return }
        let word = HTTP2Frame(
            streamID: .rootStream, payload: .goAway(lastStreamID: stream, errorCode: .noError, opaqueData: nil))
        parent.writeAndFlush(word, promise: nil)
    }
}
