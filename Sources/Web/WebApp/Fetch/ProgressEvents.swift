// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore

/// The progress of an operation, for its page and for the events that the page receives.
struct ProgressView: Encodable {
    /// The version; if it differs from the page's version, the page reloads its content.
    let version: Int
    let completed: Int
    /// The total; `nil` if it is not known.
    let total: Int?
    let text: String
    let isRunning: Bool
}

/// The progress of an operation as server-sent events (WHATWG HTML section 9.2).
enum ProgressEvents {
    /// The minimum interval between two events.
    private static let interval = Duration.milliseconds(100)

    /// - Parameters:
    ///   - changes: A stream with an element for each change, which starts immediately.
    ///   - context: The request context; the response also ends when its session ends.
    ///   - progress: Returns the current progress.
    /// - Returns: A response that ends with the operation.
    static func response(
        for changes: AsyncStream<Void>, _ context: WebContext, _ progress: @escaping @Sendable () -> ProgressView
    ) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                for await _ in changes {
                    guard context.hasValidSession() else { break }
                    let progress = progress()
                    let text = String(decoding: try JSONEncoder().encode(progress), as: UTF8.self)
                    try await writer.write(ByteBuffer(string: "data: \(text)\n\n"))
                    guard progress.isRunning else { break }
                    try await Task.sleep(for: interval)
                }
                try await writer.finish(nil)
            })
    }
}

/// The streams that follow an operation.
final class ChangeObservers: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Returns a stream with an element for each change, which starts immediately.
    ///
    /// Changes that occur before the last element was consumed are combined into one element.
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

    func notify() { for one in all { one.yield() } }

    /// Ends all streams.
    func end() { for one in all { one.finish() } }

    /// A copy of the continuations, because a stream that ends acquires the lock.
    private var all: [AsyncStream<Void>.Continuation] { state.withLockedValue { Array($0.continuations.values) } }
}
