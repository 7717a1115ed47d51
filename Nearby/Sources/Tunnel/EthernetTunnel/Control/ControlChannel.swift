// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// The connection over which two peers agree on keys.
///
/// `NIOAsyncChannel` is not used: it ends the process where it is released before it was read, as happens to connections that wait to be
/// accepted when a listener ends, and to those that lose the race between the addresses of a name.
struct ControlChannel: Sendable {
    private let channel: any Channel
    /// The peer's messages; the stream ends with the connection, by the error that ended it.
    let messages: AsyncThrowingStream<ControlMessage, any Error>

    /// Adds the last handlers to a channel that is not active yet.
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

    /// Sends a message, without waiting until the peer has it.
    ///
    /// - Throws: ``TunnelError/controlFailed(_:_:)`` where the connection is closed, or the peer leaves too much unread.
    func send(_ message: ControlMessage) throws(TunnelError) {
        guard channel.isActive, channel.isWritable else {
            throw .controlFailed(
                remoteAddress?.peerText ?? "the peer",
                channel.isActive ? "it does not read what is sent" : "the connection is closed")
        }
        channel.writeAndFlush(message, promise: nil)
    }

    /// Closes the connection after what was sent.
    func close() async { try? await channel.close() }
}

/// Hands the messages of a connection to a stream.
private final class MessageReceiver: ChannelInboundHandler {
    typealias InboundIn = ControlMessage

    /// How many messages may wait; a peer sends one in 5 s.
    static let limit = 32

    private let continuation: AsyncThrowingStream<ControlMessage, any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<ControlMessage, any Error>.Continuation) {
        self.continuation = continuation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .dropped = continuation.yield(unwrapInboundIn(data)) else { return }
        errorCaught(
            context: context, error: TunnelError.malformedMessage("it is one of more than \(Self.limit) at once"))
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
