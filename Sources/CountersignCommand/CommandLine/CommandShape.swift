// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The names of a command's subcommands and options, read from the description that ArgumentParser gives of the program.
///
/// ArgumentParser takes the last value of a repeated option without an error, and has no list of the options that were given.
struct CommandShape: Decodable {
    /// An option, a flag or a positional argument.
    struct Parameter: Decodable, Hashable {
        enum Kind: String, Decodable {
            case positional, option, flag
        }

        struct Name: Decodable, Hashable {
            /// `long` or `short`.
            let kind: String
            let name: String

            /// As typed: `--output` or `-o`.
            var spelling: String { (kind == "short" ? "-" : "--") + name }
        }

        let kind: Kind
        let isRepeating: Bool
        /// Whether the help mentions it.
        let shouldDisplay: Bool
        let names: [Name]?
        let preferredName: Name?

        func isNamed(_ spelling: String) -> Bool { names?.contains { $0.spelling == spelling } ?? false }
    }

    let commandName: String
    let subcommands: [CommandShape]?
    let arguments: [Parameter]?

    /// The shape of `countersign` with all its commands.
    static func root() throws -> CommandShape { try program.get() }

    /// Read once: ArgumentParser checks every option of every command each time.
    private static let program = Result { try CommandShape(of: CountersignCommand.self) }

    /// The shape of a command with the commands below it.
    init(of command: any ParsableCommand.Type) throws {
        struct Program: Decodable { let command: CommandShape }
        self = try JSONDecoder().decode(Program.self, from: Data(command._dumpHelp().utf8)).command
    }

    func subcommand(_ name: String) -> CommandShape? { subcommands?.first { $0.commandName == name } }

    /// The long names of the options and flags that the help mentions, without dashes.
    var longNames: [String] {
        (arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
    }

    /// The option or flag that is typed as `-o` or `--output`.
    func parameter(_ spelling: String) -> Parameter? { arguments?.first { $0.isNamed(spelling) } }
}
