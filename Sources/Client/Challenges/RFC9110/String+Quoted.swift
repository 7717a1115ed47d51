// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension String {
    /// As a quoted-string (RFC 9110 section 5.6.4).
    var quotedForField: String {
        var text = ""
        text.append(quoting: self)
        return text
    }

    /// Appends a text as a quoted-string; control characters must not be in it.
    mutating func append(quoting text: String) {
        self += "\""
        if text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") }) {
            for scalar in text.unicodeScalars {
                if scalar == "\\" || scalar == "\"" { self += "\\" }
                unicodeScalars.append(scalar)
            }
        } else {
            self += text
        }
        self += "\""
    }
}
