// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Times as messages write them: in UTC, with milliseconds.
enum SecurityTime {
    static func text(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Reads a time with a zone, and with or without a fraction; `nil` where it is something else.
    static func date(_ text: String) -> Date? {
        let text = text.drop(while: \.isXMLSpace)
        let end = text.lastIndex { !$0.isXMLSpace }.map { text.index(after: $0) } ?? text.startIndex
        let value = String(text[..<end])
        guard value.utf8.count <= 40, value.utf8.count >= 20 else { return nil }
        if let point = value.firstIndex(of: ".") {
            // Fractions of any length count; the format reads three digits.
            let digits = value[value.index(after: point)...].prefix { ("0"..."9").contains($0) }
            guard let fraction = Double("0.\(digits)"), !digits.isEmpty else { return nil }
            return whole(String(value[..<point] + value[digits.endIndex...])).map { $0 + fraction }
        }
        return whole(value)
    }

    private static func whole(_ value: String) -> Date? {
        try? Date(value, strategy: Date.ISO8601FormatStyle())
    }
}

extension Character {
    /// White space as XML has it.
    fileprivate var isXMLSpace: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" || self == "\r\n" }
}
