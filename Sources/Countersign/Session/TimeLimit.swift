// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How long something may take, whatever it waits for.
struct TimeLimit: Sendable {
    private let duration: Duration
    private let error: SessionError

    init(_ duration: Duration, error: SessionError) {
        (self.duration, self.error) = (duration, error)
    }

    /// Does something, and cancels it where it takes too long.
    ///
    /// - Throws: The error that was given, and what the work throws.
    func holds<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: duration)
                throw error
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}
