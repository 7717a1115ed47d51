// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The commands that a command line names, from the program on.
package struct CommandPath {
    /// Such as `countersign trust`.
    package private(set) var description: String
    /// The command that the words lead to.
    package private(set) var command: CommandShape
    /// A word that stands where the name of a command must, and is none.
    package private(set) var unknownName: String?
    /// Whether `help` stands before the names.
    package private(set) var asksForHelp = false

    /// Whether it leads to no command but the program.
    package private(set) var isRoot = true

    /// - Parameters:
    ///   - arguments: What follows the program's name.
    ///   - root: The program.
    package init(_ arguments: [String], of root: CommandShape) {
        (command, description) = (root, root.name)
        for argument in arguments {
            guard !command.subcommands.isEmpty, argument != "--" else { return }
            if argument.hasPrefix("-") {
                let option = String(argument.prefix { $0 != "=" })
                // An option may be one of the default subcommand, or of none, with a value after it.
                if let next = command.defaultSubcommand, next.parameter(option)?.kind != .flag,
                    command.parameter(option) == nil
                {
                    command = next
                    return
                }
                // No command that has subcommands has an option with a value itself.
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
