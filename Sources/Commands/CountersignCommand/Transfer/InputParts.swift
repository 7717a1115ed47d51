// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSession
import CommandSupport
import Countersign
import Dispatch
import NIOConcurrencyHelpers
import NIOCore

/// The bytes of a descriptor as a sequence of chunks, each of which is read only on demand.
struct InputParts: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let input: InputDescriptor

    init(_ input: InputDescriptor) {
        self.input = input
    }

    func makeAsyncIterator() -> Iterator { Iterator(input: input) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let input: InputDescriptor
        private let queue = DispatchQueue(label: "countersign.input")

        fileprivate init(input: InputDescriptor) {
            self.input = input
        }

        /// Waits on a separate queue, because input may never arrive, and stops when the task is cancelled.
        mutating func next() async throws -> ByteBuffer? {
            let isCancelled = NIOLockedValueBox(false)
            TimeLimit.current?.awaitInput(input.path)
            defer { TimeLimit.current?.awaitInput(nil) }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    queue.async { [input] in
                        continuation.resume(with: Result { try Self.read(input, unless: isCancelled) })
                    }
                }
            } onCancel: {
                isCancelled.withLockedValue { $0 = true }
            }
        }

        private static let size = 1 << 16

        private static func read(
            _ input: InputDescriptor, unless isCancelled: NIOLockedValueBox<Bool>
        ) throws -> ByteBuffer? {
            while !input.isReadable(within: 200) {
                if isCancelled.withLockedValue({ $0 }) { throw CancellationError() }
            }
            var buffer = ByteBufferAllocator().buffer(capacity: size)
            let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
                try input.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(size)))
            }
            return count > 0 ? buffer : nil
        }
    }
}

extension SessionRequestBody {
    /// Returns a body from a file, which can be read repeatedly, or from a pipe, which is read once.
    ///
    /// - Throws: ``FileError``, ``FileError/failed(path:_:code:)``.
    static func input(_ path: String) throws -> SessionRequestBody {
        guard let state = FileState(path: path), !state.isRegular else { return try .file(atPath: path) }
        return .oneShot(InputParts(try InputDescriptor(path)))
    }
}

/// Shows the upload progress of a request's body on a terminal.
final class UploadProgress: Sendable {
    private let console: Console
    private let bar = NIOLockedValueBox<ProgressBar?>(nil)

    init(on console: Console) {
        self.console = console
    }

    /// Returns a body that reports its progress, or the same body if there is no progress bar or the body is in memory.
    func watching(_ body: SessionRequestBody) -> SessionRequestBody {
        console.showsProgress && body.isStreamed ? body.reporting { self.note($0) } : body
    }

    /// The number of body bytes that were sent; `nil` before the first chunk.
    var completed: Int? { bar.withLockedValue { $0?.received } }

    func note(_ progress: TransferProgress) {
        bar.withLockedValue { bar in
            var current = bar ?? console.progressBar(total: progress.total)
            // A challenge or a redirect requires the body to be sent again from its beginning.
            if progress.completed < current.received {
                current.finish()
                current = console.progressBar(total: progress.total)
            }
            current.add(progress.completed - current.received)
            if progress.completed == progress.total { current.finish() }
            bar = current
        }
    }

    /// Erases the bar, before another line is printed in its place.
    func clear() { bar.withLockedValue { $0?.finish() } }
}
