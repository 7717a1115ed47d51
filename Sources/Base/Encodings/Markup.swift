// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The position of a text in XML, which determines the characters to escape.
package enum XMLTextPosition: Sendable {
    case content, attribute
}

extension [UInt8] {
    /// Appends a text, replacing characters that are markup, or that a parser would normalize, with references.
    ///
    /// - Returns: The first character that XML 1.0 does not allow
    ///   (section 2.2); `nil` if the text was appended completely.
    package mutating func append(_ text: String, escapedIn position: XMLTextPosition) -> UInt32? {
        var text = text
        return text.withUTF8 { buffer in
            var start = 0
            for index in buffer.indices {
                let byte = buffer[index]
                if byte >= 0x20, !byte.mayNeedReference { continue }
                guard let reference = Self.reference(byte, in: position) else {
                    if let refused = Self.refused(buffer[index...]) { return refused }
                    continue
                }
                append(contentsOf: buffer[start..<index])
                append(contentsOf: reference.utf8)
                start = index + 1
            }
            append(contentsOf: buffer[start...])
            return nil
        }
    }

    private static func reference(_ byte: UInt8, in position: XMLTextPosition) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case 13: "&#13;"
        case UInt8(ascii: "\"") where position == .attribute: "&quot;"
        case 9 where position == .attribute: "&#9;"
        case 10 where position == .attribute: "&#10;"
        default: nil
        }
    }

    /// Returns the character at the start if XML does not allow it: a control character, U+FFFE or U+FFFF.
    private static func refused(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
        guard let first = bytes.first else { return nil }
        if first < 0x20 { return first == 9 || first == 10 ? nil : UInt32(first) }
        guard first == 0xEF, bytes.dropFirst().first == 0xBF, let last = bytes.dropFirst(2).first, last >= 0xBE else {
            return nil
        }
        return last == 0xBE ? 0xFFFE : 0xFFFF
    }
}

extension UInt8 {
    /// Whether the byte is a quotation mark, an ampersand, an angle bracket, or the first byte of U+FFFE.
    fileprivate var mayNeedReference: Bool {
        self == 0x22 || self == 0x26 || self == 0x3C || self == 0x3E || self == 0xEF
    }
}

extension String {
    /// Returns the text escaped for XML; a character that XML 1.0 does not allow is replaced by U+FFFD.
    package func escapedForXML(in position: XMLTextPosition = .content) -> String {
        var bytes: [UInt8] = []
        guard bytes.append(self, escapedIn: position) != nil else { return String(decoding: bytes, as: UTF8.self) }
        let scalars = unicodeScalars.map { String($0).firstCharacterOutsideXML == nil ? $0 : "\u{FFFD}" }
        return String(String.UnicodeScalarView(scalars)).escapedForXML(in: position)
    }

    /// The first character that XML 1.0 does not allow (section 2.2); `nil` if there is none.
    package var firstCharacterOutsideXML: UInt32? {
        var written: [UInt8] = []
        return written.append(self, escapedIn: .content)
    }

    /// The text escaped for HTML text and attributes, scalar by scalar.
    ///
    /// As a Swift character, a quotation mark with a combining
    /// accent would not be escaped, but it would end an attribute.
    package var escapedForHTML: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
