// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
internal import Countersign

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A program that may run for a limited time, and whose output goes to files.
package struct TimedProgram: Sendable {
    /// How it ended.
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        /// A signal ended it.
        case signalled(Int32)
        /// It was killed when its time was over.
        case timedOut
    }

    /// The program, looked for on the `PATH`, and its arguments; not empty.
    package let words: [String]
    /// The paths of the files that its standard output and standard error are written to.
    package let (output, errors): (String, String)

    package init(_ words: [String], output: String, errors: String) {
        (self.words, self.output, self.errors) = (words, output, errors)
    }

    /// Runs the program until it ends, or its time is over, or the task is cancelled; then it is killed, with what it started.
    ///
    /// - Parameter limit: The time that it may take.
    /// - Returns: How it ended.
    /// - Throws: `FileError` where it cannot be started, and `CancellationError`.
    package func run(within limit: Duration) async throws -> Ending {
        let process = try start()
        let deadline = ContinuousClock.now + limit
        var pause = Duration.milliseconds(2)
        while true {
            if let ending = Self.ending(of: process) { return ending }
            guard ContinuousClock.now < deadline, !Task.isCancelled else { break }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(20))
        }
        // The session that it leads is also its process group.
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        try Task.checkCancellation()
        return .timedOut
    }

    private func start() throws(FileError) -> pid_t {
        var process = pid_t()
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let code = process_start_writing(&process, words.first ?? "", &arguments, environ, output, errors)
        guard code == 0 else { throw FileError(.read, path: words.first ?? "", code: code) }
        return process
    }

    /// `nil` while it runs.
    private static func ending(of process: pid_t) -> Ending? {
        var status: Int32 = 0
        let ended = waitpid(process, &status, WNOHANG)
        guard ended == process else { return nil }
        // WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros.
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}
