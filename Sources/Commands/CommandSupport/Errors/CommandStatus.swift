// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Dispatch
package import ErrorExplanations
import NIOConcurrencyHelpers
import POSIX

/// The exit status of a command.
package enum CommandStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    case usage = 2
    case notTrusted = 3
    case notAuthenticated = 4
    /// Ended by SIGHUP; as with the signals below, the shell reports 128 plus the signal's number.
    case hungUp = 129
    /// Ended by SIGINT.
    case interrupted = 130
    /// Ended by SIGPIPE: the reader has closed standard output.
    case outputClosed = 141
    /// Ended by SIGTERM.
    case terminated = 143

    /// The signal that the status represents.
    private var signalNumber: Int32? { rawValue > 128 ? rawValue - 128 : nil }

    /// Ends the process.
    ///
    /// A shell stops a loop only if a signal ended the command, so the signal is raised again.
    package func end() -> Never {
        if let signalNumber { Self.endProcess(by: signalNumber) }
        exit(rawValue)
    }

    /// Raises a signal; it returns only if the signal could not be raised.
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
    /// Creates the exit status for an error.
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
    /// The time that a cancelled command has to clean up, in seconds.
    private static let timeout = 2.0

    private let received: NIOLockedValueBox<CommandStatus?>
    private let sources: [any DispatchSourceSignal]

    /// Calls the closures when the first of the signals arrives, and ends the process soon after; an ignored signal
    /// stays ignored.
    ///
    /// - Parameters:
    ///   - restore: Restores the terminal settings.
    ///   - cancel: Cancels the command.
    package init(restore: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) {
        let received = NIOLockedValueBox<CommandStatus?>(nil)
        self.received = received
        sources = Self.statuses.compactMap { number, status -> (any DispatchSourceSignal)? in
            // nohup starts a command with SIGHUP ignored, and a script starts a background job with SIGINT ignored.
            // Both stay ignored.
            guard !Self.ignore(number) else { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                received.withLockedValue { $0 = $0 ?? status }
                restore()
                cancel()
                // The process must end even if the command hangs.
                DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeout) {
                    restore()
                    status.end()
                }
            }
            source.activate()
            return source
        }
    }

    /// Returns the exit status; that of an interrupted command depends on the signal that interrupted it.
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
