// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Dispatch
package import ErrorExplanations
import NIOConcurrencyHelpers
import POSIX

/// How a command ended.
package enum CommandStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    case usage = 2
    case notTrusted = 3
    case notAuthenticated = 4
    /// By SIGHUP; as with the signals below, the shell reports 128 and the signal's number.
    case hungUp = 129
    /// By SIGINT.
    case interrupted = 130
    /// By SIGPIPE: the reader of standard output has gone.
    case outputClosed = 141
    /// By SIGTERM.
    case terminated = 143

    /// The signal that stands for it.
    private var signalNumber: Int32? { rawValue > 128 ? rawValue - 128 : nil }

    /// Ends the process.
    ///
    /// A shell stops a loop only where it sees that a signal ended the command, so the signal is raised again.
    package func end() -> Never {
        if let signalNumber { Self.endProcess(by: signalNumber) }
        exit(rawValue)
    }

    /// Returns only where the signal could not be raised.
    private static func endProcess(by number: Int32) {
        _ = signal(number, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }
}

extension CommandStatus {
    /// The exit status that belongs to an error.
    package init(_ error: any ExplainedError) {
        self =
            switch error {
            case is OutputClosed: .outputClosed
            case CommandError.interrupted: .interrupted
            default:
                switch error.explanation.kind {
                case .failed: .failed
                case .usage: .usage
                case .notTrusted: .notTrusted
                case .notAuthenticated: .notAuthenticated
                }
            }
    }
}

/// Cancels a command when a signal asks the process to end.
package final class SignalHandler {
    private static let statuses: [Int32: CommandStatus] = [
        SIGHUP: .hungUp, SIGINT: .interrupted, SIGTERM: .terminated,
    ]
    /// How long a cancelled command may take to clean up, in seconds.
    private static let timeout = 2.0

    private let received: NIOLockedValueBox<CommandStatus?>
    private let sources: [any DispatchSourceSignal]

    /// Calls the closure when the first of the signals arrives, and ends the process soon after; a signal that was ignored stays ignored.
    ///
    /// - Parameters:
    ///   - restore: Brings the terminal back to how it was.
    ///   - cancel: Asks the command to end.
    package init(restore: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) {
        let received = NIOLockedValueBox<CommandStatus?>(nil)
        self.received = received
        sources = Self.statuses.compactMap { number, status -> (any DispatchSourceSignal)? in
            // nohup starts a command with SIGHUP ignored, a script starts a background job with SIGINT ignored. That stays so.
            guard !Self.ignore(number) else { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                received.withLockedValue { $0 = $0 ?? status }
                restore()
                cancel()
                // A command that hangs must not outlive the signal.
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) {
                    restore()
                    status.end()
                }
            }
            source.activate()
            return source
        }
    }

    /// The status of an interrupted command, by the signal that interrupted it.
    package func status(_ status: CommandStatus) -> CommandStatus {
        guard status == .interrupted else { return status }
        return received.withLockedValue { $0 } ?? status
    }

    package func stop() { sources.forEach { $0.cancel() } }

    /// - Returns: Whether the signal was ignored before.
    private static func ignore(_ number: Int32) -> Bool {
        let handler = signal(number, SIG_IGN)
        return handler.map { unsafeBitCast($0, to: Int.self) } == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
