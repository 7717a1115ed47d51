// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Countersign
package import ErrorExplanations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Files that the user named.
package enum InputFile {
    /// Largest file that is read, in bytes: certificates and keys are small.
    package static let limit = 16 << 20

    /// Reads what an option names: a file, or standard input for `-`.
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
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try part.withUnsafeMutableBufferPointer { (buffer) throws(FileError) in
                try input.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
            guard bytes.count <= limit else { throw FileError(.read, path: path, code: EFBIG) }
        }
    }

    /// Says which file an error is about.
    package static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FileError {
            throw error
        } catch let error as any ExplainedError {
            throw NamedFileError(path: path, error: error)
        }
    }
}

/// An error about the contents of a file, with the file's name.
package struct NamedFileError: Error {
    package let path: String
    package let error: any ExplainedError
}

extension NamedFileError: ExplainedError {
    package var explanation: ErrorExplanation {
        let cause = error.explanation
        return ErrorExplanation(cause.code, "\(path): \(cause.message)", reason: cause.reason, advice: cause.advice)
    }
}
