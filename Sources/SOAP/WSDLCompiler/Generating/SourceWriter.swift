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

    /// A member after an empty line, with a comment; it begins a block.
    mutating func open(_ line: String, comment text: String) {
        blank()
        comment([text])
        open(line)
    }

    /// The end of a block.
    mutating func close(_ line: String = "}") {
        depth -= 1
        self.line(line)
    }

    /// The end of a block that no line ends, as of a case.
    mutating func outdent() { depth -= 1 }

    /// The head of a function, with each parameter on a line where all do not fit on one; it begins a block.
    mutating func open(_ head: String, parameters: [String], _ tail: String) {
        let line = head + parameters.joined(separator: ", ") + tail
        if parameters.isEmpty || fits(line) { return open(line) }
        open(head)
        for (index, parameter) in parameters.enumerated() {
            self.line(index + 1 < parameters.count ? parameter + "," : parameter)
        }
        depth -= 1
        open(tail)
    }

    /// A statement, on several lines where it does not fit on one.
    mutating func statement(_ head: String = "", _ expression: SourceExpression, _ tail: String = "") {
        let line = head + expression.flat + tail
        if fits(line) { return self.line(line) }
        switch expression {
        case .labelled(let label, let value): statement(head + label + ": ", value, tail)
        case .call(let function, let arguments) where !arguments.isEmpty:
            open(head + function + "(")
            for (index, argument) in arguments.enumerated() {
                statement(argument, index + 1 < arguments.count ? "," : "")
            }
            close(")" + tail)
        case .array(let items) where !items.isEmpty:
            open(head + "[")
            // A list of one has no comma.
            for item in items { statement(item, items.count == 1 ? "" : ",") }
            close("]" + tail)
        case .text(let text) where head.hasSuffix(": ") || head.hasSuffix("= "):
            open(String(head.dropLast()))
            self.line(text + tail)
            depth -= 1
        default: self.line(line)
        }
    }

    private mutating func statement(_ expression: SourceExpression, _ tail: String) { statement("", expression, tail) }

    /// A call of a generic initializer whose generic arguments do not fit on the line.
    mutating func generic(_ head: String, _ parameters: String, _ arguments: [SourceExpression]) {
        open(head + "<")
        line(parameters)
        depth -= 1
        open(">(")
        for (index, argument) in arguments.enumerated() {
            statement(argument, index + 1 < arguments.count ? "," : "")
        }
        close(")")
    }

    /// A statement that is one in a block, on one line where it has room there.
    mutating func block(_ head: String, _ body: SourceExpression) {
        let line = "\(head) { \(body.flat) }"
        guard !fits(line) else { return self.line(line) }
        open(head + " {")
        statement(body, "")
        close()
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
        // Any line break in the text would end the comment.
        for word in paragraph.split(whereSeparator: \.isWhitespace) {
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
        case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: ">"),
            UInt8(ascii: "="),
            UInt8(ascii: "|"):
            return true
        default: return false
        }
    }
}
