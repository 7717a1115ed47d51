// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension String {
    /// As it stands in a text or an attribute.
    package var xmlEscaped: String {
        var text = ""
        for character in unicodeScalars {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\r": text += "&#13;"
            case "\n": text += "&#10;"
            case "\t": text += "&#9;"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
