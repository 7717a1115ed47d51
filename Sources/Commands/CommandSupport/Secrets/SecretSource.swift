// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Secrets

/// Reads a password, passphrase or token from a file or an open file descriptor: its first line.
package enum SecretSource {
    private static let limit = 64 * 1024

    package static func file(_ path: String) throws -> Secret {
        try firstLine(of: InputDescriptor(path))
    }

    package static func descriptor(number: Int) throws -> Secret {
        guard let descriptor = Int32(exactly: number), descriptor >= 0 else { throw UsageError.fileDescriptor(number) }
        return try firstLine(of: .inherited(descriptor, "file descriptor \(number)"))
    }

    /// Reads the first line of standard input, and no byte after it.
    package static func standardInput() throws -> Secret { try firstLine(of: .standard) }

    private static func firstLine(of input: InputDescriptor) throws -> Secret {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < limit {
            let count = try withUnsafeMutableBytes(of: &byte) { try input.read(into: $0) }
            if count == 0 || byte == 0x0A { break }
            line.append(byte)
        }
        if line.last == 0x0D { line.removeLast() }
        defer { _ = line.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 0) } }
        return Secret(utf8: line)
    }
}
