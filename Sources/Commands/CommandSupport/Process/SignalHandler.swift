// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Dispatch
import NIOConcurrencyHelpers

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
