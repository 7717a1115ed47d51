// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import Countersign
@testable import HTTPTransport

/// The queue of received body parts is bounded and is discarded when its reader ends.
@Suite struct BodyQueueTests {
    /// Counts the calls that the connection would receive.
    private final class DemandCounter: BodyDemand, Sendable {
        let counts = NIOLockedValueBox((more: 0, end: 0))

        func produceMore(exchangeNumber: Int) { counts.withLockedValue { $0.more += 1 } }
        func didTerminate(exchangeNumber: Int) { counts.withLockedValue { $0.end += 1 } }

        var more: Int { counts.withLockedValue(\.more) }
        var end: Int { counts.withLockedValue(\.end) }
    }

    private static func make() async throws -> (BodyQueue, DemandCounter) {
        let (loop, counter) = (MultiThreadedEventLoopGroup.singleton.next(), DemandCounter())
        let target = try await loop.submit { NIOLoopBound(counter as any BodyDemand, eventLoop: loop) }.get()
        return (BodyQueue(demand: .init(target: target, exchangeNumber: 1)), counter)
    }

    private static func parts(of queue: BodyQueue) async throws -> [ByteBuffer] {
        var parts: [ByteBuffer] = []
        while let part = try await queue.next() { parts.append(part) }
        return parts
    }

    @Test(
        "The queue is full at its high watermark and asks for more below its low watermark",
        arguments: [1, 100, 16_000, 200_000])
    func watermarks(size: Int) async throws {
        let (queue, counter) = try await Self.make()
        let part = ByteBuffer(repeating: 1, count: size)
        var held = size
        while queue.append(part) { held += size }
        #expect((BodyQueue.highWatermark..<BodyQueue.highWatermark + size).contains(held))
        var taken = 0
        while held - taken >= BodyQueue.lowWatermark {
            #expect(counter.more == 0)
            taken += try await queue.next()?.readableBytes ?? 0
        }
        #expect(await eventually { counter.more == 1 })
        #expect(queue.append(part))
    }

    /// If a server sends small pieces, each piece would otherwise retain the complete buffer in which it arrived.
    @Test("Small parts are copied together, so that they do not retain large buffers", arguments: [1, 7, 1_000])
    func smallParts(size: Int) async throws {
        let (queue, _) = try await Self.make()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        for start in stride(from: 0, to: bytes.count, by: size) {
            var part = ByteBuffer()
            part.reserveCapacity(1 << 18)
            part.writeBytes(bytes[start..<min(start + size, bytes.count)])
            _ = queue.append(part)
        }
        queue.finish()
        let parts = try await Self.parts(of: queue)
        #expect(parts.flatMap { Array($0.readableBytesView) } == bytes)
        #expect(parts.reduce(0) { $0 + $1.storageCapacity } <= 4 * bytes.count)
        #expect(parts.count < 10)
    }

    @Test("A waiting reader receives all bytes in order") func order() async throws {
        let (queue, _) = try await Self.make()
        let reader = Task { try await Self.parts(of: queue) }
        for number in 0..<1_000 {
            _ = queue.append(ByteBuffer(integer: number))
            if number % 10 == 9 { queue.deliver() }
        }
        queue.finish()
        let read = try await reader.value.flatMap { Array($0.readableBytesView) }
        #expect(read == (0..<1_000).flatMap { Array(ByteBuffer(integer: $0).readableBytesView) })
    }

    enum Leaving: CaseIterable {
        case bodyIsDropped, readerIsDropped, taskIsCancelled
    }

    @Test(
        "A body that is dropped, abandoned or cancelled terminates the exchange once", arguments: Leaving.allCases,
        [false, true])
    func abandonedBody(leaving: Leaving, hasEnded: Bool) async throws {
        let (queue, counter) = try await Self.make()
        _ = queue.append(ByteBuffer(string: "read"))
        _ = queue.append(ByteBuffer(repeating: 0, count: 1 << 17))
        if hasEnded { queue.finish() }
        let body = SessionResponseBody(.arriving(queue))
        switch leaving {
        case .bodyIsDropped: _ = consume body
        case .readerIsDropped:
            for try await part in body {
                #expect(part == ByteBuffer(string: "read"))
                break
            }
            // A second reader would not receive the complete body.
            let error = await #expect(throws: SessionError.self) { _ = try await body.collect(upTo: 1 << 20) }
            #expect(error?.code == "body.already-read")
        case .taskIsCancelled:
            let reader = Task {
                for try await _ in body {}
                try await Task.sleep(for: .seconds(60))
            }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
        }
        #expect(await eventually { counter.end == (hasEnded ? 0 : 1) })
        #expect(queue.append(ByteBuffer(repeating: 0, count: 1 << 20)))
    }

    @Test("An error is thrown after the bytes that arrived before the error") func lateError() async throws {
        struct Lost: Error {}
        let (queue, counter) = try await Self.make()
        _ = queue.append(ByteBuffer(string: "half"))
        queue.finish(.failure(Lost()))
        var reader: SessionResponseBody.AsyncIterator? = SessionResponseBody(.arriving(queue)).makeAsyncIterator()
        #expect(try await reader?.next() == ByteBuffer(string: "half"))
        await #expect(throws: Lost.self) { _ = try await queue.next() }
        reader = nil
        #expect(counter.end == 0)
    }
}
