// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A transfer that goes on while its progress is looked at.
///
/// It is cancelled with the task that awaits its ``value``, and with the last reference to it.
public final class Transfer<Value: Sendable>: Sendable {
    /// How far it is: the newest state whenever it is asked for, until the transfer ends, well or not.
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

    /// What the transfer comes to.
    public var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Ends it as soon as possible.
    public func cancel() {
        task.cancel()
    }
}
