// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import Countersign
@testable import HTTPTransport

/// The body is produced only as far ahead of the writes as necessary.
@Suite struct UploadQueueTests {
    struct Refused: Error {}

    /// Receives writes in place of a connection, and completes each in the next tick of the event loop.
    private final class Writer: UploadTarget {
        struct Written {
            var bytes: [UInt8] = []
            var largestPiece = 0
            var flushes = 0
        }

        let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let written = NIOLockedValueBox(Written())
        let error: (any Error)?

        init(failing error: (any Error)?) { self.error = error }

        func write(_ parts: [ByteBuffer], writePromise: EventLoopPromise<Void>) {
            written.withLockedValue { written in
                written.flushes += 1
                for part in parts {
                    written.bytes += part.readableBytesView
                    written.largestPiece = max(written.largestPiece, part.readableBytes)
                }
            }
            eventLoop.execute { [error] in if let error { writePromise.fail(error) } else { writePromise.succeed() } }
        }
    }

    private static func with(
        failing error: (any Error)? = nil, _ body: (UploadQueue, Writer) async throws -> Void
    ) async throws {
        let writer = Writer(failing: error)
        try await body(UploadQueue(target: writer), writer)
    }

    @Test("Parts are written in order and in pieces of limited size", arguments: [1_000, 100_000, 1_000_000])
    func pieces(size: Int) async throws {
        try await Self.with { queue, writer async throws in
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            var sent = 0
            for start in stride(from: 0, to: bytes.count, by: size) {
                try await queue.send(ByteBuffer(bytes: bytes[start..<start + size]))
                sent += size
                let written = writer.written.withLockedValue { $0.bytes.count }
                #expect(sent - written < UploadQueue.highWatermark)
            }
            #expect(await eventually { writer.written.withLockedValue { $0.bytes.count } == bytes.count })
            let written = writer.written.withLockedValue { $0 }
            #expect(written.bytes == bytes)
            #expect(written.largestPiece <= ByteBuffer.pieceSize)
            #expect(written.flushes <= max(bytes.count / size, bytes.count / ByteBuffer.pieceSize + 4))
        }
    }

    @Test("The error of a failed write is thrown") func writeError() async throws {
        try await Self.with(failing: Refused()) { queue, _ async throws in
            await #expect(throws: Refused.self) {
                for _ in 0..<100 { try await queue.send(ByteBuffer(repeating: 0, count: 50_000)) }
            }
            await #expect(throws: Refused.self) { try await queue.send(ByteBuffer(string: "more")) }
        }
    }

    @Test("Cancelling the task ends a waiting send") func cancellation() async throws {
        try await Self.with { queue, _ async throws in
            let upload = Task {
                while true { try await queue.send(ByteBuffer(repeating: 0, count: UploadQueue.highWatermark)) }
            }
            upload.cancel()
            await #expect(throws: CancellationError.self) { try await upload.value }
        }
    }
}
