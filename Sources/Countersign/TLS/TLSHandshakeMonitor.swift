// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOSSL
import NIOTLS

/// Reports how a handshake ends, and remembers an error that arrives before anyone else listens.
final class TLSHandshakeMonitor: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let handler: NIOSSLHandler
    private let record: ConnectionRecord
    private let report: (TLSHandshake.Step) -> Void
    private var isComplete = false

    init(of handler: NIOSSLHandler, record: ConnectionRecord, report: @escaping (TLSHandshake.Step) -> Void) {
        self.handler = handler
        self.record = record
        self.report = report
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event {
            isComplete = true
            let version = handler.tlsVersion
            record.note { $0.version = version.map(\.name) }
            report(.completed)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isComplete else { return report(.failed(error)) }
        record.note { $0.lateFailure = $0.lateFailure ?? error }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isComplete { report(.failed(ChannelError.eof)) }
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
