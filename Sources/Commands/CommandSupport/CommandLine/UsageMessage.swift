// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import ArgumentParser
import CertificateTrust
import PolicyFiles

/// The message for a command line that cannot be parsed: the cause, and one hint.
package struct UsageMessage: Hashable {
    package let cause: String
    package let hint: String

    package var text: String { "countersign: \(cause)\n\(hint)".printableLines }

    /// Creates the message for an unknown command name, or `nil` if the path has none.
    ///
    /// - Parameters:
    ///   - path: The commands of the command line.
    ///   - externalNames: The external commands, which are suggested too.
    package init?(unknownNameIn path: CommandPath, besides externalNames: [String] = []) {
        guard let name = path.unknownName else { return nil }
        // A URL may contain a password, so it is not repeated.
        guard !name.contains("://") else {
            self.init(
                cause: "A URL needs a command before it.",
                hint: "Write 'countersign get URL'; '\(path.description) --help' lists the commands.")
            return
        }
        let names = path.command.subcommands.map(\.name) + (path.isRoot ? externalNames + ["help"] : [])
        self.init(
            cause: "There is no command '\(name)'." + Self.suggestion(Self.nearest(to: name, among: names)),
            hint: "'\(path.description) --help' lists the commands.")
    }

    /// Converts an ArgumentParser error to the form of every other error.
    ///
    /// - Parameters:
    ///   - message: ArgumentParser's message for the error.
    ///   - path: The command to which the arguments belong.
    ///   - arguments: The arguments after the program's name.
    package init(_ message: String, at path: CommandPath, for arguments: [String]) {
        // A line break in a value would end the message.
        let text = arguments.reduce(message) { text, argument in
            argument.contains(where: \.isNewline) ? text.replacing(argument, with: argument.printable) : text
        }
        // The lines after the first one list alternatives, which are rarely right for a typing error.
        let message = text.prefix { $0 != "\n" }
        let hint = "See '\(path.description) --help'."
        if let option = Self.unknownOption(in: message) {
            let name = option.drop { $0 == "-" }
            let nearest = name.count < 2 ? nil : Self.nearest(to: String(name), among: path.command.longNames)
            self.init(
                cause: "There is no option '\(option)'." + Self.suggestion(nearest.map { "--" + $0 }), hint: hint)
        } else {
            self.init(cause: message.hasSuffix(".") ? String(message) : message + ".", hint: hint)
        }
    }

    private init(cause: String, hint: String) {
        (self.cause, self.hint) = (cause, hint)
    }

    private static func suggestion(_ name: String?) -> String { name.map { " Did you mean '\($0)'?" } ?? "" }

    /// Returns the shortest name with this prefix, or else the most similar one, or else the shortest one with this
    /// suffix, such as `identity-passphrase-file` for `passphrase-file`.
    private static func nearest(to word: String, among names: [String]) -> String? {
        let completions = word.count < 3 ? [] : names.filter { $0.hasPrefix(word) }
        let longer = names.filter { $0.hasSuffix("-" + word) }
        return shortest(completions) ?? Spelling.nearest(to: word, among: names) ?? shortest(longer)
    }

    private static func shortest(_ names: [String]) -> String? { names.min { $0.count < $1.count } }

    private static func unknownOption(in message: Substring) -> String? {
        let start = "Unknown option '"
        guard message.hasPrefix(start) else { return nil }
        return String(message.dropFirst(start.count).prefix { $0 != "'" && $0 != "=" })
    }
}

extension String {
    /// The text with its line breaks, but without any other control characters.
    fileprivate var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}
