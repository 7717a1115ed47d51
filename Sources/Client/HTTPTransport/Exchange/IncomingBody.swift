// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DequeModule
import NIOConcurrencyHelpers
package import NIOCore

/// The body of a response.
package enum IncomingBody: Sendable {
    /// The whole body, which arrived with the head.
    case whole(ByteBuffer)
    /// A body that is arriving; its reader takes it from the queue.
    case arriving(BodyQueue)
}

/// Buffers body bytes between the event loop, which appends them, and the reading task.
///
/// It is bounded by its bytes, and by what the buffers take in which they lie: not by their number, which is the server's.
package final class BodyQueue: Sendable {
    /// From where on no more is read from the connection, in bytes; what one turn of the event loop reads may come on top.
    static let highWatermark = 512 * 1024

    /// Down to where it must have been emptied before more is read, in bytes.
    static let lowWatermark = 128 * 1024

    /// How large small parts that arrive faster than they are taken become together, in bytes.
    fileprivate static let gatheredSize = 64 * 1024

    fileprivate typealias Waiter = CheckedContinuation<ByteBuffer?, any Error>

    fileprivate struct State {
        var parts: Deque<ByteBuffer> = []
        var size = 0
        /// Whether the last part is a copy, to which another can be added.
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

    /// Puts in what arrived; the reader hears of it when all is in that arrived together.
    ///
    /// - Returns: Whether there is room for more.
    func append(_ part: ByteBuffer) -> Bool {
        state.withLockedValue { state in
            guard state.end == nil else { return true }
            state.append(part)
            return !state.isFull
        }
    }

    /// Lets the reader have what was put in.
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

    /// Nothing comes any more.
    func finish(_ result: Result<Void, any Error> = .success(())) {
        state.withLockedValue { $0.end = $0.end ?? result }
        deliver()
    }

    // MARK: The reader's side

    /// Returns the next part; `nil` at the end.
    ///
    /// - Throws: The error that the body ended with, or `CancellationError` where the task is cancelled, which abandons the body.
    package func next() async throws -> ByteBuffer? {
        if !Task.isCancelled, let part = takeNow() { return part }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0) }
        } onCancel: {
            abandon()
        }
    }

    /// The reader has gone; what was left unread makes the connection useless.
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
        guard case .part(let part, let makesRoom) = taken else { return nil }
        if makesRoom { demand.produceMore() }
        return part
    }

    private func wait(_ waiter: Waiter) {
        let taken = state.withLockedValue { state in
            let taken = state.take()
            guard case .nothing = taken else { return taken }
            // Only one can read.
            guard state.waiter == nil else { return .end(.failure(CancellationError())) }
            state.waiter = waiter
            return taken
        }
        resume(waiter, with: taken)
    }

    private func resume(_ waiter: Waiter, with taken: Taken) {
        switch taken {
        case .part(let part, let makesRoom):
            waiter.resume(returning: part)
            if makesRoom { demand.produceMore() }
        case .end(let result): waiter.resume(with: result.map { nil })
        case .nothing: break
        }
    }

    fileprivate enum Taken {
        case part(ByteBuffer, makesRoom: Bool)
        case end(Result<Void, any Error>)
        case nothing
    }
}

extension BodyQueue.State {
    fileprivate mutating func append(_ part: ByteBuffer) {
        size += part.readableBytes
        if size >= BodyQueue.highWatermark { isFull = true }
        // Who waits for it takes it at once.
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
        guard isFull, size < BodyQueue.lowWatermark else { return .part(part, makesRoom: false) }
        isFull = false
        return .part(part, makesRoom: true)
    }
}

extension BodyQueue {
    /// A reference to a queue.
    ///
    /// Releasing the last reference to the hold abandons the body.
    package final class Hold: Sendable {
        /// The queue of the body.
        package let queue: BodyQueue

        package init(_ queue: BodyQueue) { self.queue = queue }

        deinit { queue.abandon() }
    }

    /// Carries the reader's demand back to the connection.
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

/// What produces a body while it is read.
protocol BodyDemand: AnyObject {
    /// The reader has room for more.
    func produceMore(exchangeNumber: Int)
    /// The reader has gone.
    func didTerminate(exchangeNumber: Int)
}
