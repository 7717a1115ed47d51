// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import CommandSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where an option such as `--trace` puts its text: a file, or standard output for `-`.
enum OutputPlace: Hashable, Sendable {
    case standardOutput
    case file(String)

    init(_ text: String) {
        self = text == "-" ? .standardOutput : .file(text)
    }

    /// Writes a whole text.
    ///
    /// - Parameters:
    ///   - text: What to write.
    ///   - console: Whose standard output is meant.
    ///   - mode: The rights of a new file.
    /// - Throws: ``FileError``, ``OutputClosed``.
    func write(_ text: String, on console: Console, mode: mode_t = 0o666) throws {
        switch self {
        case .standardOutput: try console.write(Array(text.utf8))
        case .file(let path):
            if !(try OutputFile.write(text, to: path, mode: mode)) { console.noteLostOwner(of: path) }
        }
    }
}

extension Console {
    /// Says that a file that replaced another user's belongs to this user.
    func noteLostOwner(of path: String) {
        complain("countersign: \(path.printable) belonged to another user and is yours now")
    }
}
