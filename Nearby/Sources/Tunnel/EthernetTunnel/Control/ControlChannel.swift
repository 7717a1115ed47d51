// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// The connection over which two peers agree on keys.
///
/// `NIOAsyncChannel` is unsuitable: it crashes the process if it is deallocated before it is read, which happens to
/// connections that are still pending when a listener closes, and to unsuccessful attempts of Happy Eyeballs.
struct ControlChannel: Sendable {
    private let channel: any Channel
    /// The peer's messages; the stream ends when the connection closes, with the error that closed it.
    let messages: AsyncThrowingStream<ControlMessage, any Error>

    /// Adds the last handlers to a channel that is not yet active.
    init(_ channel: any Channel) throws {
        let (messages, continuation) = AsyncThrowingStream.makeStream(
            of: ControlMessage.self, bufferingPolicy: .bufferingOldest(MessageReceiver.limit))
        (self.channel, self.messages) = (channel, messages)
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(ByteToMessageHandler(ControlFraming()))
        try operations.addHandler(MessageToByteHandler(ControlFraming()))
        try operations.addHandler(MessageReceiver(continuation))
    }

    var remoteAddress: SocketAddress? { channel.remoteAddress }

    /// Sends a message without waiting for its delivery.
    ///
    /// - Throws: ``TunnelError/controlFailed(_:_:)`` if the connection is closed, or the peer does not read fast
    ///   enough.
    func send(_ message: ControlMessage) throws(TunnelError) {
        guard channel.isActive, channel.isWritable else {
            throw .controlFailed(
                remoteAddress?.peerText ?? "the peer",
                channel.isActive ? "it does not read the messages" : "the connection is closed")
        }
        channel.writeAndFlush(message, promise: nil)
    }

    /// Closes the connection after pending messages are sent.
    func close() async { try? await channel.close() }
}

/// Passes the messages of a connection to a stream.
private final class MessageReceiver: ChannelInboundHandler {
    typealias InboundIn = ControlMessage

    /// The maximum number of buffered messages; a peer sends one every 5 s.
    static let limit = 32

    private let continuation: AsyncThrowingStream<ControlMessage, any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<ControlMessage, any Error>.Continuation) {
        self.continuation = continuation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .dropped = continuation.yield(unwrapInboundIn(data)) else { return }
        errorCaught(
            context: context,
            error: TunnelError.malformedMessage("it exceeds the limit of \(Self.limit) unread messages"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        continuation.finish(throwing: error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        continuation.finish()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { continuation.finish() }
}
