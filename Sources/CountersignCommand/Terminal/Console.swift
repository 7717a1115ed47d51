// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The reader of standard output has gone, which is no failure of the command.
struct OutputClosed: Error {}

/// Where a command prints, and whom it asks.
struct Console: Sendable {
    /// Writes to standard output.
    var write: @Sendable ([UInt8]) throws -> Void
    /// Writes a text to standard error, as it is.
    var writeError: @Sendable (String) -> Void
    /// `nil` off a terminal, where nobody is there to answer.
    var prompter: (any Prompter)?
    var environment: [String: String]
    /// Whether standard output is a terminal.
    var outputIsTerminal = false
    /// Whether standard error is a terminal.
    var errorIsTerminal = false
    /// The columns of standard output's terminal at this moment; `nil` where it does not tell.
    var outputColumns: @Sendable () -> Int? = { nil }
    /// The columns of standard error's terminal at this moment; `nil` where it does not tell.
    var errorColumns: @Sendable () -> Int? = { nil }

    static func standard() -> Console {
        let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
        return Console(
            write: { try writeToStandardOutput($0[...]) },
            writeError: { try? FileDescriptorOutput(descriptor: STDERR_FILENO, path: "").write(Array($0.utf8)[...]) },
            prompter: isInteractive ? TerminalPrompter() : nil,
            environment: ProcessInfo.processInfo.environment,
            outputIsTerminal: isatty(STDOUT_FILENO) == 1,
            errorIsTerminal: isatty(STDERR_FILENO) == 1,
            outputColumns: { Self.columns(of: STDOUT_FILENO) },
            errorColumns: { Self.columns(of: STDERR_FILENO) }
        )
    }

    private static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// A line on standard output.
    ///
    /// - Throws: ``FileError``: a disk that is full has not got what it was told.
    func print(_ line: String) throws {
        try write(Array((line + "\n").utf8))
    }

    /// A line on standard error.
    func complain(_ line: String) {
        writeError(line + "\n")
    }

    func print(json value: some Encodable) throws {
        try print(text(json: value))
    }

    /// JSON for programs that a person can read too.
    func text(json value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// - Throws: ``OutputClosed``, ``FileError``.
private func writeToStandardOutput(_ bytes: ArraySlice<UInt8>) throws {
    do throws(FileError) {
        try FileDescriptorOutput.standard.write(bytes)
    } catch {
        throw error.code == EPIPE ? OutputClosed() : error
    }
}
