// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust

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
