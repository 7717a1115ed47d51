// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
package import Countersign

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A program that was started, with which lines are exchanged over pipes.
package final class ChildProgram {
    private let input: FileDescriptorOutput
    private let output: InputDescriptor
    private let process: pid_t
    private var read: [UInt8] = []

    /// Starts a program; its standard error is that of this process.
    ///
    /// - Parameter program: Its path and arguments.
    /// - Throws: `FileError`.
    package init(_ program: [String]) throws(FileError) {
        var (process, input, output) = (pid_t(), Int32(-1), Int32(-1))
        var arguments = program.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let code = process_start_connected(&process, program[0], &arguments, environ, &input, &output)
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
        try input.write((line + [0x0A])[...])
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let end = read.firstIndex(of: 0x0A) {
                defer { read.removeSubrange(...end) }
                return Array(read[..<end])
            }
            let count = try part.withUnsafeMutableBufferPointer { (buffer) throws(FileError) in
                try output.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            guard count > 0 else { return nil }
            read += part.prefix(count)
        }
    }

    /// Closes its standard input, which ends it.
    deinit {
        close(input.descriptor)
        close(output.number)
        waitpid(process, nil, 0)
    }
}
