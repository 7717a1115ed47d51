// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import ErrorExplanations
import EssentialFoundation
import POSIX

/// Where a command prints, and whom it asks.
///
/// Everything that a command writes to its standard output and standard error goes through here, and is made safe for a terminal.
package struct Console: Sendable {
    private let output: @Sendable ([UInt8]) throws -> Void
    private let errors: @Sendable (String) -> Void
    private let terminalText = TerminalText()
    /// `nil` off a terminal, where no person can answer.
    package var prompter: (any Prompter)?
    package var environment: [String: String]
    /// The options that the program has for what the advice of an error says.
    package let errorOptions: ErrorOptions
    /// Whether standard output is a terminal.
    package var outputIsTerminal = false
    /// Whether standard error is a terminal.
    package var errorIsTerminal = false
    /// The columns of standard output's terminal at this moment; `nil` where it does not tell.
    package var outputColumns: @Sendable () -> Int? = { nil }
    /// The columns of standard error's terminal at this moment; `nil` where it does not tell.
    package var errorColumns: @Sendable () -> Int? = { nil }

    /// A console by what it writes to.
    ///
    /// - Parameters:
    ///   - write: Writes to standard output.
    ///   - writeError: Writes to standard error.
    ///   - prompter: `nil` off a terminal.
    ///   - environment: The process's variables.
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

    /// The same console with another prompter.
    package func asking(_ prompter: (any Prompter)?) -> Console {
        var copy = self
        copy.prompter = prompter
        return copy
    }

    /// A line on standard output.
    ///
    /// - Throws: ``FileError``: a disk that is full has not got what it was told.
    package func print(_ line: String) throws {
        try output(Array(((usesColor ? Ink.printableLines(line) : line.printableLines) + "\n").utf8))
    }

    /// Writes bytes to standard output, such as those of a body: as they are to a file or a pipe, and as text to a terminal.
    ///
    /// - Throws: ``FileError``; ``CommandError`` for what a terminal must not receive.
    package func write(_ bytes: [UInt8]) throws {
        try output(outputIsTerminal ? Array(terminalText.text(of: bytes).utf8) : bytes)
    }

    /// Writes bytes to what an option names: a file, or standard output for `-`.
    ///
    /// - Returns: Whether it is a file.
    /// - Throws: ``FileError``, ``OutputClosed``; ``CommandError`` for what a terminal must not receive.
    package func write(_ bytes: [UInt8], toArgument path: String, mode: UInt32 = 0o666) throws -> Bool {
        guard path != "-" else {
            try write(bytes)
            return false
        }
        try OutputFile.write(bytes, to: path, mode: mode)
        return true
    }

    /// A line on standard error.
    package func complain(_ line: String) {
        writeError(line + "\n")
    }

    /// An error on standard error, with the program's options for it.
    package func complain(_ failure: Failure) { complain(failure.text(errorOptions)) }

    /// Writes a text to standard error; a progress bar may begin it by erasing its line.
    package func writeError(_ text: String) {
        let erased = text.hasPrefix(ProgressBar.erasure) ? ProgressBar.erasure : ""
        errors(erased + String(text.unicodeScalars.dropFirst(erased.unicodeScalars.count)).printableLines)
    }

    package func print(json value: some Encodable) throws {
        try print(text(json: value))
    }

    /// JSON for programs that a person can read too.
    package func text(json value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self).escapedInJSON
    }
}

extension String {
    /// JSON in which no string holds a character that a terminal obeys or does not show; the values are the same.
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
    /// Whether standard output is painted: on a terminal that obeys escape sequences, unless `NO_COLOR` has a value (no-color.org).
    package var usesColor: Bool { outputIsTerminal && obeysEscapes && (environment["NO_COLOR"] ?? "").isEmpty }

    /// Whether standard error shows a bar that is drawn over and over: on a terminal that obeys escape sequences.
    package var showsProgress: Bool { errorIsTerminal && obeysEscapes }

    /// How long the lines of standard output may be, in columns; `nil` where that does not matter.
    package var outputWidth: Int? { givenWidth ?? (outputIsTerminal ? outputColumns() ?? Self.usualWidth : nil) }

    /// How long the lines of standard error may be, in columns; `nil` where that does not matter.
    package var errorWidth: Int? { givenWidth ?? (errorIsTerminal ? errorColumns() ?? Self.usualWidth : nil) }

    /// Terminals that know no escape sequences call themselves `dumb`, or have no name.
    private var obeysEscapes: Bool { !["", "dumb"].contains(environment["TERM"] ?? "") }

    /// `COLUMNS`, which tells more than the terminal does (POSIX.1-2017 section 8.3).
    private var givenWidth: Int? {
        environment["COLUMNS"].flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
    }

    private static let usualWidth = 80
}

extension Console {
    /// Asks a person for a word without which nothing is done.
    ///
    /// - Parameters:
    ///   - question: What is answered with yes or no.
    ///   - isConfirmed: Whether an option has answered it.
    ///   - outcome: What is printed after a no.
    ///   - need: What is printed off a terminal, and the option that answers; `nil` for the outcome and `--yes`.
    /// - Throws: ``CommandError`` off a terminal and after a no.
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

    /// Says which contents of a file are not imported, before anything is.
    package func complain(omitted omissions: [String]) {
        for omission in omissions { complain("Not imported: \(omission).") }
    }
}
