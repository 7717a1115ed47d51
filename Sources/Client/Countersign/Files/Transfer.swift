// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// A running transfer that reports its progress.
///
/// It is cancelled if the task that awaits its ``value`` is cancelled, or if its last reference is released.
public final class Transfer<Value: Sendable>: Sendable {
    /// The progress, as a sequence for a single reader.
    ///
    /// Each element is the latest state; earlier states that were not read are dropped. The sequence ends with the
    /// transfer, even if the transfer fails.
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
    /// - Throws: The error of the transfer: any error that ``RequestSender/send(_:)`` throws for an upload, or that
    ///   ``RequestSender/download(_:to:onConflict:resumptions:)-(_,String,_,_)`` throws for a download; `CancellationError` if the transfer
    ///   or the waiting task is cancelled.
    public var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Cancels the transfer.
    ///
    /// ``value`` then throws `CancellationError`, unless the transfer was complete.
    public func cancel() {
        task.cancel()
    }
}

/// The progress of a transfer.
public struct TransferProgress: Hashable, Sendable {
    /// The number of transferred bytes.
    ///
    /// For a download, the bytes of an earlier, interrupted download are included.
    public let completed: Int
    /// The total number of bytes; `nil` if it is unknown.
    public let total: Int?

    /// Makes a progress value from byte counts; `nil` for an unknown total.
    public init(completed: Int, total: Int?) {
        (self.completed, self.total) = (completed, total)
    }

    /// The transferred fraction of the total, from 0 to 1; `nil` if the total is unknown.
    ///
    /// For an empty transfer, the fraction is 1.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
    }
}

extension SessionRequestBody {
    /// Returns the same body, which reports its progress while it is sent.
    ///
    /// - Parameter report: Called after each part that the connection has accepted. If the body is sent again after a
    ///   challenge or a redirect, the count restarts at 0.
    /// - Returns: A streamed body, even if the original was in memory. It cannot be used to answer Digest with
    ///   `qop=auth-int`.
    public func reporting(_ report: @escaping @Sendable (TransferProgress) -> Void) -> SessionRequestBody {
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

extension RequestSender {
    /// Sends a request, and reports the progress of its body.
    ///
    /// - Parameter request: The request to send. Its body is streamed, even if it is in memory.
    /// - Returns: A transfer whose value is the response, whose body has yet to be read. The value throws any error
    ///   that ``send(_:)`` throws.
    public func beginUpload(_ request: SessionRequest) -> Transfer<SessionResponse> {
        Transfer { report in
            var request = request
            request.body = request.body?.reporting(report)
            return try await send(request)
        }
    }
}
