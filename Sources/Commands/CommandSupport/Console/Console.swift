// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import ErrorExplanations
import EssentialFoundation
import POSIX

/// The output streams and the prompter of a command.
///
/// Everything that a command writes to standard output and standard error passes through the console, which makes it
/// safe for a terminal.
package struct Console: Sendable {
    private let output: @Sendable ([UInt8]) throws -> Void
    private let errors: @Sendable (String) -> Void
    private var terminalText = TerminalText()
    /// The prompter; `nil` without a terminal, because there is no user to ask.
    package var prompter: (any Prompter)?
    package var environment: [String: String]
    /// The environment variables that may replace the system's anchors; none if the program has more privileges than its
    /// user, who could otherwise choose what the program trusts.
    package var anchorEnvironment: [String: String] {
        let isPrivileged = getuid() != geteuid() || getgid() != getegid()
        return isPrivileged ? [:] : environment
    }
    /// The options of the program that error advice refers to.
    package let errorOptions: ErrorOptions
    /// Whether standard output is a terminal.
    package var outputIsTerminal = false
    /// Whether standard error is a terminal.
    package var errorIsTerminal = false
    /// The current number of columns of standard output's terminal; `nil` if it is unknown.
    package var outputColumns: @Sendable () -> Int? = { nil }
    /// The current number of columns of standard error's terminal; `nil` if it is unknown.
    package var errorColumns: @Sendable () -> Int? = { nil }

    /// Creates a console from closures that write.
    ///
    /// - Parameters:
    ///   - write: Writes to standard output.
    ///   - writeError: Writes to standard error.
    ///   - prompter: The prompter; `nil` without a terminal.
    ///   - environment: The environment variables.
    ///   - errorOptions: The program's options for errors.
    ///   - outputIsTerminal: Whether standard output is a terminal.
    ///   - errorIsTerminal: Whether standard error is a terminal.
    ///   - outputColumns: The columns of standard output's terminal.
    ///   - errorColumns: The columns of standard error's terminal.
    package init(
        write: @escaping @Sendable ([UInt8]) throws -> Void, writeError: @escaping @Sendable (String) -> Void,
        prompter: (any Prompter)? = nil, environment: [String: String], errorOptions: ErrorOptions = .common,
        outputIsTerminal: Bool = false, errorIsTerminal: Bool = false,
        outputColumns: @escaping @Sendable () -> Int? = { nil }, errorColumns: @escaping @Sendable () -> Int? = { nil }
    ) {
        (output, errors, self.prompter, self.environment) = (write, writeError, prompter, environment)
        self.errorOptions = errorOptions
        (self.outputIsTerminal, self.errorIsTerminal) = (outputIsTerminal, errorIsTerminal)
        (self.outputColumns, self.errorColumns) = (outputColumns, errorColumns)
    }

    package static func standard(_ errorOptions: ErrorOptions) -> Console {
        let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
        return Console(
            write: { try writeToStandardOutput($0[...]) },
            writeError: { try? FileDescriptorOutput(descriptor: STDERR_FILENO, path: "").write(Array($0.utf8)[...]) },
            prompter: isInteractive ? TerminalPrompter() : nil,
            environment: ProcessInfo.processInfo.environment,
            errorOptions: errorOptions,
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

    /// Returns the same console with another prompter.
    package func asking(_ prompter: (any Prompter)?) -> Console {
        var copy = self
        copy.prompter = prompter
        return copy
    }

    /// Returns the same console for a body that may have another encoding than UTF-8; a terminal receives UTF-8.
    ///
    /// The encoding is noted on standard error if it is not UTF-8. A charset that is not supported is an error.
    ///
    /// - Parameter charset: The charset of the body in lower case; `nil` if none is stated.
    /// - Returns: The console.
    package func showing(charset: String?) -> Console {
        var copy = self
        let other = SingleByteEncoding(charset: charset)
        copy.terminalText = TerminalText(or: other, charset: other == nil ? charset : nil) { [self] encoding in
            printError("countersign: the body is not UTF-8, and is shown as \(encoding.rawValue)")
        }
        return copy
    }

    /// Writes the bytes that were held back for the rest of a character, at the end of a body.
    ///
    /// - Throws: ``FileError``; ``CommandError`` for bytes that a terminal must not receive.
    package func finishText() throws {
        guard outputIsTerminal else { return }
        let text = try terminalText.text(of: [], isLast: true)
        if !text.isEmpty { try output(Array(text.utf8)) }
    }

    /// Prints a line on standard output.
    ///
    /// - Throws: ``FileError``, for example if the disk is full.
    package func print(_ line: String) throws {
        try output(Array(((usesColor ? Ink.printableLines(line) : line.printableLines) + "\n").utf8))
    }

    /// Writes bytes, such as those of a body, to standard output: unchanged to a file or a pipe, and as text to a
    /// terminal.
    ///
    /// - Throws: ``FileError``; ``CommandError`` for bytes that a terminal must not receive.
    package func write(_ bytes: [UInt8]) throws {
        try output(outputIsTerminal ? Array(terminalText.text(of: bytes).utf8) : bytes)
    }

    /// Writes bytes to the target of an option: a file, or standard output for `-`.
    ///
    /// - Returns: Whether the target is a file.
    /// - Throws: ``FileError``, ``OutputClosed``; ``CommandError`` for bytes that a terminal must not receive.
    package func write(_ bytes: [UInt8], toArgument path: String, mode: UInt32 = 0o666) throws -> Bool {
        guard path != "-" else {
            try write(bytes)
            return false
        }
        try OutputFile.write(bytes, to: path, mode: mode)
        return true
    }

    /// Prints a line on standard error.
    package func printError(_ line: String) {
        writeError(line + "\n")
    }

    /// Prints an error on standard error, with the program's options for it.
    package func printError(_ failure: Failure) { printError(failure.text(errorOptions)) }

    /// Writes a text to standard error; a progress bar's text may begin by erasing its line.
    package func writeError(_ text: String) {
        let erased = text.hasPrefix(ProgressBar.erasure) ? ProgressBar.erasure : ""
        errors(erased + String(text.unicodeScalars.dropFirst(erased.unicodeScalars.count)).printableLines)
    }

    package func print(json value: some Encodable) throws {
        try print(text(json: value))
    }

    /// Returns indented JSON with sorted keys.
    package func text(json value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self).escapedInJSON
    }
}

extension String {
    /// The JSON with escapes for all characters that control a terminal or are invisible; the values are the same.
    fileprivate var escapedInJSON: String {
        guard unicodeScalars.contains(where: { !$0.isPrintable && $0 != "\n" }) else { return self }
        return unicodeScalars.map { scalar in
            guard !scalar.isPrintable, scalar != "\n" else { return String(scalar) }
            return UTF16.encode(scalar).map { units in
                units.map { "\\u" + String(String(Int($0) + 0x10000, radix: 16).suffix(4)) }.joined()
            } ?? ""
        }.joined()
    }
}

/// - Throws: ``OutputClosed``, ``FileError``.
private func writeToStandardOutput(_ bytes: ArraySlice<UInt8>) throws {
    do throws(FileError) {
        try FileDescriptorOutput.standard.write(bytes)
    } catch {
        throw error.systemCode == EPIPE ? OutputClosed() : error
    }
}

extension Console {
    /// Whether standard output is coloured: on a terminal that supports escape sequences, unless `NO_COLOR`
    /// (no-color.org) has a value.
    package var usesColor: Bool { outputIsTerminal && obeysEscapes && (environment["NO_COLOR"] ?? "").isEmpty }

    /// Whether standard error shows a progress bar: on a terminal that supports escape sequences.
    package var showsProgress: Bool { errorIsTerminal && obeysEscapes }

    /// The maximum line length of standard output, in columns; `nil` for no limit.
    package var outputWidth: Int? { givenWidth ?? (outputIsTerminal ? outputColumns() ?? Self.defaultWidth : nil) }

    /// The maximum line length of standard error, in columns; `nil` for no limit.
    package var errorWidth: Int? { givenWidth ?? (errorIsTerminal ? errorColumns() ?? Self.defaultWidth : nil) }

    /// Whether the terminal supports escape sequences; terminals without support are named `dumb` or have no name.
    private var obeysEscapes: Bool { !["", "dumb"].contains(environment["TERM"] ?? "") }

    /// The value of `COLUMNS`, which has precedence over the terminal's own width (POSIX.1-2017 section 8.3).
    private var givenWidth: Int? {
        environment["COLUMNS"].flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
    }

    private static let defaultWidth = 80
}

extension Console {
    /// Asks the user for a confirmation that an operation requires.
    ///
    /// - Parameters:
    ///   - question: The yes-or-no question.
    ///   - isConfirmed: Whether an option has already confirmed the operation.
    ///   - outcome: The text that is printed if the user answers no.
    ///   - need: The text that is printed without a terminal, and the option that confirms; `nil` for the outcome and
    ///     `--yes`.
    /// - Throws: ``CommandError`` if there is no terminal or the user answers no.
    package func confirm(
        _ question: String, unless isConfirmed: Bool, otherwise outcome: String,
        needing need: (text: String, option: String)? = nil
    ) async throws {
        if isConfirmed { return }
        guard let prompter else {
            throw CommandError.confirmationNeeded(need?.text ?? outcome, option: need?.option ?? "--yes")
        }
        guard await prompter.confirm(question) else { throw CommandError.declined(outcome) }
    }

    /// Lists the contents of a file that are not imported, before the import.
    package func printError(omitted omissions: [String]) {
        for omission in omissions { printError("Not imported: \(omission).") }
    }
}
