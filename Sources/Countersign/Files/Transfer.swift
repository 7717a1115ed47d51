// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A running transfer, which reports its progress.
///
/// It is cancelled with the task that awaits its ``value``, and with the last reference to it.
public final class Transfer<Value: Sendable>: Sendable {
    /// The progress.
    ///
    /// Each element is the newest state at that time; the sequence ends with the transfer, also if that fails.
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

    /// The result of the transfer.
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
    public func cancel() {
        task.cancel()
    }
}
