// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import NibArchive

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The command `countersign nib show`, which prints the objects and connections of an interface.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the tree of objects and the connections of an interface.",
        discussion: """
            FILE is a .nib in any encoding, a .xib, or a folder of such files.

            Example: countersign nib show MainMenu.nib --svg > MainMenu.svg
            """)

    @Argument(help: "The interface.")
    var file: String

    @Flag(help: "Also print the values of each object.")
    var values = false

    @Flag(help: "Print the counts, classes, connections and the tree as JSON.")
    var json = false

    @Flag(help: "Print a drawing of the views as SVG.")
    var svg = false

    func validate() throws {
        guard [values, json, svg].filter(\.self).count <= 1 else {
            throw ValidationError("Use only one of --values, --json and --svg.")
        }
    }

    func run() throws {
        let nib = try NibFile(file).nib
        if svg {
            guard let drawing = NibDrawing.svg(of: nib) else { throw NibCommandError.nothingToDraw(file) }
            print(drawing, terminator: "")
        } else if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(NibReport(nib)), as: UTF8.self))
        } else {
            print(NibOutline(nib).text(withValues: values), terminator: "")
        }
    }
}
