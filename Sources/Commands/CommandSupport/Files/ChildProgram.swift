// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
package import Countersign
import Dispatch
internal import EssentialFoundation
internal import POSIX

/// A program that was started, with which lines are exchanged over pipes.
package final class ChildProgram {
    private let input: FileDescriptorOutput
    private let output: InputDescriptor
    private let process: pid_t
    private var read: [UInt8] = []
    private var isClosed = false
    private var hasEnded = false

    /// The process's number, for a signal.
    package var processNumber: Int32 { process }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path and arguments.
    ///   - isQuiet: Whether its standard error is thrown away; else it is that of this process.
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

    /// Writes a line, and waits for the one that answers it.
    ///
    /// - Returns: The line without its end; `nil` where the program has ended.
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
    /// - Returns: The line without its end; `nil` where the program has ended.
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

    /// Runs a program that reads all of its standard input, or writes to its standard output, until it ends.
    ///
    /// What it leaves running, such as the program that serves an X11 selection, is not waited for.
    ///
    /// - Parameters:
    ///   - program: Its path and arguments.
    ///   - input: What it reads.
    ///   - reads: Whether its output is read.
    /// - Returns: Its output; `nil` where its status is not 0.
    /// - Throws: `FileError`.
    package static func run(_ program: [String], input: [UInt8] = [], reads: Bool) throws(FileError) -> [UInt8]? {
        let child = try ChildProgram(program, isQuiet: true)
        child.isClosed = true
        if reads {
            // Beside the reading, because a program may write before it has read all. One that stops reading says why by its status.
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

    /// Closes its standard input, which ends it.
    deinit {
        if !isClosed { close(input.descriptor) }
        close(output.number)
        if !hasEnded { _ = wait() }
    }
}

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

/// The paths of programs.
package enum ExecutablePath {
    /// Looks for a program.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - folders: Where it is looked for, in order.
    /// - Returns: Its path; `nil` where no folder has it.
    package static func find(_ name: String, in folders: [String]) -> String? {
        folders.lazy.map { $0 + "/" + name }.first(where: FileManager.default.isExecutableFile)
    }

    /// Absolute, without symbolic links; `nil` where the system does not tell.
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
