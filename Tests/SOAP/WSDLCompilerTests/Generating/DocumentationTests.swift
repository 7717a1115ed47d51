// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import WSDLCompiler

@Suite struct DocumentationTests {
    @Test(
        "The first sentence is a paragraph, and ends with a full stop",
        arguments: [
            ("One. Two. Three", ["One.", "Two. Three"]), ("no stop", ["no stop."]), ("Values:", ["Values."]),
            ("See e.g. this one. And that", ["See for example this one.", "And that"]), ("  \n ", []),
            ("One\n  line.\n\n  Another\n\n", ["One line.", "Another"]), ("Really? Yes", ["Really.", "Yes"]),
            ("Version 1.0 of it", ["Version 1.0 of it."]),
        ])
    func paragraphs(text: String, expected: [String]) {
        #expect(Documentation.paragraphs(text) == expected)
    }

    @Test("Lines are wrapped at 120 columns, and no line begins with a list marker")
    func wrapping() {
        var source = SourceWriter()
        source.open("struct T {")
        source.comment([String(repeating: "word ", count: 60), "- item", String(repeating: "x ", count: 55) + "- y"])
        let lines = source.text.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.count <= 120 })
        #expect(lines.contains("    /// \\- item"))
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("    ///") && !$0.hasPrefix("    /// - ") })
    }

    @Test(
        "A line break in a text does not end the comment",
        arguments: ["\n", "\r", "\r\n", "\u{2028}", "\u{85}", "\u{B}"])
    func lineBreak(_ lineBreak: String) {
        var source = SourceWriter()
        source.comment(["one" + lineBreak + "import Glibc"])
        #expect(source.text == "/// one import Glibc\n")
    }
}
