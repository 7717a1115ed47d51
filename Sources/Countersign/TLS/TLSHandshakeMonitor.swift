// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOSSL
import NIOTLS

/// Reports how a handshake ends, and keeps what arrives before anyone else listens: servers of HTTP/2 speak first.
final class TLSHandshakeMonitor: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    /// Sent through the pipeline by whoever listens from now on.
    struct Listening {}

    private let handler: NIOSSLHandler
    private let record: ConnectionRecord
    private let report: (TLSHandshake.Step) -> Void
    private var isComplete = false
    private var isListenedTo = false
    private var kept: [NIOAny] = []

    init(of handler: NIOSSLHandler, record: ConnectionRecord, report: @escaping (TLSHandshake.Step) -> Void) {
        self.handler = handler
        self.record = record
        self.report = report
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isListenedTo else { return kept.append(data) }
        context.fireChannelRead(data)
    }

    /// No more is read than what came with the end of the handshake.
    func read(context: ChannelHandlerContext) {
        if isListenedTo || kept.isEmpty { context.read() }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Listening, !isListenedTo else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        isListenedTo = true
        promise?.succeed()
        if !kept.isEmpty {
            for data in kept { context.fireChannelRead(data) }
            kept = []
            context.fireChannelReadComplete()
            context.read()
        }
        // From here on whoever listens hears the rest.
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let applicationProtocol) = event {
            isComplete = true
            let version = handler.tlsVersion
            record.note { ($0.version, $0.applicationProtocol) = (version.map(\.name), applicationProtocol) }
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
