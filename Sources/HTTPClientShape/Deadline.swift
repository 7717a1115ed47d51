// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// By when something must be done.
struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant?

    init(_ deadline: NIODeadline) {
        // The end of time is further away than a clock can be asked to wait.
        instant = deadline == .distantFuture ? nil : .now + .nanoseconds((deadline - .now()).nanoseconds)
    }

    var hasPassed: Bool { instant.map { $0 <= .now } ?? false }

    /// Does something, and cancels it where it takes too long.
    ///
    /// - Throws: ``HTTPClientError/deadlineExceeded``, and what the work throws.
    func holds<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let instant else { return try await work() }
        return try await withThrowingTaskGroup { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(until: instant, clock: .continuous)
                throw HTTPClientError.deadlineExceeded
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}
