// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import Dispatch
package import ErrorExplanations
import NIOConcurrencyHelpers
import POSIX

/// The time that `--max-time` gives a whole run: reading its files, the questions to a person, the transfer, and writing its output.
package final class TimeLimit: Sendable {
    private struct State {
        enum Progress {
            case running
            case ended
            case passed
        }

        var progress = Progress.running
        /// The pipe from which the request's body is to come now.
        var awaitedInput: String?
    }

    /// The limit of the run that this task belongs to.
    @TaskLocal package static var current: TimeLimit?

    private let duration: Duration?
    private let state = NIOLockedValueBox(State())

    /// - Parameter duration: `nil` is no limit.
    package init(_ duration: Duration?) {
        self.duration = duration
    }

    /// Notes which pipe the request's body waits for; after the limit, nothing is noted any more.
    package func awaitInput(_ path: String?) {
        state.withLockedValue { if $0.progress != .passed { $0.awaitedInput = path } }
    }

    /// What a transfer ends with: what took the time where the time was over, that it was cancelled, or the error of the work.
    package func reason(for error: any Error, of url: String) -> any Error {
        let state = state.withLockedValue { $0 }
        guard state.progress == .passed || Self.isTotalTimeout(error) else {
            return Task.isCancelled ? CancellationError() : error
        }
        if case FileError.failed(let path, let operation, code: ECANCELED) = error {
            return FileTimeout(isRead: operation == .read, path: path)
        }
        if let path = state.awaitedInput { return FileTimeout(isRead: true, path: path) }
        guard let endpoint = try? Endpoint(of: url) else { return error }
        return SessionError.limit(.timedOut(.init(endpoint, role: .origin), .total))
    }

    /// The session's clock allows a little more than this one, but can be first on a machine under load.
    private static func isTotalTimeout(_ error: any Error) -> Bool {
        if case .limit(.timedOut(_, .total))? = error as? SessionError { true } else { false }
    }

    /// Runs the work, and cancels it when the time is over.
    ///
    /// The clock is Dispatch's, because work that waits for a pipe may occupy every thread of Swift's pool.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let duration else { return try await work() }
        let task = Self.$current.withValue(self) { Task(operation: work) }
        let (seconds, attoseconds) = duration.components
        DispatchQueue.global().asyncAfter(deadline: .now() + Double(seconds) + Double(attoseconds) / 1e18) { [state] in
            let isLate = state.withLockedValue { state in
                if state.progress == .running { state.progress = .passed }
                return state.progress == .passed
            }
            if isLate { task.cancel() }
        }
        defer { state.withLockedValue { if $0.progress == .running { $0.progress = .ended } } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// A file or a pipe that took all the time that `--max-time` gives.
package struct FileTimeout: Error, Hashable {
    /// Otherwise it was written.
    package let isRead: Bool
    package let path: String
}

extension FileTimeout: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "file.timed-out", "\(isRead ? "Reading" : "Writing") \(path) took longer than the total timeout.",
            reason: isRead
                ? "It is a pipe, and no program wrote to it and then closed it."
                : "It is a pipe, and no program read from it.",
            advice: "Check the program at the other end, or allow more time.")
    }

    package static var examples: [FileTimeout] { [Self(isRead: true, path: "/dev/fd/3")] }
}
