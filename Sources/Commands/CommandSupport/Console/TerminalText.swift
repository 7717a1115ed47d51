// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import NIOConcurrencyHelpers

/// Makes external bytes safe to show on a terminal, chunk by chunk.
package final class TerminalText: Sendable {
    private struct State {
        /// The beginning of a character that continues in the next chunk; at most 3 bytes.
        var pending: [UInt8] = []
        /// Whether a character of several bytes occurred, so that the text is UTF-8.
        var isUTF8 = false
        /// Whether the text has the other encoding.
        var isSingleByte = false
    }

    private let state = NIOLockedValueBox(State())
    private let other: SingleByteEncoding?
    private let charset: String?
    private let noteEncoding: @Sendable (SingleByteEncoding) -> Void

    /// Creates the decoder of a text.
    ///
    /// - Parameters:
    ///   - other: The encoding of a text that is not UTF-8; `nil` if such bytes are an error.
    ///   - charset: The charset that the error names; `nil` for none.
    ///   - noteEncoding: Receives the encoding before the first text in it.
    package init(
        or other: SingleByteEncoding? = nil, charset: String? = nil,
        noteEncoding: @escaping @Sendable (SingleByteEncoding) -> Void = { _ in }
    ) {
        (self.other, self.charset, self.noteEncoding) = (other, charset, noteEncoding)
    }

    /// Returns the text of a chunk, with characters that are not printable escaped.
    ///
    /// Invalid bytes after a character of several bytes are shown as U+FFFD.
    ///
    /// - Parameters:
    ///   - part: The bytes.
    ///   - isLast: Whether no chunk follows, so that no character is incomplete.
    /// - Returns: The text.
    /// - Throws: ``CommandError`` for bytes that are not UTF-8 if there is no other encoding, and for control characters
    ///   other than tabs, line breaks and form feeds: these are the contents of a binary file, or terminal commands.
    package func text(of part: [UInt8], isLast: Bool = false) throws -> String {
        var isNew = false
        let scalars = try state.withLockedValue { state -> [Unicode.Scalar] in
            let bytes = state.pending + part
            if let other, state.isSingleByte { return bytes.map(other.scalar(of:)) }
            state.pending = isLast ? [] : Array(bytes.suffix(Self.incompleteCount(at: bytes)))
            let complete = bytes.dropLast(state.pending.count)
            let (scalars, isValid) = Self.decoded(complete)
            state.isUTF8 = state.isUTF8 || !scalars.allSatisfy(\.isASCII)
            if isValid { return scalars }
            guard let other else { throw CommandError.notText(charset: charset) }
            if state.isUTF8 { return Array(String(decoding: complete, as: UTF8.self).unicodeScalars) }
            (state.pending, state.isSingleByte, isNew) = ([], true, true)
            return bytes.map(other.scalar(of:))
        }
        var text = String.UnicodeScalarView()
        for scalar in scalars { text += try shown(scalar) }
        if isNew, let other { noteEncoding(other) }
        return String(text)
    }

    /// Decodes UTF-8 up to the first invalid byte.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> (scalars: [Unicode.Scalar], isValid: Bool) {
        var (decoder, iterator, scalars) = (UTF8(), bytes.makeIterator(), [Unicode.Scalar]())
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): scalars.append(scalar)
            case .emptyInput: return (scalars, true)
            case .error: return (scalars, false)
            }
        }
    }

    private func shown(_ scalar: Unicode.Scalar) throws -> String.UnicodeScalarView {
        if scalar.isPrintable || "\t\n\u{C}\r".unicodeScalars.contains(scalar) { return .init([scalar]) }
        guard scalar.properties.generalCategory != .control else { throw CommandError.notText(charset: charset) }
        return String(scalar).printable.unicodeScalars
    }

    /// Returns the number of bytes at the end that begin an incomplete character.
    private static func incompleteCount(at bytes: [UInt8]) -> Int {
        for (count, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte > 0xF4 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return count + 1 < length ? count + 1 : 0
        }
        return 0
    }
}

/// An encoding with one byte for each character.
package enum SingleByteEncoding: String, Sendable {
    /// ISO-8859-1 with characters for the bytes 0x80 to 0x9F, as browsers decode it (WHATWG Encoding, section 4.2).
    case windows1252 = "windows-1252"
    case latin9 = "ISO-8859-15"

    /// Makes the encoding of a text that is not UTF-8, although its charset may claim that; `nil` for other charsets.
    ///
    /// - Parameter charset: The charset in lower case; `nil` if none is stated.
    package init?(charset: String?) {
        switch charset ?? "" {
        case "iso-8859-15", "iso8859-15", "iso_8859-15", "latin9", "latin-9": self = .latin9
        case "", "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1",
            "windows-1252", "cp1252":
            self = .windows1252
        case let name where !name.utf8.allSatisfy({ Self.nameCharacters.contains($0) }): self = .windows1252
        default: return nil
        }
    }

    /// Returns the character of a byte; a control character if the encoding has none.
    func scalar(of byte: UInt8) -> Unicode.Scalar {
        switch (self, byte) {
        case (.windows1252, 0x80...0x9F): Self.windowsCharacters[Int(byte) - 0x80]
        case (.latin9, _): Self.latin9Characters[byte] ?? Unicode.Scalar(byte)
        default: Unicode.Scalar(byte)
        }
    }

    /// The characters in the names of charsets in lower case, without some that shells interpret (RFC 2978 section 2.3).
    private static let nameCharacters = Set("abcdefghijklmnopqrstuvwxyz0123456789-_.:+".utf8)
    private static let windowsCharacters = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
    private static let latin9Characters: [UInt8: Unicode.Scalar] = [
        0xA4: "€", 0xA6: "Š", 0xA8: "š", 0xB4: "Ž", 0xB8: "ž", 0xBC: "Œ", 0xBD: "œ", 0xBE: "Ÿ",
    ]
}

/// The colours of text on a terminal, which are used if ``Console/usesColor`` is `true`.
package enum Ink: String {
    case red = "\u{1B}[31m"
    case green = "\u{1B}[32m"
    case yellow = "\u{1B}[33m"

    private static let end = "\u{1B}[0m"

    package func paint(_ text: String) -> String { rawValue + text + Self.end }

    /// Returns a text in which its colour sequences are unchanged, and all other unprintable characters are escaped.
    package static func printableLines(_ text: String) -> String {
        let codes = [red, green, yellow].map(\.rawValue) + [end]
        var rest = text[...]
        var result = ""
        while let escape = rest.unicodeScalars.firstIndex(of: "\u{1B}") {
            result += String(rest[..<escape]).printableLines
            rest = rest[escape...]
            let code = codes.first { rest.unicodeScalars.starts(with: $0.unicodeScalars) }
            result += code ?? "\\u{1b}"
            rest = rest[rest.unicodeScalars.index(escape, offsetBy: code?.unicodeScalars.count ?? 1)...]
        }
        return result + String(rest).printableLines
    }
}

/// A table of text cells.
package struct TextTable {
    /// The cells; all rows have the same number.
    private let cells: [[String]]

    package init(cells: [[String]]) { self.cells = cells }

    /// Returns the rows, truncated to a number of characters.
    package func lines(within limit: Int) -> [String] {
        let widths = widths(within: limit)
        return cells.map { row in
            zip(row, widths).map { $0.column($1) }.joined(separator: "  ")
        }
    }

    /// Returns the width of every column: that of its longest cell, with the widest columns reduced if the limit is
    /// exceeded.
    private func widths(within limit: Int) -> [Int] {
        var widths = (cells.first ?? []).indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        while widths.reduce(0, +) + 2 * (widths.count - 1) > limit, let widest = widths.max(), widest > 6 {
            widths[widths.firstIndex(of: widest) ?? 0] -= 1
        }
        return widths
    }
}

extension String {
    /// Returns the text padded or truncated to a number of columns.
    package func column(_ width: Int) -> String {
        count <= width ? self + String(repeating: " ", count: width - count) : prefix(max(width - 1, 0)) + "…"
    }

    /// The text without spaces at its end.
    package var trimmingTrailingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}
