// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A command line, taken apart as a Unix shell does it.
struct ShellWords {
    private(set) var words: [String] = []
    private var current: String?

    init(_ line: String) {
        var rest = line[...]
        while let character = rest.popFirst() {
            switch character {
            case "'":
                current = (current ?? "") + rest.prefix { $0 != "'" }
                rest = rest.drop { $0 != "'" }.dropFirst()
            case "\"": quoted(&rest)
            case "\\": current = (current ?? "") + (rest.popFirst().map(String.init) ?? "")
            case _ where character.isWhitespace || character.isNewline: endWord()
            default: current = (current ?? "") + String(character)
            }
        }
        endWord()
    }

    private mutating func quoted(_ rest: inout Substring) {
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let next = rest.first, "\"\\$`".contains(next) {
                text.append(rest.removeFirst())
            } else {
                text.append(character)
            }
        }
        current = (current ?? "") + text
    }

    private mutating func endWord() {
        if let current { words.append(current) }
        current = nil
    }
}
