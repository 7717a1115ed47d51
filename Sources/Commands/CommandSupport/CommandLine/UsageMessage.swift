// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import ArgumentParser
import CertificateTrust
import PolicyFile

/// The answer to a command line that cannot be parsed: the cause, and one hint.
package struct UsageMessage: Hashable {
    package let cause: String
    package let hint: String

    package var text: String { "countersign: \(cause)\n\(hint)".printableLines }

    /// Says what is wrong with a name that is no command's.
    ///
    /// - Parameters:
    ///   - path: The command line's commands.
    ///   - externalNames: The external commands, which may be suggested in the place of a command of the program.
    package init?(unknownNameIn path: CommandPath, besides externalNames: [String] = []) {
        guard let name = path.unknownName else { return nil }
        // A URL may hold a password, so it is not repeated.
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

    /// Puts an error of ArgumentParser into the form of every other error.
    ///
    /// - Parameters:
    ///   - message: ArgumentParser's words for what parsing threw.
    ///   - path: The command that the arguments are for.
    ///   - arguments: What follows the program's name.
    package init(_ message: String, at path: CommandPath, for arguments: [String]) {
        // A line break in a value would end the message.
        let text = arguments.reduce(message) { text, argument in
            argument.contains(where: \.isNewline) ? text.replacing(argument, with: argument.printable) : text
        }
        // The lines after the first one are alternatives that mistyped letters rarely mean.
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

    /// Returns the shortest name that the word begins, or else the one that differs least, or else the shortest one that ends in
    /// the word, such as `identity-passphrase-file` for `passphrase-file`.
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
    /// The text with its line ends, and without every other control character.
    fileprivate var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}
