// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite("The progress of an upload") struct UploadProgressTests {
    private static func console(_ drawn: NIOLockedValueBox<[String]>, isTerminal: Bool = true) -> Console {
        Console(
            write: { _ in }, writeError: { text in drawn.withLockedValue { $0.append(text) } }, prompter: nil,
            environment: ["TERM": "xterm"], errorIsTerminal: isTerminal)
    }

    @Test("The progress bar appears after a second, restarts with the body, and disappears at its end")
    func bar() async throws {
        let drawn = NIOLockedValueBox<[String]>([])
        let progress = UploadProgress(on: Self.console(drawn))
        progress.note(.init(completed: 10, total: 100))
        #expect(drawn.withLockedValue { $0.isEmpty })
        try await Task.sleep(for: .milliseconds(1_100))
        progress.note(.init(completed: 50, total: 100))
        #expect(drawn.withLockedValue { $0.last?.contains("50% [") } == true)
        // The server requires the body a second time.
        progress.note(.init(completed: 10, total: 100))
        #expect(drawn.withLockedValue { $0.last } == "\r\u{1B}[K")
        try await Task.sleep(for: .milliseconds(1_100))
        progress.note(.init(completed: 70, total: 100))
        #expect(drawn.withLockedValue { $0.last?.contains("70% [") } == true)
        progress.note(.init(completed: 100, total: 100))
        #expect(drawn.withLockedValue { $0.last } == "\r\u{1B}[K")
    }

    @Test(
        "Progress is shown only for a streamed body on a terminal",
        arguments: [
            (isStreamed: true, isTerminal: true, isWatched: true),
            (isStreamed: true, isTerminal: false, isWatched: false),
            (isStreamed: false, isTerminal: true, isWatched: false),
        ])
    func watched(isStreamed: Bool, isTerminal: Bool, isWatched: Bool) async throws {
        let body = SessionRequestBody.stream(length: 2) {
            AsyncStream { continuation in
                continuation.yield(ByteBuffer(bytes: [1]))
                continuation.yield(ByteBuffer(bytes: [2]))
                continuation.finish()
            }
        }
        let progress = UploadProgress(on: Self.console(.init([]), isTerminal: isTerminal))
        let watched = progress.watching(isStreamed ? body : .bytes([1, 2]))
        #expect(try await watched.collect(upTo: 2) == ByteBuffer(bytes: [1, 2]))
        #expect((progress.completed == 2) == isWatched)
        #expect((progress.completed == nil) == !isWatched)
    }
}
