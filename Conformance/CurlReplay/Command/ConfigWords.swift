// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A file of curl's options (`--config`): one a line, with or without dashes, the value after a blank, `=` or `:`.
struct ConfigWords {
    let words: [String]

    init(_ text: String) {
        words = text.split(whereSeparator: \.isNewline).map { String($0).trimmed }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }.flatMap(Self.words)
    }

    private static func words(of line: String) -> [String] {
        let name = line.prefix { !$0.isWhitespace && $0 != "=" && $0 != ":" }
        let option = name.hasPrefix("-") ? String(name) : "--" + name
        let rest = line.dropFirst(name.count).drop { $0.isWhitespace || $0 == "=" || $0 == ":" }
        guard let first = rest.first else { return [option] }
        return [option, first == "\"" ? quoted(rest.dropFirst()) : String(rest.prefix { !$0.isWhitespace })]
    }

    private static func quoted(_ text: Substring) -> String {
        var (value, rest) = ("", text)
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\", let escaped = rest.popFirst() else {
                value.append(character)
                continue
            }
            value.append(escapes[escaped] ?? escaped)
        }
        return value
    }

    private static let escapes: [Character: Character] = ["t": "\t", "n": "\n", "r": "\r", "v": "\u{0B}"]
}
