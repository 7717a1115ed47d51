// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
