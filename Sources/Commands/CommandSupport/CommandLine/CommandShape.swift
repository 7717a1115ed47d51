// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
import EssentialFoundation
import Synchronization

/// The subcommands and options of a command.
///
/// ArgumentParser uses the last value of a repeated option without an error, and has no list of the given options.
package struct CommandShape {
    /// An option, a flag or a positional argument.
    package struct Parameter: Decodable, Hashable, Sendable {
        package enum Kind: String, Decodable, Sendable {
            case positional, option, flag
        }

        package struct Name: Decodable, Hashable, Sendable {
            /// `long` or `short`.
            package let kind: String
            package let name: String

            /// The name as typed: `--output` or `-o`.
            package var spelling: String { (kind == "short" ? "-" : "--") + name }
        }

        package let kind: Kind
        package let isRepeating: Bool
        /// Whether the help lists the parameter.
        package let shouldDisplay: Bool
        package let names: [Name]?
        package let preferredName: Name?

        package func isNamed(_ spelling: String) -> Bool { names?.contains { $0.spelling == spelling } ?? false }

        /// Returns a flag that ArgumentParser adds to commands.
        fileprivate static func standard(_ names: Name...) -> Parameter {
            Parameter(kind: .flag, isRepeating: false, shouldDisplay: true, names: names, preferredName: names.first)
        }

        fileprivate static let help = standard(Name(kind: "long", name: "help"), Name(kind: "short", name: "h"))
        fileprivate static let version = standard(Name(kind: "long", name: "version"))
    }

    private let command: any ParsableCommand.Type

    /// The cached parameters, because reading those of one command takes as long as a request on loopback.
    private static let known = Mutex<[ObjectIdentifier: [Parameter]]>([:])

    /// Creates the shape of a command with its subcommands.
    package init(of command: any ParsableCommand.Type) {
        self.command = command
    }

    package var name: String { command._commandName }

    package var subcommands: [CommandShape] { command.configuration.subcommands.map(CommandShape.init) }

    /// The subcommand that runs if none is named.
    package var defaultSubcommand: CommandShape? { command.configuration.defaultSubcommand.map(CommandShape.init) }

    /// The options, flags and positional arguments, decoded from ArgumentParser's description of the command.
    ///
    /// A command with subcommands has only the flags that ArgumentParser adds: its description would contain all its
    /// subcommands.
    package var parameters: [Parameter] {
        let configuration = command.configuration
        guard configuration.subcommands.isEmpty else {
            return configuration.version.isEmpty ? [.help] : [.help, .version]
        }
        let key = ObjectIdentifier(command)
        if let parameters = Self.known.withLock({ $0[key] }) { return parameters }
        struct Description: Decodable {
            struct Command: Decodable {
                let arguments: [Parameter]?
            }
            let command: Command
        }
        // The line can be parsed without a description: only suggestions and the search for repetitions need it.
        let description = try? JSONDecoder().decode(Description.self, from: Data(command._dumpHelp().utf8))
        let parameters = description?.command.arguments ?? []
        Self.known.withLock { $0[key] = parameters }
        return parameters
    }

    package func subcommand(_ name: String) -> CommandShape? { subcommands.first { $0.name == name } }

    /// The long names of the options and flags that the help lists, without dashes.
    package var longNames: [String] {
        let names: [Parameter.Name] = parameters.filter(\.shouldDisplay).flatMap { $0.names ?? [] }
        return names.filter { $0.kind == "long" }.map(\.name)
    }

    /// The long names of the options and flags of the command and of all commands below it.
    package var allLongNames: Set<String> { subcommands.reduce(Set(longNames)) { $0.union($1.allLongNames) } }

    /// Returns the option or flag that is typed as `-o` or `--output`.
    package func parameter(_ spelling: String) -> Parameter? { parameters.first { $0.isNamed(spelling) } }
}

/// The options on a command line, in the order of the command line, before their values are parsed.
package struct ArgumentScan {
    package struct Use: Hashable {
        /// The option as typed, `--output` or `-o`, without a value.
        package let spelling: String
        /// The parameter; `nil` if the command has no such option.
        package let parameter: CommandShape.Parameter?
    }

    /// The names of the command and its parents, without the program's.
    package private(set) var path: [String] = []
    package private(set) var uses: [Use] = []
    private var command: CommandShape
    private var rest: ArraySlice<String>

    /// - Parameters:
    ///   - arguments: The arguments after the program's name.
    ///   - root: The program.
    package init(_ arguments: [String], of root: CommandShape) {
        (command, rest) = (root, arguments[...])
        while let argument = rest.popFirst(), argument != "--" { scan(argument) }
    }

    private mutating func scan(_ argument: String) {
        if argument.hasPrefix("--") {
            let name = argument.prefix { $0 != "=" }
            note(String(name), hasValue: name.endIndex != argument.endIndex)
        } else if argument.isOption {
            scanGroup(argument.dropFirst())
        } else if let subcommand = command.subcommand(argument) {
            path.append(argument)
            command = subcommand
        }
    }

    /// Scans `-vo file`: flags, and possibly an option at the end, whose value may follow without a space.
    private mutating func scanGroup(_ letters: Substring) {
        var letters = letters
        while let letter = letters.popFirst() {
            let takesValue = command.parameter("-\(letter)")?.kind == .option
            note("-\(letter)", hasValue: !letters.isEmpty)
            if takesValue { return }
        }
    }

    private mutating func note(_ spelling: String, hasValue: Bool) {
        let parameter = command.parameter(spelling)
        uses.append(Use(spelling: spelling, parameter: parameter))
        if parameter?.kind == .option, !hasValue, let next = rest.first, !next.isOption { rest.removeFirst() }
    }
}

extension String {
    /// Whether the argument is parsed as an option: `-` alone is a value.
    fileprivate var isOption: Bool { hasPrefix("-") && count > 1 }
}

/// The commands that a command line names, starting with the program.
package struct CommandPath {
    /// The path as text, such as `countersign trust`.
    package private(set) var description: String
    /// The last command of the path.
    package private(set) var command: CommandShape
    /// An argument in the position of a command name that names no command.
    package private(set) var unknownName: String?
    /// Whether `help` precedes the names.
    package private(set) var asksForHelp = false

    /// Whether the path consists of the program only.
    package private(set) var isRoot = true

    /// - Parameters:
    ///   - arguments: The arguments after the program's name.
    ///   - root: The program.
    package init(_ arguments: [String], of root: CommandShape) {
        (command, description) = (root, root.name)
        for argument in arguments {
            guard !command.subcommands.isEmpty, argument != "--" else { return }
            if argument.hasPrefix("-") {
                let option = String(argument.prefix { $0 != "=" })
                // The option may belong to the default subcommand, or may be unknown and followed by a value.
                if let next = command.defaultSubcommand, next.parameter(option)?.kind != .flag,
                    command.parameter(option) == nil
                {
                    command = next
                    return
                }
                // No command with subcommands has an option with a value.
                continue
            }
            if argument == "help", !asksForHelp {
                asksForHelp = true
            } else if let next = command.subcommand(argument) {
                command = next
                isRoot = false
                description += " " + argument
            } else {
                unknownName = argument
                return
            }
        }
    }
}
