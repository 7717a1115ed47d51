// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
package import NIOCore

/// The body of a request: bytes in memory, or parts that are produced while they are sent.
package struct OutgoingBody: Sendable {
    /// Sends a part, and returns when the connection accepts the next one.
    package typealias Sink = @Sendable (ByteBuffer) async throws -> Void

    /// The content of a body.
    package enum Content: Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// A closure that produces the parts, and passes each to the sink.
        case parts(@Sendable (Sink) async throws -> Void)
    }

    /// The length in bytes; `nil` if it is unknown before the body is sent.
    package let length: Int?
    /// The content.
    package let content: Content

    package init(length: Int?, content: Content) {
        (self.length, self.content) = (length, content)
    }

    /// The bytes of a body in memory; `nil` if the body is produced while it is sent.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = content { bytes } else { nil }
    }
}

/// The upload of a request's body, which waits for the server's permission and is throttled by the connection.
struct BodyUpload: Sendable {
    /// The error for a response that arrived before the complete body was sent, so that the rest is not needed.
    struct RespondedEarly: Error {}

    let peer: ConnectionPeer
    let body: OutgoingBody
    /// The permission to send, with the handle of the exchange; it fails if the server has answered without the body.
    let permission: EventLoopFuture<HTTPExchange.Handle>

    /// Sends the body; if it cannot be sent as announced,
    /// the exchange fails with the error and the connection is closed.
    func run() async {
        guard let handle = try? await permission.get() else { return }
        do {
            try await produce(into: UploadQueue(target: handle))
            try Task.checkCancellation()
            try await handle.end()
        } catch is RespondedEarly {
            // The caller has the response, which states the reason, so the exchange does not fail.
        } catch {
            handle.abort(error)
        }
    }

    private func produce(into queue: UploadQueue) async throws {
        switch body.content {
        case .bytes(let bytes): try await queue.send(ByteBuffer(bytes: bytes))
        case .parts(let produce): try await count(produce, into: queue)
        }
    }

    private func count(
        _ produce: @Sendable (OutgoingBody.Sink) async throws -> Void, into queue: UploadQueue
    ) async throws {
        let sent = NIOLockedValueBox(0)
        try await produce { part in
            let total = sent.withLockedValue { sent in
                sent += part.readableBytes
                return sent
            }
            // The server would take excess bytes for the next request.
            guard total <= body.length ?? .max else { throw wrongLength(total) }
            try await queue.send(part)
        }
        let total = sent.withLockedValue { $0 }
        guard total == body.length ?? total else { throw wrongLength(total) }
    }

    private func wrongLength(_ sent: Int) -> TransportError {
        .wrongBodyLength(peer, announced: body.length ?? 0, produced: sent)
    }
}

/// A buffer between the producer of a request's body and the connection: the producer continues while a part is
/// written, and waits when the queue is full.
final class UploadQueue: Sendable {
    /// The size at which the producer starts to wait, in bytes.
    static let highWatermark = 256 * 1024

    /// The size to which the queue must shrink before the producer continues, in bytes.
    static let lowWatermark = 128 * 1024

    private struct State {
        var parts: [ByteBuffer] = []
        /// The number of queued bytes, including those that are being written.
        var size = 0
        var isScheduled = false
        var waiter: CheckedContinuation<Void, any Error>?
        var failure: (any Error)?
    }

    private let target: any UploadTarget
    private let state = NIOLockedValueBox(State())

    init(target: any UploadTarget) {
        self.target = target
    }

    /// Queues a part, and waits if the queue is full.
    ///
    /// - Throws: The error of a failed write; `CancellationError` if the task is cancelled.
    func send(_ part: ByteBuffer) async throws {
        var rest = part
        repeat {
            if try put(rest.readPiece()) { try await waitForCapacity() }
        } while rest.readableBytes > 0
    }

    /// Queues a piece.
    ///
    /// - Returns: Whether the queue is full.
    private func put(_ piece: ByteBuffer) throws -> Bool {
        try Task.checkCancellation()
        let (isFirst, isFull) = try state.withLockedValue { state in
            if let failure = state.failure { throw failure }
            state.parts.append(piece)
            state.size += piece.readableBytes
            defer { state.isScheduled = true }
            return (!state.isScheduled, state.size >= Self.highWatermark)
        }
        if isFirst { target.eventLoop.execute { self.write() } }
        return isFull
    }

    private func waitForCapacity() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let result: Result<Void, any Error>? = state.withLockedValue { state in
                    if let failure = state.failure { return .failure(failure) }
                    if state.size <= Self.lowWatermark { return .success(()) }
                    state.waiter = waiter
                    return nil
                }
                if let result { waiter.resume(with: result) }
            }
        } onCancel: {
            settle(.failure(CancellationError()), of: 0)
        }
    }

    /// Writes all queued parts with one flush; called on the event loop.
    private func write() {
        let parts = state.withLockedValue { state in
            defer { (state.parts, state.isScheduled) = ([], false) }
            return state.parts
        }
        let writePromise = target.eventLoop.makePromise(of: Void.self)
        let size = parts.reduce(0) { $0 + $1.readableBytes }
        writePromise.futureResult.whenComplete { self.settle($0, of: size) }
        target.write(parts, writePromise: writePromise)
    }

    /// Notes the result of writing this number of bytes; an error ends the queue.
    private func settle(_ result: Result<Void, any Error>, of size: Int) {
        let waiter = state.withLockedValue { state -> CheckedContinuation<Void, any Error>? in
            state.size -= size
            if case .failure(let error) = result { state.failure = state.failure ?? error }
            guard state.size <= Self.lowWatermark || state.failure != nil else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: result)
    }
}

/// The recipient of a request body's parts.
protocol UploadTarget: Sendable {
    var eventLoop: any EventLoop { get }

    /// Writes parts in order; call it on the event loop.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - writePromise: The promise that is completed when they are written.
    func write(_ parts: [ByteBuffer], writePromise: EventLoopPromise<Void>)
}

extension ByteBuffer {
    /// The maximum size of one write, in bytes: TLS encrypts a larger one completely before any of it is sent, and its
    /// progress would be reported only at its end.
    static let pieceSize = 128 * 1024

    /// Removes and returns the bytes of the next write.
    mutating func readPiece() -> ByteBuffer {
        readSlice(length: Swift.min(Self.pieceSize, readableBytes)) ?? ByteBuffer()
    }
}
