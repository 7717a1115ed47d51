// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import NIOConcurrencyHelpers

/// Makes bytes from outside safe to show on a terminal, part by part.
package final class TerminalText: Sendable {
    /// The beginning of a character whose end is in the next part; at most 3 bytes.
    private let pending = NIOLockedValueBox<[UInt8]>([])

    /// Returns the text of a part, with characters that are not printable escaped.
    ///
    /// - Throws: ``CommandError`` for bytes that are not UTF-8, and for control characters but tabs, line breaks and form feeds: these are
    ///   the contents of a binary file, or commands to the terminal.
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

    /// How many bytes at the end are the beginning of a character that is not complete.
    private static func incompleteCount(at bytes: [UInt8]) -> Int {
        for (count, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte > 0xF4 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return count + 1 < length ? count + 1 : 0
        }
        return 0
    }
}

/// The colours of text on a terminal; ``Console/usesColor`` tells whether they are used.
package enum Ink: String {
    case red = "\u{1B}[31m"
    case green = "\u{1B}[32m"
    case yellow = "\u{1B}[33m"

    private static let end = "\u{1B}[0m"

    package func paint(_ text: String) -> String { rawValue + text + Self.end }

    /// The lines of a text that was painted, with all else that is not printable escaped.
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

/// Rows of cells in columns.
package struct TextTable {
    /// The first row has as many as every other.
    private let cells: [[String]]

    package init(cells: [[String]]) { self.cells = cells }

    /// The rows, cut to so many characters.
    package func lines(within limit: Int) -> [String] {
        let widths = widths(within: limit)
        return cells.map { row in
            zip(row, widths).map { $0.column($1) }.joined(separator: "  ")
        }
    }

    /// What every column gets: as much as its longest cell, the widest giving way where there is not room for all.
    private func widths(within limit: Int) -> [Int] {
        var widths = (cells.first ?? []).indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        while widths.reduce(0, +) + 2 * (widths.count - 1) > limit, let widest = widths.max(), widest > 6 {
            widths[widths.firstIndex(of: widest) ?? 0] -= 1
        }
        return widths
    }
}

extension String {
    /// The text in exactly so many columns.
    package func column(_ width: Int) -> String {
        count <= width ? self + String(repeating: " ", count: width - count) : prefix(max(width - 1, 0)) + "…"
    }

    /// The text without spaces at its end.
    package var trimmingTrailingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}
