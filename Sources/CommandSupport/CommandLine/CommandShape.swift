// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The names of a command's subcommands and options, read from the description that ArgumentParser gives of the program.
///
/// ArgumentParser takes the last value of a repeated option without an error, and has no list of the options that were given.
package struct CommandShape: Decodable, Sendable {
    /// An option, a flag or a positional argument.
    package struct Parameter: Decodable, Hashable, Sendable {
        package enum Kind: String, Decodable, Sendable {
            case positional, option, flag
        }

        package struct Name: Decodable, Hashable, Sendable {
            /// `long` or `short`.
            package let kind: String
            package let name: String

            /// As typed: `--output` or `-o`.
            package var spelling: String { (kind == "short" ? "-" : "--") + name }
        }

        package let kind: Kind
        package let isRepeating: Bool
        /// Whether the help mentions it.
        package let shouldDisplay: Bool
        package let names: [Name]?
        package let preferredName: Name?

        package func isNamed(_ spelling: String) -> Bool { names?.contains { $0.spelling == spelling } ?? false }
    }

    package let commandName: String
    package let subcommands: [CommandShape]?
    /// The subcommand that runs where none is named.
    package let defaultSubcommand: String?
    package let arguments: [Parameter]?

    /// The shapes that were read: reading one takes longer than a request on loopback, and a wrong command line needs it twice.
    private static let known = Mutex<[ObjectIdentifier: CommandShape]>([:])

    /// The shape of a command with the commands below it.
    package init(of command: any ParsableCommand.Type) throws {
        struct Program: Decodable { let command: CommandShape }
        let key = ObjectIdentifier(command)
        if let shape = Self.known.withLock({ $0[key] }) {
            self = shape
            return
        }
        self = try JSONDecoder().decode(Program.self, from: Data(command._dumpHelp().utf8)).command
        Self.known.withLock { [self] in $0[key] = self }
    }

    package func subcommand(_ name: String) -> CommandShape? { subcommands?.first { $0.commandName == name } }

    /// The long names of the options and flags that the help mentions, without dashes.
    package var longNames: [String] {
        (arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
    }

    /// The option or flag that is typed as `-o` or `--output`.
    package func parameter(_ spelling: String) -> Parameter? { arguments?.first { $0.isNamed(spelling) } }
}
