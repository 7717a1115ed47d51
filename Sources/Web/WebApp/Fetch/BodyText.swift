// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations

/// A body as text, with what the page has to say of its reading.
struct BodyText {
    /// The printable text: each byte that cannot be read stands as `\x{e9}`, and each character that is not printable as `\u{9b}`.
    let text: String
    /// A remark on the bytes that could not be read; `nil` where all were read.
    let remark: String?

    /// - Parameters:
    ///   - bytes: The body, or its beginning.
    ///   - contentType: The value of `Content-Type`, which may name the charset.
    ///   - isCut: Whether more follows, so that the last character may be cut.
    init(_ bytes: [UInt8], _ contentType: String?, isCut: Bool) {
        let named = contentType.flatMap(MediaType.init(field:))?.charset
        let charset = Charset(named, bytes)
        let reading = charset ?? .utf8
        var read = reading.read(bytes)
        if isCut { read?.dropDividedCharacter(of: bytes.count) }
        let count = read?.unread.map(\.count).reduce(0, +) ?? 0
        var remarks: [String] = []
        if let named, charset == nil {
            remarks.append("Its charset \"\(named.printable)\" is not known here: it is shown as \(reading.name).")
        }
        if count > 0 {
            let words = count == 1 ? "1 byte is" : "\(count) bytes are"
            remarks.append("\(words) not \(reading.name), and shown as \\x{…} each.")
        }
        let text = read?.text ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        self.text = text.replacing("\r\n", with: "\n").printableLines
        remark = remarks.isEmpty ? nil : remarks.joined(separator: " ")
    }
}

/// A charset whose text is shown as it was sent (WHATWG Encoding).
private enum Charset {
    case utf8
    case utf16(isLittleEndian: Bool)
    /// ISO 8859-1, in which each byte is a character.
    case latin1

    var name: String { if case .utf16 = self { "UTF-16" } else { "UTF-8" } }

    /// - Returns: `nil` for a charset that is not read.
    init?(_ name: String?, _ bytes: [UInt8]) {
        // The byte order mark counts more than the name.
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            self = .utf16(isLittleEndian: bytes[0] == 0xFF)
            return
        }
        switch name {
        case nil, "utf-8", "utf8", "us-ascii", "ascii": self = .utf8
        case "utf-16le", "utf-16": self = .utf16(isLittleEndian: true)
        case "utf-16be": self = .utf16(isLittleEndian: false)
        case "iso-8859-1", "iso8859-1", "latin1": self = .latin1
        default: return nil
        }
    }

    /// - Returns: `nil` where each byte is a character.
    func read(_ bytes: [UInt8]) -> ReadText? {
        switch self {
        case .utf8: ReadText(utf8: bytes)
        case .utf16(let isLittleEndian): ReadText(utf16: bytes, isLittleEndian: isLittleEndian)
        case .latin1: nil
        }
    }
}
