// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Countersign
package import ErrorExplanations
import POSIX
import PrivateFiles

/// Reads files that the user named.
package enum InputFile {
    /// The maximum size of a file, in bytes; certificates and keys are small.
    package static let limit = 16 << 20

    /// Reads the source that an option names: a file, or standard input for `-`.
    package static func readArgument(_ path: String) throws(FileError) -> [UInt8] {
        path == "-" ? try read(.standard, path) : try read(path)
    }

    /// Reads a file, or a pipe such as a shell's `<(command)`.
    package static func read(_ path: String, limit: Int = limit) throws(FileError) -> [UInt8] {
        try read(InputDescriptor(path), path, limit)
    }

    private static func read(
        _ input: InputDescriptor, _ path: String, _ limit: Int = limit
    ) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let part = try input.nextPart() {
            bytes += part
            guard bytes.count <= limit else { throw FileError(.read, path: path, code: EFBIG) }
        }
        return bytes
    }

    /// The name of the source that an option names, for display.
    package static func name(ofArgument path: String) -> String { path == "-" ? "standard input" : path }

    /// Runs a closure, and adds the path of the file to its error.
    package static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FileError {
            throw error
        } catch let error as any ExplainedError {
            throw NamedFileError(path: name(ofArgument: path), error: error)
        }
    }
}

/// An error about the contents of a file, with the file's name.
package struct NamedFileError: Error {
    package let path: String
    package let error: any ExplainedError
}

extension NamedFileError: ExplainedError {
    package var explanation: ErrorExplanation { error.explanation.naming(path) }
}

/// An open file or pipe, read from its current position.
package final class InputDescriptor: Sendable {
    package let number: Int32
    /// The path, for errors.
    package let path: String
    private let isOwned: Bool

    private init(number: Int32, path: String, isOwned: Bool) {
        (self.number, self.path, self.isOwned) = (number, path, isOwned)
    }

    package static var standard: InputDescriptor { inherited(STDIN_FILENO, "standard input") }

    /// Returns an input for a descriptor that the caller opened; it is not closed.
    package static func inherited(_ number: Int32, _ name: String) -> InputDescriptor {
        InputDescriptor(number: number, path: name, isOwned: false)
    }

    package convenience init(_ path: String) throws(FileError) {
        // Without O_NONBLOCK, opening a pipe without a writer would block the thread forever.
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw FileError(.read, path: path) }
        self.init(number: number, path: path, isOwned: true)
        guard FileState(descriptor: number)?.isFolder == false else {
            throw FileError(.read, path: path, code: EISDIR)
        }
    }

    deinit {
        if isOwned { close(number) }
    }

    /// The remaining length in bytes; `nil` for a pipe or a device, whose length is not known.
    package var remainingLength: Int? {
        guard let state = FileState(descriptor: number), state.isRegular else { return nil }
        return max(state.length - Int(lseek(number, 0, SEEK_CUR)), 0)
    }

    /// Waits until the input is readable, or the timeout expires.
    ///
    /// - Parameter timeout: The timeout in milliseconds.
    /// - Returns: Whether a read would not block.
    package func isReadable(within timeout: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, timeout) != 0
    }

    /// The interval between checks for cancellation, in milliseconds.
    private static let timeout: Int32 = 100

    /// Reads the next chunk, as ``read(into:)`` does.
    ///
    /// - Returns: At most 64 KiB, or `nil` at the end.
    package func nextPart() throws(FileError) -> [UInt8]? {
        var part = [UInt8](repeating: 0, count: 1 << 16)
        let count = try part.withUnsafeMutableBufferPointer { (buffer) throws(FileError) in
            try read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        return count > 0 ? Array(part.prefix(count)) : nil
    }

    /// Reads the available bytes, or waits until there are some or the task is cancelled.
    ///
    /// - Returns: The number of bytes, which is 0 at the end.
    /// - Throws: ``FileError``, with `ECANCELED` if the task is cancelled first.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        while true {
            while !isReadable(within: Self.timeout) {
                guard !Task.isCancelled else { throw FileError(.read, path: path, code: ECANCELED) }
            }
            let count = systemRead(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else { throw FileError(.read, path: path) }
        }
    }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

extension FileError {
    /// Creates an error from the `errno` of a failed system call.
    package init(_ operation: Operation, path: String, code: Int32 = errno) {
        self = .failed(path: path, operation, code: code)
    }

    /// The `errno` value; `nil` if no system call failed.
    package var systemCode: Int32? {
        if case .failed(_, _, let code) = self { code } else { nil }
    }
}

extension FileError: PrivateFileFailure {
    static func refused(_ path: String, code: Int32) -> Self { FileError(.create, path: path, code: code) }
}
