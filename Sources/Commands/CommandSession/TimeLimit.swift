// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import Dispatch
package import ErrorExplanations
import NIOConcurrencyHelpers
import POSIX

/// The timeout of `--max-time` for a complete run: reading files, questions to the user, the transfer, and the output.
package final class TimeLimit: Sendable {
    private struct State {
        enum Progress {
            case running
            case ended
            case passed
        }

        var progress = Progress.running
        /// The path of the pipe from which the request's body is being read.
        var pendingInput: String?
    }

    /// The limit of the run to which the current task belongs.
    @TaskLocal package static var current: TimeLimit?

    private let duration: Duration?
    private let state = NIOLockedValueBox(State())

    /// - Parameter duration: The limit, or `nil` for none.
    package init(_ duration: Duration?) {
        self.duration = duration
    }

    /// Records the pipe that the request's body waits for; after the limit has expired, nothing is recorded.
    package func awaitInput(_ path: String?) {
        state.withLockedValue { if $0.progress != .passed { $0.pendingInput = path } }
    }

    /// Returns the error to report: the cause of the timeout if the limit expired, a cancellation, or the original
    /// error.
    package func reason(for error: any Error, of url: String) -> any Error {
        let state = state.withLockedValue { $0 }
        guard state.progress == .passed || Self.isTotalTimeout(error) else {
            return Task.isCancelled ? CancellationError() : error
        }
        if case FileError.failed(let path, let operation, code: ECANCELED) = error {
            return FileTimeout(isRead: operation == .read, path: path)
        }
        if let path = state.pendingInput { return FileTimeout(isRead: true, path: path) }
        guard let duration, let endpoint = try? HostEndpoint(of: url) else { return error }
        return SessionError.limit(
            .timedOut(.init(endpoint, role: .origin), .total, after: duration, setting: .total))
    }

    /// Returns whether an error is the session's own timeout, which is a little longer, but can expire first on a
    /// machine under load.
    private static func isTotalTimeout(_ error: any Error) -> Bool {
        if case .limit(.timedOut(_, .total, _, _))? = error as? SessionError { true } else { false }
    }

    /// Runs a closure, and cancels it when the limit expires.
    ///
    /// The timer uses Dispatch, because a closure that waits for a pipe may occupy every thread of Swift's pool.
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

/// A file or pipe that was still being read or written when the `--max-time` limit expired.
package struct FileTimeout: Error, Hashable {
    /// Whether the file was read, not written.
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
