// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import POSIX
import TLSServer

/// A channel handler that performs a fault on one connection.
final class FaultHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Item {
        case step(Fault.Step)
        case end(Fault.Termination)
    }

    private enum Activity {
        case none
        case flooding(ByteBuffer, left: Int?)
        case waiting
    }

    private static let writesInARow = 16

    private let fault: @Sendable () -> Fault
    private let opening: [Fault.Step]
    private let cue: Fault.Cue
    private let sent: NIOLockedValueBox<Int>
    private let isTriggered: Bool
    private var reader: CueReader
    private var items: CircularBuffer<(item: Item, stream: UInt32)> = []
    private var activity = Activity.none
    private var isFinished = false
    private var isPausing = false
    private var lastWrite: EventLoopFuture<Void>?

    /// - Parameters:
    ///   - fault: Returns the fault, which can change from one response to the next.
    ///   - sent: The number of bytes written to the socket.
    ///   - isTriggered: Whether the cue occurred before the handler was added.
    init(fault: @escaping @Sendable () -> Fault, sent: NIOLockedValueBox<Int> = .init(0), isTriggered: Bool = false) {
        self.fault = fault
        self.sent = sent
        self.isTriggered = isTriggered
        (cue, opening) = (fault().cue, fault().opening)
        reader = CueReader(cue)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for said in reader.read(unwrapInboundIn(data).readableBytesView) {
            switch said {
            case .request(let stream): answer(stream, context)
            case .question(let kind, let payload):
                write(.frames([RawHTTP2Frame(kind, .acknowledgement, payload)]), 0, context)
            }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        advance(context)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isFinished = true
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func open(_ context: ChannelHandlerContext) {
        items.append(contentsOf: opening.map { (.step($0), 0) })
        if isTriggered || cue == .connection { answer(0, context) } else { advance(context) }
    }

    private func answer(_ stream: UInt32, _ context: ChannelHandlerContext) {
        let fault = fault()
        items.append(contentsOf: fault.steps.map { (.step($0), stream) })
        items.append((.end(fault.termination), stream))
        advance(context)
    }

    private func advance(_ context: ChannelHandlerContext) {
        while !isFinished {
            switch activity {
            case .waiting: return
            case .flooding(let piece, let left):
                guard flood(piece, left, context) else { return }
            case .none:
                guard let (item, stream) = items.popFirst() else { return }
                switch item {
                case .step(let step): perform(step, stream, context)
                case .end(let termination): end(termination, context)
                }
            }
        }
    }

    private func perform(_ step: Fault.Step, _ stream: UInt32, _ context: ChannelHandlerContext) {
        switch step {
        case .send, .frames:
            write(step, stream, context)
        case .flood(let bytes, let times):
            activity = .flooding(ByteBuffer(bytes: bytes), left: times)
        case .frameFlood(let frames, let times):
            let bytes = frames.flatMap { $0.encoded(answering: stream) }
            // Combining frames into fewer writes is faster.
            let count = times == nil ? max(1, 4_096 / max(1, bytes.count)) : 1
            activity = .flooding(ByteBuffer(bytes: Array(repeating: bytes, count: count).joined()), left: times)
        case .pause(let delay):
            wait(delay, context) { $0.activity = .none }
        case .drip(let bytes, let interval, let times):
            drip(bytes, every: interval, left: times, from: 0, context)
        }
    }

    private func write(_ step: Fault.Step, _ stream: UInt32, _ context: ChannelHandlerContext) {
        switch step {
        case .send(let bytes): write(ByteBuffer(bytes: bytes), context)
        case .frames(let frames):
            write(ByteBuffer(bytes: frames.flatMap { $0.encoded(answering: stream) }), context)
        default: break
        }
    }

    private func write(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        let (sent, count) = (sent, buffer.readableBytes)
        let written = context.writeAndFlush(wrapOutboundOut(buffer))
        written.whenSuccess { sent.withLockedValue { $0 += count } }
        lastWrite = written
    }

    /// - Returns: Whether the flood is complete.
    private func flood(_ piece: ByteBuffer, _ left: Int?, _ context: ChannelHandlerContext) -> Bool {
        var (left, count) = (left, 0)
        while left != 0, count < Self.writesInARow, context.channel.isWritable, !isFinished {
            write(piece, context)
            left = left.map { $0 - 1 }
            count += 1
        }
        activity = left == 0 ? .none : .flooding(piece, left: left)
        if left != 0, count == Self.writesInARow { pause(context) }
        return left == 0
    }

    /// Yields to the event loop, so that it can detect a client that closes the connection.
    private func pause(_ context: ChannelHandlerContext) {
        guard !isPausing else { return }
        isPausing = true
        context.eventLoop.assumeIsolated().execute {
            self.isPausing = false
            self.advance(context)
        }
    }

    private func drip(
        _ bytes: [UInt8], every interval: Duration, left: Int?, from index: Int, _ context: ChannelHandlerContext
    ) {
        guard index < bytes.count else {
            let left = left.map { $0 - 1 }
            if left == 0 { return activity = .none }
            return drip(bytes, every: interval, left: left, from: 0, context)
        }
        write(ByteBuffer(integer: bytes[index]), context)
        wait(interval, context) { $0.drip(bytes, every: interval, left: left, from: index + 1, context) }
    }

    private func wait(
        _ delay: Duration, _ context: ChannelHandlerContext, then next: @escaping (FaultHandler) -> Void
    ) {
        activity = .waiting
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
            guard !self.isFinished else { return }
            next(self)
            self.advance(context)
        }
    }

    // MARK: Termination

    private func end(_ termination: Fault.Termination, _ context: ChannelHandlerContext) {
        guard termination != .silence else { return }
        isFinished = true
        let written = lastWrite ?? context.eventLoop.makeSucceededVoidFuture()
        written.assumeIsolated().whenComplete { _ in Self.terminate(termination, context) }
    }

    private static func terminate(_ termination: Fault.Termination, _ context: ChannelHandlerContext) {
        // Closing below TLS sends no close_notify alert.
        let pipeline = context.pipeline.syncOperations
        let tls =
            (try? pipeline.context(handlerType: NIOSSLServerHandler.self))
            ?? (try? pipeline.context(handlerType: TLSServerHandler.self))
        switch termination {
        case .silence: break
        // Only the output is closed, because the system would reset a connection that is closed with unread input.
        case .close: context.close(mode: .output, promise: nil)
        case .cut: (tls ?? context).close(mode: .output, promise: nil)
        case .reset:
            // Closing a socket with a linger time of 0 resets its connection.
            let options = context.channel as? any SocketOptionProvider
            options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated()
                .whenComplete { _ in (tls ?? context).close(promise: nil) }
        }
    }
}
