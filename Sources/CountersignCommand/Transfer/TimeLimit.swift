// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import Dispatch
import NIOConcurrencyHelpers

/// The time that `--max-time` gives a whole run: reading its files, the questions to a person, the transfer, and writing its output.
final class TimeLimit: Sendable {
    private enum State {
        case running
        case ended
        case passed
    }

    private let duration: Duration?
    private let state = NIOLockedValueBox(State.running)

    /// - Parameter duration: `nil` is no limit.
    init(_ duration: Duration?) {
        self.duration = duration
    }

    /// Whether the work was cancelled because its time was over.
    var hasPassed: Bool { state.withLockedValue { $0 == .passed } }

    /// What a run ends with whose time is over.
    func error(for target: Endpoint) -> SessionError { .timedOut(.init(target, role: .origin), .total) }

    /// Runs the work, and cancels it when the time is over.
    ///
    /// The clock is Dispatch's, because work that waits for a pipe may occupy every thread of Swift's pool.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let duration else { return try await work() }
        let task = Task(operation: work)
        let (seconds, attoseconds) = duration.components
        DispatchQueue.global().asyncAfter(deadline: .now() + Double(seconds) + Double(attoseconds) / 1e18) { [state] in
            let isLate = state.withLockedValue { state in
                if state == .running { state = .passed }
                return state == .passed
            }
            if isLate { task.cancel() }
        }
        defer { state.withLockedValue { if $0 == .running { $0 = .ended } } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
