// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A translation file in `.strings` format: `"key" = "text";` with comments.
public struct StringsFile: Hashable, Sendable {
    /// A key with its text.
    public struct Entry: Hashable, Sendable {
        /// The key that identifies the text.
        public let key: String
        /// The text.
        public let text: String
        /// The comment before the entry, for the translator; empty if there is none.
        public let comment: String

        /// Creates an entry from a key, a text and a comment.
        public init(key: String, text: String, comment: String = "") {
            (self.key, self.text, self.comment) = (key, text, comment)
        }
    }

    /// The texts, in the order of the file.
    public let entries: [Entry]

    /// Creates a file from its entries.
    public init(_ entries: [Entry]) { self.entries = entries }

    /// The contents of the file, in the format that ``init(reading:)`` reads.
    public var text: String {
        entries.map { entry in
            // A comment ends at the first `*/`; the backslash has no effect within the quoted text.
            let comment = entry.comment.replacing("*/", with: "*\\/")
            return (comment.isEmpty ? "" : "/* \(comment) */\n")
                + "\"\(Self.escaped(entry.key))\" = \"\(Self.escaped(entry.text))\";\n"
        }.joined(separator: "\n")
    }

    fileprivate static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension StringsFile {
    /// Parses the contents of a file.
    ///
    /// - Parameter text: The contents, with or without a byte order mark.
    /// - Throws: ``StringsFileError/malformed(line:)`` with the line number.
    public init(reading text: String) throws(StringsFileError) {
        var reader = StringsReader(text)
        self.init(try reader.entries())
    }
}

extension StringsFile.Entry {
    /// Creates an entry for a text of an interface, with a comment in ibtool's format:
    /// `Class = "NSButtonCell"; NSContents = "Save";`.
    public init(_ text: NibText, class name: String) {
        self.init(
            key: text.identifier, text: text.text,
            comment: "Class = \"\(name)\"; \(text.key) = \"\(StringsFile.escaped(text.text))\";")
    }

    /// The original text in the interface, if the comment has ibtool's format; `nil` otherwise.
    public var original: String? {
        var reader = StringsReader(comment)
        while let (name, value) = reader.field() {
            if !["Class", "ObjectID", "Note"].contains(name) { return value }
        }
        return nil
    }
}

/// Reads the tokens of a translation file.
private struct StringsReader {
    private var rest: Substring.UnicodeScalarView
    private var line = 1
    /// The most recent `/* */` comment.
    private var comment = ""

    init(_ text: String) { rest = text.unicodeScalars.drop { $0 == "\u{FEFF}" } }

    mutating func entries() throws(StringsFileError) -> [StringsFile.Entry] {
        var entries: [StringsFile.Entry] = []
        while true {
            comment = ""
            try skipSpace()
            guard !rest.isEmpty else { return entries }
            let comment = comment
            let key = try quoted()
            try expect("=")
            try skipSpace()
            let text = try quoted()
            try expect(";")
            entries.append(StringsFile.Entry(key: key, text: text, comment: comment))
        }
    }

    /// Parses a field `name = "value";` of a comment; returns `nil` if there is none.
    mutating func field() -> (name: String, value: String)? {
        do {
            try skipSpace()
            let name = rest.prefix { $0 != "=" && !$0.properties.isWhitespace }
            guard !name.isEmpty else { return nil }
            rest = rest.dropFirst(name.count)
            try expect("=")
            try skipSpace()
            let value = try quoted()
            try expect(";")
            return (String(name), value)
        } catch {
            return nil
        }
    }

    private mutating func expect(_ scalar: Unicode.Scalar) throws(StringsFileError) {
        try skipSpace()
        guard next() == scalar else { throw .malformed(line: line) }
    }

    private mutating func quoted() throws(StringsFileError) -> String {
        guard next() == "\"" else { throw .malformed(line: line) }
        var text = ""
        while let scalar = next() {
            switch scalar {
            case "\"": return text
            case "\\": text.unicodeScalars.append(try escape())
            default: text.unicodeScalars.append(scalar)
            }
        }
        throw .malformed(line: line)
    }

    private mutating func escape() throws(StringsFileError) -> Unicode.Scalar {
        switch next() {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "U", "u":
            let unit = try codeUnit()
            guard UTF16.isLeadSurrogate(unit) else {
                guard let scalar = Unicode.Scalar(unit) else { throw .malformed(line: line) }
                return scalar
            }
            // A surrogate pair of escapes encodes one character outside the Basic Multilingual Plane.
            guard next() == "\\", let letter = next(), "Uu".unicodeScalars.contains(letter) else {
                throw .malformed(line: line)
            }
            guard case let trail = try codeUnit(), UTF16.isTrailSurrogate(trail) else { throw .malformed(line: line) }
            return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
        case let scalar?: return scalar
        case nil: throw .malformed(line: line)
        }
    }

    /// Reads the four digits of an escape sequence.
    private mutating func codeUnit() throws(StringsFileError) -> UTF16.CodeUnit {
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit),
            let unit = UInt16(String(String.UnicodeScalarView(digits)), radix: 16)
        else { throw .malformed(line: line) }
        rest = rest.dropFirst(4)
        return unit
    }

    private mutating func skipSpace() throws(StringsFileError) {
        while let first = rest.first {
            if first.properties.isWhitespace {
                _ = next()
            } else if rest.starts(with: "//".unicodeScalars) {
                while let scalar = rest.first, scalar != "\n" { _ = next() }
            } else if rest.starts(with: "/*".unicodeScalars) {
                let start = line
                rest = rest.dropFirst(2)
                let text = rest
                while !rest.starts(with: "*/".unicodeScalars) {
                    guard next() != nil else { throw .malformed(line: start) }
                }
                comment = String(text[..<rest.startIndex]).trimmed
                rest = rest.dropFirst(2)
            } else {
                return
            }
        }
    }

    private mutating func next() -> Unicode.Scalar? {
        guard let scalar = rest.popFirst() else { return nil }
        if scalar == "\n" { line += 1 }
        return scalar
    }
}

extension String {
    /// The text without leading and trailing white space.
    fileprivate var trimmed: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        return String(String.UnicodeScalarView(scalars.reversed().drop { $0.properties.isWhitespace }.reversed()))
    }
}
