// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
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
