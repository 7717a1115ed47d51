// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ErrorExplanations
import NibArchive

/// The command `countersign nib diff`, which compares two interfaces.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print the differences between two interfaces, or the text of one interface for git.",
        discussion: """
            Objects are compared by class, title and position in the tree, not by their numbers in the file. The exit status is 1 if \
            the interfaces differ.

            For git, put "*.nib diff=nib" into .gitattributes and run: git config diff.nib.textconv "countersign nib diff"

            If a single file is not an interface, the reason is printed as its text, so that git can show the other files.
            """)

    @Argument(help: "The old interface.")
    var old: String

    @Argument(help: "The new interface.")
    var new: String?

    func run() throws {
        guard let new else {
            print(try Self.text(of: old), terminator: "")
            return
        }
        let difference = NibDifference(from: NibOutline(try NibFile(old).nib), to: NibOutline(try NibFile(new).nib))
        for line in difference.lines { print(line) }
        if !difference.lines.isEmpty { throw ExitCode(1) }
    }

    /// Returns the text of a file, or a substitute for an unreadable file: Git shows nothing if a text conversion
    /// fails, and a history may contain damaged files.
    private static func text(of path: String) throws -> String {
        do {
            return NibOutline(try NibFile(path).nib).text(withValues: true)
        } catch NibCommandError.unreadable(_, let error) {
            return "\(error.explanation.message) It has \(try NibFile.data(path).count) bytes.\n"
        }
    }
}
