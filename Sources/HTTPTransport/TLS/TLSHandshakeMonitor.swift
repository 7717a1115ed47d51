// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOSSL
import NIOTLS

/// Reports how a handshake ends, and leaves what follows to those who come after.
final class TLSHandshakeMonitor: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let handler: NIOSSLHandler
    private let record: ConnectionRecord
    private let end: (Result<any Channel, any Error>) -> Void

    /// Watches one handshake; its end is told with the channel where it is complete, otherwise with what ended it.
    init(of handler: NIOSSLHandler, record: ConnectionRecord, end: @escaping (Result<any Channel, any Error>) -> Void) {
        (self.handler, self.record, self.end) = (handler, record, end)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case TLSUserEvent.handshakeCompleted(let applicationProtocol) = event else { return }
        let version = handler.tlsVersion
        record.note { ($0.version, $0.applicationProtocol) = (version.map(\.name), applicationProtocol) }
        let channel = context.channel
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        end(.success(channel))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(ChannelError.eof))
        context.fireChannelInactive()
    }
}

extension TLSVersion {
    fileprivate var name: String {
        switch self {
        case .tlsv1: "TLSv1.0"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        }
    }
}
