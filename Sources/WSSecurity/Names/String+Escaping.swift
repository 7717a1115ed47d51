// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension String {
    /// As it stands in a text or an attribute.
    var xmlText: String {
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

extension [UInt8] {
    /// In base64, in one line.
    var base64: String { Data(self).base64EncodedString() }
}

extension [UInt8] {
    /// Decodes base64 that white space may divide; `nil` where it holds anything else.
    init?(base64 text: String) {
        let spaces: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
        guard let data = Data(base64Encoded: Data(text.utf8.filter { !spaces.contains($0) })) else { return nil }
        self.init(data)
    }
}
