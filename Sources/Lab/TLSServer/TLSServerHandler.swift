// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// A channel handler for the server's side of a TLS connection.
///
/// The handlers above it write only after they have received bytes, when the handshake is complete.
package final class TLSServerHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let engine: TLSServerEngine

    package init(_ context: TLSServerContext) { engine = TLSServerEngine(context) }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        engine.receive(unwrapInboundIn(data).readableBytesView)
        sendOutput(context, promise: nil)
        context.flush()
        let bytes = engine.takeReceived()
        if !bytes.isEmpty { context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: bytes))) }
        if engine.hasReceivedCloseNotify || engine.failure != nil { context.close(promise: nil) }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard engine.isComplete else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        engine.send(Array(unwrapOutboundIn(data).readableBytesView))
        sendOutput(context, promise: promise)
    }

    /// Sends close_notify, and closes the connection without waiting for the client's.
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input {
            engine.close()
            sendOutput(context, promise: nil)
            context.flush()
        }
        context.close(mode: mode, promise: promise)
    }

    private func sendOutput(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        context.write(wrapOutboundOut(ByteBuffer(bytes: engine.takeOutput())), promise: promise)
    }
}
