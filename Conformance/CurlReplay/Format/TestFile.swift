// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// A file of curl's test suite, split into its sections (curl's tests/FILEFORMAT.md).
struct TestFile: Sendable {
    /// The text between two tags, each of which is on a separate line.
    struct Section: Sendable {
        let name: String
        let attributes: [String: String]
        /// The content, with the line terminators that the attributes specify.
        let content: [UInt8]

        var text: String { String(decoding: content, as: UTF8.self) }
        /// The lines, except for empty lines and comments.
        var words: [String] {
            text.split(whereSeparator: \.isNewline).map { $0.trimmed }
                .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        }
    }

    private let sections: [String: [Section]]

    init(_ bytes: [UInt8], macros: Macros) {
        let lines = macros.expand(bytes).lines
        var (sections, outer, index) = ([String: [Section]](), "", lines.startIndex)
        while index < lines.endIndex {
            defer { index += 1 }
            guard let tag = Tag(lines[index]) else { continue }
            if outer.isEmpty {
                if Self.parts.contains(tag.name) { outer = tag.name }
            } else if tag.name == "/" + outer {
                outer = ""
            } else if !tag.name.hasPrefix("/") {
                guard let end = lines[index...].firstIndex(where: { Tag($0)?.name == "/" + tag.name }) else { continue }
                let content = lines[(index + 1)..<end].flatMap(\.self)
                sections[outer, default: []].append(Section(tag, content))
                index = end
            }
        }
        self.sections = sections
    }

    private static let parts: Set<String> = ["info", "reply", "client", "verify"]

    /// Returns the first section with a name.
    func section(_ name: String, in part: String) -> Section? {
        sections[part]?.first { $0.name == name }
    }

    /// Returns all sections whose name is this name and optionally a number.
    func sections(_ name: String, in part: String) -> [Section] {
        (sections[part] ?? []).filter {
            $0.name.hasPrefix(name) && $0.name.dropFirst(name.count).allSatisfy(\.isNumber)
        }
    }
}

extension TestFile.Section {
    fileprivate init(_ tag: TestFile.Tag, _ content: [UInt8]) {
        name = tag.name
        attributes = tag.attributes
        // Curl accepts heads whose lines end with LF alone; sessions
        // refuse them, which is not the subject of the comparison.
        let isServed = tag.name.hasPrefix("data") || tag.name.hasPrefix("connect")
        let endings = LineEndings(rawValue: tag.attributes["crlf"] ?? "") ?? (isServed ? .headers : .asWritten)
        var content = endings.apply(to: content)
        if tag.attributes["nonewline"] == "yes", content.last == UInt8(ascii: "\n") {
            content.removeLast()
            if content.last == UInt8(ascii: "\r") { content.removeLast() }
        }
        if tag.attributes["base64"] == "yes" {
            content = Data(base64Encoded: Data(content), options: .ignoreUnknownCharacters).map(Array.init) ?? []
        }
        self.content = content
    }
}

extension TestFile {
    /// A line that consists of a tag.
    fileprivate struct Tag {
        let name: String
        let attributes: [String: String]

        init?(_ line: ArraySlice<UInt8>) {
            let line = String(decoding: line, as: UTF8.self).trimmed
            guard line.hasPrefix("<"), line.hasSuffix(">"), !line.hasPrefix("<!"), !line.hasPrefix("<?") else {
                return nil
            }
            let words = line.dropFirst().dropLast().split(separator: " ", maxSplits: 1)
            guard let name = words.first else { return nil }
            self.name = String(name)
            var attributes: [String: String] = [:]
            for match in (words.count > 1 ? words[1] : "").matches(of: /([\w-]+)="([^"]*)"/) {
                attributes[String(match.1)] = String(match.2)
            }
            self.attributes = attributes
        }
    }
}

extension StringProtocol {
    /// The text without surrounding white space.
    var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}

/// The lines of a section that end with CR LF, according to its attribute `crlf`.
enum LineEndings: String {
    case asWritten = "no"
    case all = "yes"
    /// The lines of message heads.
    case headers

    func apply(to content: [UInt8]) -> [UInt8] {
        switch self {
        case .asWritten: return content
        case .all: return content.lines.flatMap(Self.terminate)
        case .headers:
            var isInHead = false
            return content.lines.flatMap { line in
                let text = String(decoding: line, as: UTF8.self)
                isInHead = Self.isHeadLine(text) || isInHead && text == "\n"
                defer { if text == "\n" { isInHead = false } }
                return isInHead ? Self.terminate(line) : Array(line)
            }
        }
    }

    /// Returns whether curl's test runner treats the line as a status line, a request line or a field.
    private static func isHeadLine(_ line: String) -> Bool {
        guard line.last == "\n" else { return false }
        let start = line.prefix { $0 != ":" && $0 != " " && $0 != "\n" }
        let rest = line.dropFirst(start.count)
        if rest.hasPrefix(": ") || rest.hasPrefix(":\n") {
            return !start.isEmpty && start != "curl" && start.utf8.allSatisfy(isNameByte)
        }
        let words = line.split { $0 == " " || $0.isNewline }
        return start.hasPrefix("HTTP/") || words.count > 2 && words[2].hasPrefix("HTTP/")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        return isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private static func terminate(_ line: ArraySlice<UInt8>) -> [UInt8] {
        guard line.last == UInt8(ascii: "\n") else { return Array(line) }
        return line.reversed().drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.reversed() + [13, 10]
    }
}
