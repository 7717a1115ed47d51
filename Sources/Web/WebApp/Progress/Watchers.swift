// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// Those who follow some work.
final class Watchers: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }

    private let state = NIOLockedValueBox(State())

    /// An element for each change, the first at once.
    ///
    /// Changes that come before the last one was looked at are one element.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLockedValue { state in
            state.count += 1
            state.continuations[state.count] = continuation
            return state.count
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLockedValue { _ = $0.continuations.removeValue(forKey: number) }
        }
        continuation.yield()
        return stream
    }

    func tell() { for one in all { one.yield() } }

    /// Ends what they follow.
    func end() { for one in all { one.finish() } }

    /// A copy, because a stream that ends takes the lock.
    private var all: [AsyncStream<Void>.Continuation] { state.withLockedValue { Array($0.continuations.values) } }
}
