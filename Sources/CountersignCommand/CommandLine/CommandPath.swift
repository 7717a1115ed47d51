// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The commands that a command line names, from the program on.
struct CommandPath {
    private static let program = "countersign"

    /// Such as `countersign trust`.
    private(set) var description = Self.program
    /// The command that the words lead to; `nil` where ArgumentParser does not describe it.
    private(set) var command: CommandShape?
    /// A word that stands where the name of a command must, and is none.
    private(set) var unknownName: String?
    /// Whether `help` stands before the names.
    private(set) var asksForHelp = false

    /// Whether it leads to no command but the program.
    var isRoot: Bool { description == Self.program }

    /// - Parameter arguments: What follows the program's name.
    init(_ arguments: [String]) {
        command = try? CommandShape.root()
        for argument in arguments {
            guard let command, command.subcommands?.isEmpty == false, argument != "--" else { return }
            // No command that has subcommands has an option with a value.
            if argument.hasPrefix("-") { continue }
            if argument == "help", !asksForHelp {
                asksForHelp = true
            } else if let next = command.subcommand(argument) {
                self.command = next
                description += " " + argument
            } else {
                unknownName = argument
                return
            }
        }
    }
}
