// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore

/// How far work is, on its page and in the events that the page gets.
struct ProgressView: Encodable {
    /// Another version than the page's makes the page load its content anew.
    let version: Int
    let completed: Int
    /// `nil` where it is not known.
    let total: Int?
    let text: String
    let isRunning: Bool
}

/// The progress of work as server-sent events (WHATWG HTML section 9.2).
enum ProgressEvents {
    /// What is done is told at most so often.
    private static let interval = Duration.milliseconds(100)

    /// - Parameters:
    ///   - changes: An element for each change, the first at once.
    ///   - context: Of the request; the response ends with its session too.
    ///   - progress: What is told of it.
    /// - Returns: A response that ends with the work.
    static func response(
        for changes: AsyncStream<Void>, _ context: WebContext, _ progress: @escaping @Sendable () -> ProgressView
    ) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                for await _ in changes {
                    guard context.isLetIn() else { break }
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
