// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import NibArchive

/// The command `countersign nib rewrite`, which reads an interface and writes it again.
struct RewriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rewrite", abstract: "Read an interface and write it as a NIBArchive.",
        discussion: """
            A NIBArchive that Interface Builder wrote is written with the same bytes. A keyed archive is written as a NIBArchive with the \
            same objects.
            """)

    @Argument(help: "The interface.")
    var input: String

    @Argument(help: "The output file.")
    var output: String

    func run() throws {
        let nib = try NibFile(input).nib
        guard nib.encoding != .designableXML else { throw NibCommandError.notCompiled(input) }
        try NibFile.write(nib.nibArchive, to: output)
    }
}
