// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Writes source with the lines that swift-format would write: 120 columns, 4 spaces.
struct SourceWriter {
    private(set) var text = ""
    private var depth = 0
    /// Whether the last line opened a block or nothing is written, so that no empty line follows.
    private var isAtStart = true

    static let columns = 120

    /// An empty line, unless a block has just begun.
    mutating func blank() { if !isAtStart { text += "\n" } }

    mutating func line(_ line: String) {
        indent(depth)
        text += line
        text += "\n"
        isAtStart = false
    }

    /// A line that begins a block.
    mutating func open(_ line: String) {
        self.line(line)
        depth += 1
        isAtStart = true
    }

    /// The end of a block.
    mutating func close(_ line: String = "}") {
        depth -= 1
        self.line(line)
    }

    /// The end of a block that no line ends, as of a case.
    mutating func outdent() { depth -= 1 }

    /// A block on one line where it has room there, and else on three.
    mutating func block(_ head: String, _ body: String) {
        let line = "\(head) { \(body) }"
        guard !fits(line) else { return self.line(line) }
        open(head + " {")
        self.line(body)
        close()
    }

    /// A call, or the head of a function, with each argument on a line where all do not fit on one.
    mutating func list(_ head: String, _ arguments: [String], _ tail: String, opens: Bool = false) {
        let line = head + arguments.joined(separator: ", ") + tail
        if arguments.isEmpty || fits(line) {
            opens ? open(line) : self.line(line)
            return
        }
        self.line(head)
        depth += 1
        for (index, argument) in arguments.enumerated() {
            self.line(index + 1 < arguments.count ? argument + "," : argument)
        }
        depth -= 1
        opens ? open(tail) : self.line(tail)
    }

    /// Whether a line fits at the current depth.
    func fits(_ line: String) -> Bool {
        let room = Self.columns - depth * 4
        // Most lines have as many characters as bytes.
        return line.utf8.count <= room || line.count <= room
    }

    private mutating func indent(_ depth: Int) {
        for _ in 0..<depth { text += "    " }
    }

    /// A comment of one paragraph a text, of which the first is a single sentence.
    mutating func comment(_ paragraphs: [String]) {
        for (index, paragraph) in paragraphs.enumerated() {
            if index > 0 { line("///") }
            for text in Self.wrapped(paragraph, columns: Self.columns - depth * 4 - 4) { line("/// " + text) }
        }
    }

    private static func wrapped(_ paragraph: String, columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var length = 0
        for word in paragraph.split(separator: " ") {
            let count = word.utf8.count
            // A word that markup begins with stays on the line before.
            if length > 0, length + 1 + count > columns, !isMarkup(word) {
                lines.append(line)
                (line, length) = ("", 0)
            }
            if length > 0 {
                line += " "
                length += 1
            }
            if length == 0, isMarkup(word) {
                line += "\\"
                length += 1
            }
            line += word
            length += count
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }

    /// Whether a line that begins with the word would be a list's item, a heading or a quotation.
    private static func isMarkup(_ word: Substring) -> Bool {
        guard let first = word.utf8.first else { return false }
        switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: ">"), UInt8(ascii: "="),
            UInt8(ascii: "|"):
            return true
        default: return false
        }
    }
}
