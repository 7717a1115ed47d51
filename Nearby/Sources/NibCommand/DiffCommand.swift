// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import NibArchive

/// `countersign nib diff`: what differs between two interfaces.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print what differs between two interfaces; of one alone, print its text for git.",
        discussion: """
            Objects are compared by their classes, titles and places in the tree, not by their numbers in the file. The exit status is 1 where \
            the interfaces differ.

            For git, put "*.nib diff=nib" into .gitattributes and run: git config diff.nib.textconv "countersign nib diff"
            """)

    @Argument(help: "The old interface.")
    var old: String

    @Argument(help: "The new interface.")
    var new: String?

    func run() throws {
        let outline = NibOutline(try NibFile(old).nib)
        guard let new else {
            print(outline.text(withValues: true), terminator: "")
            return
        }
        let difference = NibDifference(from: outline, to: NibOutline(try NibFile(new).nib))
        for line in difference.lines { print(line) }
        if !difference.lines.isEmpty { throw ExitCode(1) }
    }
}
