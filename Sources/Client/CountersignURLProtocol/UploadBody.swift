// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Dispatch
import Foundation
import NIOCore

#if canImport(FoundationNetworking)
    import FoundationNetworking

    /// The body of a task's request.
    enum UploadBody {
        case none
        case bytes(Data)
        case file(URL)
        /// A stream, which is read once; the delegate provides another one if the body must be sent again.
        case stream(StreamReader)
        /// The stream that the delegate provides.
        case delegate

        /// Reads an optional case of Foundation with the body of a task.
        ///
        /// - Returns: `nil` if the case is unknown.
        init?(reflecting body: Any) {
            let optional = Mirror(reflecting: body)
            guard optional.displayStyle == .optional else { return nil }
            guard let body = optional.children.first?.value else {
                self = .delegate
                return
            }
            guard let content = Mirror(reflecting: body).children.first?.value else {
                guard "\(body)" == "none" else { return nil }
                self = .none
                return
            }
            switch content {
            case let bytes as DispatchData: self = .bytes(Data(bytes))
            case let file as URL: self = .file(file)
            case let stream as InputStream: self = .stream(.reading(stream))
            default: return nil
            }
        }
    }
#endif

/// A reader of an input stream, whose reads block a queue of the reader.
actor StreamReader {
    /// The maximum size of a part, in bytes.
    private static let partSize = 64 * 1024

    private nonisolated let executor = QueueExecutor(DispatchQueue(label: "CountersignURLProtocol.StreamReader"))
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let stream: InputStream

    private init(_ stream: sending InputStream) { self.stream = stream }

    /// Creates a reader of a stream that no other code uses afterwards.
    static func reading(_ stream: InputStream) -> StreamReader {
        nonisolated(unsafe) let stream = stream
        return StreamReader(stream)
    }

    /// Returns the next part; `nil` at the end.
    ///
    /// - Throws: The error of the stream.
    func next() throws -> ByteBuffer? {
        if stream.streamStatus == .notOpen { stream.open() }
        var part = ByteBuffer()
        let count = part.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.partSize) { space in
            guard let start = space.baseAddress else { return 0 }
            let count = min(space.count, Self.partSize)
            return max(0, stream.read(start.assumingMemoryBound(to: UInt8.self), maxLength: count))
        }
        if count > 0 { return part }
        defer { stream.close() }
        // In swift-corelibs-foundation 6.3, reading the error of a stream without one is a trap.
        if stream.streamStatus == .error { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
        return nil
    }
}

/// The parts of an input stream.
struct StreamParts: AsyncSequence, Sendable {
    let reader: StreamReader

    struct AsyncIterator: AsyncIteratorProtocol {
        let reader: StreamReader

        func next() async throws -> ByteBuffer? { try await reader.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
}

/// An executor that runs the jobs of an actor on a serial queue.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
