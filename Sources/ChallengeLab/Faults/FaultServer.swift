// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A server on loopback that answers every connection with one fault.
public struct FaultServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: Int

    private let channel: any Channel
    private let connections: ConnectionSet

    /// Starts a server on a port that the system chooses.
    ///
    /// - Throws: What binding a socket throws.
    public static func start(_ fault: Fault) async throws -> FaultServer {
        let connections = ConnectionSet()
        let channel = try await LabListener.bind { channel in
            connections.insert(channel)
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(FaultHandler(fault: fault))
            }
        }
        guard let port = channel.localAddress?.port else { throw LabError.noPort }
        return FaultServer(port: port, channel: channel, connections: connections)
    }

    /// Closes the listener and every connection.
    public func stop() async {
        try? await channel.close()
        await connections.closeAll()
    }
}

private final class FaultHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let fault: Fault
    private var isDone = false

    init(fault: Fault) {
        self.fault = fault
    }

    func channelActive(context: ChannelHandlerContext) {
        if fault.speaksFirst { perform(context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        perform(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func perform(_ context: ChannelHandlerContext) {
        guard !isDone else { return }
        isDone = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: fault.bytes)), promise: nil)
        switch fault.ending {
        case .close:
            // What the client still sends is read and dropped, or the system would answer it with a reset.
            context.close(mode: .output, promise: nil)
        case .reset:
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            // Closed with a linger of nothing, a socket resets its connection.
            let options = context.channel as? any SocketOptionProvider
            options?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                .whenComplete { _ in bound.value.close(promise: nil) }
        case .silence:
            break
        }
    }
}
