// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
    /// - Throws: ``FileError``.
    func write(_ text: String, on console: Console, mode: mode_t = 0o666) throws {
        switch self {
        case .standardOutput: try console.write(Array(text.utf8))
        case .file(let path): try OutputFile.write(text, to: path, mode: mode)
        }
    }
}
