// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// A running transfer, which reports its progress.
///
/// It is cancelled with the task that awaits its ``value``, and when the last reference to it is released.
public final class Transfer<Value: Sendable>: Sendable {
    /// The progress, as a sequence for one reader.
    ///
    /// Each element is the newest state at that time; older ones that were not read are dropped. The sequence ends with the transfer, also
    /// if the transfer fails.
    public let progress: AsyncStream<TransferProgress>
    private let task: Task<Value, any Error>

    init(_ run: @escaping @Sendable (@escaping @Sendable (TransferProgress) -> Void) async throws -> Value) {
        let (progress, reports) = AsyncStream.makeStream(
            of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
        self.progress = progress
        task = Task {
            defer { reports.finish() }
            return try await run { reports.yield($0) }
        }
    }

    deinit { task.cancel() }

    /// The result of the transfer, once it is complete.
    ///
    /// - Throws: The error of the transfer: what ``Client/send(_:)`` throws for an upload, and what
    ///   ``Client/download(_:to:resumptions:)-(_,String,_)`` throws for a download. `CancellationError` where the transfer or the waiting
    ///   task is cancelled.
    public var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Cancels the transfer; ``value`` then throws `CancellationError`, unless the transfer was complete.
    public func cancel() {
        task.cancel()
    }
}

/// The progress of a transfer.
public struct TransferProgress: Hashable, Sendable {
    /// The number of bytes transferred.
    ///
    /// For a download, those of an earlier, interrupted one count too.
    public let completed: Int
    /// The total number of bytes; `nil` if it is not known.
    public let total: Int?

    /// Makes a progress from numbers of bytes, with `nil` for a total that is not known.
    public init(completed: Int, total: Int?) {
        (self.completed, self.total) = (completed, total)
    }

    /// The transferred fraction of the total, from 0 to 1; `nil` if the total is not known.
    ///
    /// An empty transfer has the fraction 1.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
    }
}

extension RequestBody {
    /// Returns the same body, which reports its progress while it is sent.
    ///
    /// - Parameter report: Called after every part that the connection has taken. Where a challenge or a redirect asks for the body again,
    ///   the count begins again at 0.
    /// - Returns: A body that is streamed, also where it was in memory before. Digest with `qop=auth-int` cannot be answered with it.
    public func reporting(_ report: @escaping @Sendable (TransferProgress) -> Void) -> RequestBody {
        replacingContent { [self] sink in
            let sent = NIOLockedValueBox(0)
            try await produce { part in
                try await sink(part)
                let completed = sent.withLockedValue { sent in
                    sent += part.readableBytes
                    return sent
                }
                report(TransferProgress(completed: completed, total: length))
            }
        }
    }
}

extension Client {
    /// Sends a request, and reports the progress of its body.
    ///
    /// - Parameter request: The request to send. Its body is streamed, even if it is in memory.
    /// - Returns: A transfer whose value is the response, or throws what ``send(_:)`` throws. The response's body has yet to be read.
    public func beginUpload(_ request: Request) -> Transfer<Response> {
        Transfer { report in
            var request = request
            request.body = request.body?.reporting(report)
            return try await send(request)
        }
    }
}
