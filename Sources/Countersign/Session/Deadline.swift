// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// When a request must be done, whatever it waits for: a connection, a server, a person.
struct Deadline: Sendable {
    private let time: NIODeadline
    private let endpoint: Endpoint

    init(_ time: NIODeadline, of endpoint: Endpoint) {
        self.time = time
        self.endpoint = endpoint
    }

    /// Cancels what is not done in time.
    ///
    /// - Throws: ``LimitError/timedOut(_:_:)``, and what the work throws.
    func bound<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                let rest = time - .now()
                try await Task.sleep(for: .nanoseconds(max(0, rest.nanoseconds)))
                throw SessionError.limit(.timedOut(.origin(endpoint), .total))
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
