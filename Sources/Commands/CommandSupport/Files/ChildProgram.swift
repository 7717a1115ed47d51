// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
package import Countersign
import Dispatch
internal import EssentialFoundation
internal import POSIX

/// A child process that exchanges lines with this process over pipes.
package final class ChildProgram {
    private let input: FileDescriptorOutput
    private let output: InputDescriptor
    private let process: pid_t
    private var read: [UInt8] = []
    private var isClosed = false
    private var hasEnded = false

    /// The process ID, for a signal.
    package var processNumber: Int32 { process }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The path of the program, and its arguments.
    ///   - isQuiet: Whether its standard error is discarded; otherwise it is shared with this process.
    /// - Throws: `FileError`.
    package init(_ program: [String], isQuiet: Bool = false) throws(FileError) {
        var (process, input, output) = (pid_t(), Int32(-1), Int32(-1))
        var arguments = program.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let code = process_start_connected(
            &process, program[0], &arguments, environ, isQuiet ? 1 : 0, &input, &output)
        guard code == 0 else { throw FileError(.read, path: program[0], code: code) }
        self.process = process
        self.input = FileDescriptorOutput(descriptor: input, path: program[0])
        self.output = InputDescriptor.inherited(output, program[0])
    }

    /// Writes a line, and waits for the line that answers it.
    ///
    /// - Returns: The line without its terminator, or `nil` if the program has exited.
    /// - Throws: `FileError`.
    package func answer(to line: [UInt8]) throws(FileError) -> [UInt8]? {
        try send(line)
        return try nextLine()
    }

    /// Writes a line.
    ///
    /// - Throws: `FileError`.
    package func send(_ line: [UInt8]) throws(FileError) { try input.write((line + [0x0A])[...]) }

    /// Waits for a line.
    ///
    /// - Returns: The line without its terminator, or `nil` if the program has exited.
    /// - Throws: `FileError`.
    package func nextLine() throws(FileError) -> [UInt8]? {
        while true {
            if let end = read.firstIndex(of: 0x0A) {
                defer { read.removeSubrange(...end) }
                return Array(read[..<end])
            }
            guard let part = try output.nextPart() else { return nil }
            read += part
        }
    }

    /// Runs a program that reads all of its standard input, or writes to its standard output, until it exits.
    ///
    /// It does not wait for processes that the program leaves running, such as one that serves an X11 selection.
    ///
    /// - Parameters:
    ///   - program: The path of the program, and its arguments.
    ///   - input: The bytes for its standard input.
    ///   - reads: Whether its output is read.
    /// - Returns: The output, or `nil` if the exit status is not 0.
    /// - Throws: `FileError`.
    package static func run(_ program: [String], input: [UInt8] = [], reads: Bool) throws(FileError) -> [UInt8]? {
        let child = try ChildProgram(program, isQuiet: true)
        child.isClosed = true
        if reads {
            // Writes concurrently, because a program may write before it has read everything. If it stops reading, its
            // exit status shows the reason.
            let output = child.input
            DispatchQueue.global().async {
                try? output.write(input[...])
                close(output.descriptor)
            }
        } else {
            defer { close(child.input.descriptor) }
            try child.input.write(input[...])
        }
        while reads, let part = try child.output.nextPart() { child.read += part }
        return child.wait() == 0 ? child.read : nil
    }

    private func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        hasEnded = true
        return status
    }

    /// Closes the program's standard input, which makes it exit.
    deinit {
        if !isClosed { close(input.descriptor) }
        close(output.number)
        if !hasEnded { _ = wait() }
    }
}

/// A program with a time limit, whose output goes to files.
package struct TimedProgram: Sendable {
    /// The outcome of a program.
    package enum Termination: Hashable, Sendable {
        case exited(Int32)
        /// A signal ended the program.
        case signalled(Int32)
        /// The program was killed when its time limit expired.
        case timedOut
    }

    /// The program, which is looked up in `PATH`, and its arguments; not empty.
    package let words: [String]
    /// The paths of the files for standard output and standard error.
    package let (output, errors): (String, String)

    package init(_ words: [String], output: String, errors: String) {
        (self.words, self.output, self.errors) = (words, output, errors)
    }

    /// Runs the program until it exits; if the limit expires or the task is cancelled, it is killed with its child
    /// processes.
    ///
    /// - Parameter limit: The time limit.
    /// - Returns: The outcome.
    /// - Throws: `FileError` if the program cannot be started, and `CancellationError`.
    package func run(within limit: Duration) async throws -> Termination {
        let process = try start()
        let deadline = ContinuousClock.now + limit
        var pause = Duration.milliseconds(2)
        while true {
            if let termination = Self.termination(of: process) { return termination }
            guard ContinuousClock.now < deadline, !Task.isCancelled else { break }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(20))
        }
        // The program leads a session, whose ID is also the ID of its process group.
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

    /// Returns the outcome of a process, or `nil` while it runs.
    private static func termination(of process: pid_t) -> Termination? {
        var status: Int32 = 0
        let ended = waitpid(process, &status, WNOHANG)
        guard ended == process else { return nil }
        // This does the same as the C macros WIFEXITED, WEXITSTATUS and WTERMSIG.
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }
}

/// The paths of programs.
package enum ExecutablePath {
    /// Finds a program.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - folders: The folders to search, in order.
    /// - Returns: The path, or `nil` if no folder contains the program.
    package static func find(_ name: String, in folders: [String]) -> String? {
        folders.lazy.map { $0 + "/" + name }.first(where: FileManager.default.isExecutableFile)
    }

    /// The absolute path of this program, without symbolic links; `nil` if the system does not provide it.
    package static var current: String? {
        guard let path = realpath(given, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    #if canImport(Darwin)
        private static var given: [CChar] {
            var size = UInt32(PATH_MAX)
            var path = [CChar](repeating: 0, count: Int(size))
            return _NSGetExecutablePath(&path, &size) == 0 ? path : [0]
        }
    #else
        private static let given = "/proc/self/exe"
    #endif
}
