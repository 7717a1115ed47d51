// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Refuses a text whose collections could be nested more deeply than the stack holds, before a parser that recurses sees it.
///
/// It knows less than a parser, and errs on one side only. A flow collection whose brackets match, with none in a comment or in
/// quotes and every quotation mark where a value begins, leaves a parser no deeper than it was, whatever state the parser
/// began it in: from the first bracket that counts for the parser on, both read alike. Such text costs nothing. Every opening
/// bracket of other text counts as if it were never closed. Block collections are bounded by how far in they begin.
struct NestingCheck {
    /// How many flow collections, and how many columns, there may be within each other.
    static let limit = 64

    /// How many flow collections a parser may have found within each other, at most.
    private(set) var bound = 0
    private(set) var line = 1
    private(set) var column = 0
    /// Brackets that may never be closed.
    private var debt = 0
    private var depth = 0
    private var openings = 0
    private var isClean = true
    private var quote: Unicode.Scalar?
    private var isEscaped = false
    private var isComment = false
    private var isIndentation = true
    /// The last two scalars outside quotes, and the last that is not blank.
    private var previous: Unicode.Scalar = "\n"
    private var before: Unicode.Scalar = "\n"

    /// - Returns: Whether a parser may go on.
    mutating func read(_ scalar: Unicode.Scalar) -> Bool {
        column += 1
        guard !scalar.isLineBreak else { return endLine(scalar) }
        if isIndentation, !scalar.isBlank {
            isIndentation = "-?:".unicodeScalars.contains(scalar)
            guard column <= Self.limit || scalar == "#" else { return false }
        }
        if quote != nil {
            readQuoted(scalar)
        } else if isComment {
            if scalar.isBracket { count(scalar) }
        } else {
            readPlain(scalar)
        }
        previous = scalar
        bound = max(bound, debt + (isClean ? depth : openings))
        return bound <= Self.limit
    }

    private mutating func endLine(_ scalar: Unicode.Scalar) -> Bool {
        if quote != nil { isClean = false }
        (quote, isEscaped, isComment, isIndentation) = (nil, false, false, true)
        if !(scalar == "\n" && previous == "\r") { line += 1 }
        column = 0
        previous = scalar
        if depth == 0 || !isClean {
            if !isClean { debt += openings }
            (depth, openings, isClean) = (0, 0, true)
        }
        return debt <= Self.limit
    }

    private mutating func readPlain(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "#" where previous.isBlank: isComment = true
        case "#" where !previous.properties.isAlphabetic: isClean = false
        case "\"", "'":
            let beginsValue = "[{,".unicodeScalars.contains(before) || before == ":" && previous != ":"
            if depth > 0, !beginsValue { isClean = false }
            quote = scalar
        case "[", "{":
            depth += 1
            openings += 1
        case "]", "}":
            depth -= 1
            if depth < 0 { (depth, isClean) = (0, false) }
        default: break
        }
        if !scalar.isBlank, !isComment { before = scalar }
    }

    private mutating func readQuoted(_ scalar: Unicode.Scalar) {
        if scalar.isBracket { count(scalar) }
        if isEscaped {
            isEscaped = false
        } else if scalar == "\\", quote == "\"" {
            isEscaped = true
        } else if scalar == quote {
            quote = nil
        }
    }

    /// Takes a bracket into account that is none if this is read as a parser reads it.
    private mutating func count(_ bracket: Unicode.Scalar) {
        isClean = false
        if bracket == "[" || bracket == "{" { openings += 1 }
    }
}

extension Unicode.Scalar {
    fileprivate var isBracket: Bool { "[]{}".unicodeScalars.contains(self) }

    fileprivate var isBlank: Bool { self == " " || self == "\t" || isLineBreak }

    /// As YAML 1.1 has them, which parsers still read.
    fileprivate var isLineBreak: Bool { "\n\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains(self) }
}
