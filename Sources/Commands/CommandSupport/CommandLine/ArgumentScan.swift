// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The options on a command line, in the order in which they were typed, before their values are read.
package struct ArgumentScan {
    package struct Use: Hashable {
        /// `--output` or `-o`, without a value.
        package let spelling: String
        /// `nil` where the command has no such option.
        package let parameter: CommandShape.Parameter?
    }

    /// The command's name and its parents', without the program's.
    package private(set) var path: [String] = []
    package private(set) var uses: [Use] = []
    private var command: CommandShape
    private var rest: ArraySlice<String>

    /// - Parameters:
    ///   - arguments: What follows the program's name.
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

    /// Reads `-vo file`: flags, and at the end perhaps an option, whose value may follow without a space.
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
    /// Whether it is read as an option: `-` alone is a value.
    fileprivate var isOption: Bool { hasPrefix("-") && count > 1 }
}
