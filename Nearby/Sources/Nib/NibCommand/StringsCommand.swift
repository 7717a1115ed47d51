// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import NearbyProgram
import NibArchive

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The command `countersign nib strings`, which exports the texts of an interface for translation.
struct StringsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strings",
        abstract: "Print the texts of an interface for translation, or apply translations to it.",
        discussion: """
            The texts are printed as a .strings file, except attributed texts. The comment of each text contains the original, so \
            that --apply detects translations of another build: if a key or an original does not match, nothing is written.

            Example: countersign nib strings MainMenu.nib > fr.strings
            Example: countersign nib strings MainMenu.nib --apply fr.strings --output fr.lproj/MainMenu.nib
            """)

    @Argument(help: "The interface.")
    var file: String

    @Option(help: ArgumentHelp("A .strings file whose texts replace those of the interface.", valueName: "file"))
    var apply: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("The output file for the translated interface.", valueName: "file"))
    var output: String?

    @Flag(help: "With --apply, skip the translations that do not match, and write the interface with the others.")
    var skipMismatches = false

    func validate() throws {
        guard apply != nil || !skipMismatches else { throw ValidationError("--skip-mismatches requires --apply.") }
        guard (apply == nil) == (output == nil) else {
            throw ValidationError("--apply and --output require each other.")
        }
    }

    func run() throws {
        let nib = try NibFile(file).nib
        guard let apply, let output else {
            let entries = nib.texts.map { StringsFile.Entry($0, class: nib.runtimeClassName(of: $0.object)) }
            print(StringsFile(entries).text, terminator: "")
            return
        }
        guard nib.encoding != .designableXML else { throw NibCommandError.notCompiled(file) }
        let translations = try StringsFile(reading: try Self.text(apply))
        let problems = nib.problems(of: translations)
        for problem in problems { writeNote("\(apply): \(problem.description.printable)") }
        guard problems.isEmpty || skipMismatches else { throw NibCommandError.mismatches(apply, count: problems.count) }
        let skipped = Set(problems.map(\.key))
        let fitting = translations.entries.filter { !skipped.contains($0.key) }
        let translated = nib.replacingTexts(Dictionary(fitting.map { ($0.key, $0.text) }) { first, _ in first })
        try NibFile.write(translated.nibArchive, to: output)
    }

    /// Returns the text of a `.strings` file, which Xcode writes in UTF-8 and older versions wrote in UTF-16.
    private static func text(_ path: String) throws -> String {
        let data = try NibFile.data(path)
        let isUTF16 = data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE])
        guard let text = String(data: data, encoding: isUTF16 ? .utf16 : .utf8) else {
            throw NibCommandError.notText(path)
        }
        return text
    }
}
