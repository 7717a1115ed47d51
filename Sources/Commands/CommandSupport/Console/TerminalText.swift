// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import NIOConcurrencyHelpers

/// Makes external bytes safe to show on a terminal, chunk by chunk.
package final class TerminalText: Sendable {
    /// The beginning of a character that continues in the next chunk; at most 3 bytes.
    private let pending = NIOLockedValueBox<[UInt8]>([])

    /// Returns the text of a chunk, with characters that are not printable escaped.
    ///
    /// - Throws: ``CommandError`` for bytes that are not UTF-8, and for control characters other than tabs, line breaks
    ///   and form feeds: these are the contents of a binary file, or terminal commands.
    package func text(of part: [UInt8]) throws -> String {
        let bytes = pending.withLockedValue { pending in
            var bytes = pending + part
            pending = Array(bytes.suffix(Self.incompleteCount(at: bytes)))
            bytes.removeLast(pending.count)
            return bytes
        }
        var (decoder, iterator, text) = (UTF8(), bytes.makeIterator(), String.UnicodeScalarView())
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): text += try Self.shown(scalar)
            case .emptyInput: return String(text)
            case .error: throw CommandError.notText
            }
        }
    }

    private static func shown(_ scalar: Unicode.Scalar) throws -> String.UnicodeScalarView {
        if scalar.isPrintable || "\t\n\u{C}\r".unicodeScalars.contains(scalar) { return .init([scalar]) }
        guard scalar.properties.generalCategory != .control else { throw CommandError.notText }
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
