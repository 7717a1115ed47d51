// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

/// A recorded shell session, in the format that `README.md` in this folder describes.
struct Transcript {
    enum Step {
        case server(name: String, options: Set<Substring>, replies: [[String]])
        case lab
        case file(name: String, mode: Int, lines: [String])
        case run(Command)
        case received(name: String, lines: [String], line: Int)
    }

    /// A command and its expected output.
    struct Command {
        let text: String
        /// The line number in the file, for messages.
        let line: Int
        var output: [String] = []
        var errors: [String] = []
        var status: Int32 = 0
    }

    /// A line that is not valid in a transcript.
    struct SyntaxError: Error {
        let line: Int
        let text: String
    }

    let steps: [Step]

    init(_ text: String) throws {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
            ($0 + 1, String($1))
        }[...]
        var steps: [Step] = []
        while let (number, line) = lines.popFirst() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            let words = line.split(separator: " ")
            switch words.first {
            case "server" where words.count > 1:
                let replies = Self.indented(&lines).split(separator: "---", omittingEmptySubsequences: false).map(
                    Array.init)
                steps.append(.server(name: String(words[1]), options: Set(words.dropFirst(2)), replies: replies))
            case "lab" where words.count == 1:
                steps.append(.lab)
            case "file" where words.count > 1:
                let mode = words.count > 2 ? Int(words[2], radix: 8) : 0o644
                guard let mode else { throw SyntaxError(line: number, text: line) }
                steps.append(.file(name: String(words[1]), mode: mode, lines: Self.indented(&lines)))
            case "$":
                steps.append(.run(try Self.command(String(line.dropFirst(2)), at: number, &lines)))
            case "received" where words.count == 2:
                steps.append(.received(name: String(words[1]), lines: Self.indented(&lines), line: number))
            default:
                throw SyntaxError(line: number, text: line)
            }
        }
        self.steps = steps
    }

    /// Removes and returns the lines that begin with two spaces, with empty lines between them.
    private static func indented(_ lines: inout ArraySlice<(Int, String)>) -> [String] {
        var taken: [String] = []
        while let (_, line) = lines.first, line.isEmpty || line.hasPrefix("  ") {
            taken.append(String(line.dropFirst(2)))
            lines.removeFirst()
        }
        while taken.last == "" { taken.removeLast() }
        return taken
    }

    private static func command(
        _ text: String, at number: Int, _ lines: inout ArraySlice<(Int, String)>
    ) throws -> Command {
        var command = Command(text: text, line: number)
        while let (number, line) = lines.first, let mark = line.first, ">!?".contains(mark) {
            let rest = String(line.dropFirst(2))
            switch mark {
            case ">": command.output.append(rest)
            case "!": command.errors.append(rest)
            default:
                guard let status = Int32(rest) else { throw SyntaxError(line: number, text: line) }
                command.status = status
            }
            lines.removeFirst()
        }
        return command
    }
}

/// A comparison of lines with a pattern, in which `...` stands for any text, or alone on a line for any lines.
enum LinePattern {
    static func matches(_ lines: ArraySlice<String>, _ pattern: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return lines.isEmpty }
        if first == "..." {
            return (lines.startIndex...lines.endIndex).contains { matches(lines[$0...], pattern.dropFirst()) }
        }
        guard let line = lines.first, matches(line, first) else { return false }
        return matches(lines.dropFirst(), pattern.dropFirst())
    }

    private static func matches(_ line: String, _ pattern: String) -> Bool {
        let parts = pattern.components(separatedBy: "...")
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return line == pattern }
        guard line.utf8.count >= first.utf8.count + last.utf8.count, line.hasPrefix(first), line.hasSuffix(last) else {
            return false
        }
        var rest = line.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
