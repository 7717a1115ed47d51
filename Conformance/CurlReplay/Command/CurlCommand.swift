// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A call of curl, as a sequence of operations.
struct CurlCommand: Sendable {
    private(set) var operations: [CurlOperation] = []
    /// The file that the command redirects to standard input, instead of the test's own input.
    private(set) var standardInputPath: String?

    /// - Parameters:
    ///   - line: The command line without the name of the program.
    ///   - read: Returns the content of a file that an option names.
    init(_ line: String, read: @escaping (String) -> [UInt8]?) {
        var words = ShellWords(line).words[...]
        var parser = OptionParser(read: read)
        while let word = words.popFirst() {
            switch word {
            case "--next", "-:":
                operations.append(parser.finish())
            case "--config", "-K":
                let file = words.popFirst().flatMap(read) ?? []
                words = (ConfigWords(String(decoding: file, as: UTF8.self)).words + words)[...]
            case "<":
                standardInputPath = words.popFirst()
            case _ where word.hasPrefix("--"):
                parser.parse(long: word.dropFirst(2), &words)
            case _ where word.hasPrefix("-") && word.count > 1:
                parser.parse(short: word.dropFirst(), &words)
            default:
                parser.take(url: word)
            }
        }
        operations.append(parser.finish())
    }
}

/// The arguments of a command line, split as by a Unix shell.
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

/// The arguments in a file of curl's options (`--config`).
///
/// Each line has an option, with or without dashes, and its value after a blank, `=` or `:`.
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
