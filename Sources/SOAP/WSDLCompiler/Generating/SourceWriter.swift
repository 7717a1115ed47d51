// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Writes Swift source, broken into lines as swift-format does: 120 columns, 4 spaces.
struct SourceWriter {
    private(set) var text = ""
    private var depth = 0
    /// Whether nothing is written yet or the last line opened a block, so that no empty line follows.
    private var isAtStart = true

    static let columns = 120

    /// Writes an empty line, unless a block has just been opened.
    mutating func blank() { if !isAtStart { text += "\n" } }

    mutating func line(_ line: String) {
        indent(depth)
        text += line
        text += "\n"
        isAtStart = false
    }

    /// Writes a line that opens a block.
    mutating func open(_ line: String) {
        self.line(line)
        depth += 1
        isAtStart = true
    }

    /// Writes an empty line, a comment, and a line that opens a block.
    mutating func open(_ line: String, comment text: String) {
        blank()
        comment([text])
        open(line)
    }

    /// Closes a block.
    mutating func close(_ line: String = "}") {
        depth -= 1
        self.line(line)
    }

    /// Ends a block without a closing line, such as that of a `case`.
    mutating func outdent() { depth -= 1 }

    /// Opens the block of a function, with each parameter on its own line if they do not all fit on one.
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

    /// Writes a statement, on several lines if it does not fit on one.
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
            // swift-format puts no comma after the only element of an array.
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

    /// Writes a call of a generic initializer whose generic arguments do not fit on the first line.
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

    /// Writes a block of one statement, on one line if it fits.
    mutating func block(_ head: String, _ body: SourceExpression) {
        let line = "\(head) { \(body.flat) }"
        guard !fits(line) else { return self.line(line) }
        open(head + " {")
        statement(body, "")
        close()
    }

    /// Returns whether a line fits at the current indentation.
    func fits(_ line: String) -> Bool {
        let availableColumns = Self.columns - depth * 4
        // Most lines are ASCII, and counting bytes is cheaper.
        return line.utf8.count <= availableColumns || line.count <= availableColumns
    }

    private mutating func indent(_ depth: Int) {
        for _ in 0..<depth { text += "    " }
    }

    /// Writes a comment with one paragraph for each text; the first must be a single sentence.
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
        // Words are split at line breaks too, because a line break in the text would end the comment.
        for word in paragraph.split(whereSeparator: \.isWhitespace) {
            let count = word.utf8.count
            // A word that starts Markdown markup must not start a line.
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

    /// Returns whether a line that starts with the word would be a Markdown list item, heading or quotation.
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
