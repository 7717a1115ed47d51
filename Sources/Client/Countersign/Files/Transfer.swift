// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
