// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule
import NIOConcurrencyHelpers
package import NIOCore
import Synchronization

/// The body of a response.
package enum IncomingBody: Sendable {
    /// The complete body, which arrived with the head.
    case complete(ByteBuffer)
    /// A body that is still arriving, which the reader takes from the queue.
    case arriving(BodyQueue)
}

/// A buffer of body bytes between the event loop, which appends them, and the reading task.
///
/// It limits the number of bytes and the memory of the buffers that hold them, but not the number of parts, which the
/// server determines.
package final class BodyQueue: Sendable {
    /// The size at which reading from the connection pauses, in bytes; the rest of the event loop's turn may exceed it.
    static let highWatermark = 512 * 1024

    /// The size down to which the reader must empty the queue before more is read, in bytes.
    static let lowWatermark = 128 * 1024

    /// The size up to which small parts are merged if they arrive faster than the reader takes them, in bytes.
    fileprivate static let gatheredSize = 64 * 1024

    fileprivate typealias Waiter = CheckedContinuation<ByteBuffer?, any Error>

    fileprivate struct State {
        var parts: Deque<ByteBuffer> = []
        var size = 0
        /// Whether the last part is a copy, to which more bytes can be appended.
        var lastIsCopy = false
        var isFull = false
        var waiter: Waiter?
        var end: Result<Void, any Error>?
    }

    private let state = NIOLockedValueBox(State())
    private let demand: Demand

    init(demand: Demand) {
        self.demand = demand
    }

    // MARK: The connection's side

    /// Appends a part; the reader receives it with ``deliver()``, together with the other parts of the same read.
    ///
    /// - Returns: Whether the queue accepts more parts.
    func append(_ part: ByteBuffer) -> Bool {
        state.withLockedValue { state in
            guard state.end == nil else { return true }
            state.append(part)
            return !state.isFull
        }
    }

    /// Delivers the appended parts to the reader.
    func deliver() {
        let (waiter, taken) = state.withLockedValue { state -> (Waiter?, Taken) in
            guard let waiter = state.waiter else { return (nil, .nothing) }
            let taken = state.take()
            if case .nothing = taken { return (nil, taken) }
            state.waiter = nil
            return (waiter, taken)
        }
        if let waiter { resume(waiter, with: taken) }
    }

    /// Ends the body.
    func finish(_ result: Result<Void, any Error> = .success(())) {
        state.withLockedValue { $0.end = $0.end ?? result }
        deliver()
    }

    // MARK: The reader's side

    /// Returns the next part; `nil` at the end.
    ///
    /// - Throws: The error with which the body ended, or `CancellationError` if the task is cancelled, which abandons
    ///   the body.
    package func next() async throws -> ByteBuffer? {
        if !Task.isCancelled, let part = takeNow() { return part }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0) }
        } onCancel: {
            abandon()
        }
    }

    /// Drops the body, whose unread rest makes the connection unusable.
    func abandon() {
        let (waiter, isUnfinished) = state.withLockedValue { state in
            let isUnfinished = state.end == nil
            if isUnfinished || !state.parts.isEmpty { state.end = .failure(CancellationError()) }
            (state.parts, state.size) = ([], 0)
            defer { state.waiter = nil }
            return (state.waiter, isUnfinished)
        }
        waiter?.resume(throwing: CancellationError())
        if isUnfinished { demand.didTerminate() }
    }

    private func takeNow() -> ByteBuffer? {
        let taken = state.withLockedValue { $0.take() }
        guard case .part(let part, let freesCapacity) = taken else { return nil }
        if freesCapacity { demand.produceMore() }
        return part
    }

    private func wait(_ waiter: Waiter) {
        let taken = state.withLockedValue { state in
            let taken = state.take()
            guard case .nothing = taken else { return taken }
            // Only one task may read at a time.
            guard state.waiter == nil else { return .end(.failure(CancellationError())) }
            state.waiter = waiter
            return taken
        }
        resume(waiter, with: taken)
    }

    private func resume(_ waiter: Waiter, with taken: Taken) {
        switch taken {
        case .part(let part, let freesCapacity):
            waiter.resume(returning: part)
            if freesCapacity { demand.produceMore() }
        case .end(let result): waiter.resume(with: result.map { nil })
        case .nothing: break
        }
    }

    fileprivate enum Taken {
        case part(ByteBuffer, freesCapacity: Bool)
        case end(Result<Void, any Error>)
        case nothing
    }
}

extension BodyQueue.State {
    fileprivate mutating func append(_ part: ByteBuffer) {
        size += part.readableBytes
        if size >= BodyQueue.highWatermark { isFull = true }
        // A waiting reader takes the part at once, so it needs no copy.
        let isTaken = parts.isEmpty && waiter != nil
        guard !isTaken, part.readableBytes < part.storageCapacity / 4 else {
            parts.append(part)
            lastIsCopy = false
            return
        }
        if lastIsCopy, let last = parts.indices.last,
            parts[last].readableBytes + part.readableBytes <= BodyQueue.gatheredSize
        {
            parts[last].writeImmutableBuffer(part)
        } else {
            parts.append(ByteBuffer(bytes: part.readableBytesView))
            lastIsCopy = true
        }
    }

    fileprivate mutating func take() -> BodyQueue.Taken {
        guard let part = parts.popFirst() else { return end.map(BodyQueue.Taken.end) ?? .nothing }
        size -= part.readableBytes
        lastIsCopy = lastIsCopy && !parts.isEmpty
        guard isFull, size < BodyQueue.lowWatermark else { return .part(part, freesCapacity: false) }
        isFull = false
        return .part(part, freesCapacity: true)
    }
}

extension BodyQueue {
    /// A reference to a queue that keeps its body alive.
    ///
    /// Releasing the last reference abandons the body.
    package final class Hold: Sendable {
        /// The queue of the body.
        package let queue: BodyQueue
        private let hasReader = Atomic(false)

        package init(_ queue: BodyQueue) { self.queue = queue }

        deinit { queue.abandon() }

        /// Returns the hold of the only reader; `nil` if the body has one already.
        package func reader() -> Hold? {
            hasReader.exchange(true, ordering: .relaxed) ? nil : Hold(queue)
        }
    }

    /// The reader's demand, passed to the driver of the exchange.
    struct Demand: Sendable {
        let target: NIOLoopBound<any BodyDemand>
        let exchangeNumber: Int

        func produceMore() {
            target.eventLoop.execute { target.value.produceMore(exchangeNumber: exchangeNumber) }
        }

        func didTerminate() {
            target.eventLoop.execute { target.value.didTerminate(exchangeNumber: exchangeNumber) }
        }
    }
}

/// The producer of a body that is read on demand.
protocol BodyDemand: AnyObject {
    /// Produces more because the reader accepts more bytes.
    func produceMore(exchangeNumber: Int)
    /// Ends the body because the reader has dropped it.
    func didTerminate(exchangeNumber: Int)
}
