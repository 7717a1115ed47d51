// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The beginning of a server's text in an error.
///
/// A server may repeat a request with its secrets. The rules hide too much rather than too little: the value after
/// every name that looks secret, and every long word of letters and digits, which may be a token.
extension Redaction {
    /// The maximum number of characters of an excerpt.
    static let excerptLimit = 200

    /// The replacement for a tag of HTML, so that a value in another cell than its name is recognized.
    private static let tag: Character = "\u{1E}"
    private static let spaces: Set<Character> = [" ", "\t", "\n", "\r", "\r\n"]
    private static let separators: Set<Character> = [":", "=", ">", tag]
    private static let gaps = spaces.union(separators).union(["\"", "'", "\\", "|"])

    private static let textTypes = ["text/", "application/json", "application/xml"]
    private static let textSuffixes = ["+json", "+xml"]

    /// Returns the first characters of a text body as one line, without the values that look secret.
    ///
    /// - Parameters:
    ///   - body: The beginning of the body.
    ///   - contentType: The value of `Content-Type`.
    /// - Returns: `nil` if the body is empty, or is not text.
    static func excerpt(of body: [UInt8], _ contentType: String?) -> String? {
        guard let contentType = contentType?.lowercased() else { return nil }
        let type = contentType.prefix { $0 != ";" }.trimmed
        guard textTypes.contains(where: { type.hasPrefix($0) }) || textSuffixes.contains(where: { type.hasSuffix($0) })
        else {
            return nil
        }
        var text =
            contentType.contains("iso-8859-1")
            ? String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) })) : String(decoding: body, as: UTF8.self)
        if type.hasSuffix("html") || type.hasSuffix("xhtml+xml") { text = withoutTags(text) }
        let words = hidingValues(in: Redaction.text(text)).split { $0.isWhitespace || $0 == tag }
        let line = words.joined(separator: " ")
        guard !line.isEmpty else { return nil }
        return line.count > excerptLimit ? "\(line.prefix(excerptLimit))…" : line
    }

    /// Returns the text of an HTML page, without its scripts and styles.
    private static func withoutTags(_ text: String) -> String {
        var (result, rest) = ("", text[...])
        while let start = rest.firstIndex(of: "<") {
            result += rest[..<start]
            result.append(tag)
            rest = rest[start...]
            let name = rest.dropFirst().prefix(while: \.isLetter).lowercased()
            if name == "script" || name == "style" {
                guard let end = rest.firstRange(of: "</\(name)") else { return result }
                rest = rest[end.lowerBound...]
            }
            rest = rest.drop { $0 != ">" }.dropFirst()
        }
        return result + rest
    }

    private static func hidingValues(in text: String) -> String {
        var (result, rest) = ("", text[...])
        while let first = rest.first {
            let word = rest.prefix { $0.isLetter || $0.isNumber || "_-.~+/".contains($0) }
            guard !word.isEmpty else {
                result.append(first)
                rest = rest.dropFirst()
                continue
            }
            result += word.looksRandom ? mark : String(word)
            rest = rest[word.endIndex...]
            let gap = rest.prefix(while: gaps.contains)
            guard gap.contains(where: separators.contains), SecretNames.contain(word) else { continue }
            result += gap
            rest = rest[gap.endIndex...]
            let end = endOfValue(in: rest, after: gap)
            if end > rest.startIndex { result += mark }
            rest = rest[end...]
        }
        return result
    }

    /// Returns the end of a value: the closing quotation mark, or a character that cannot be a part of the value.
    private static func endOfValue(in text: Substring, after gap: Substring) -> Substring.Index {
        guard let quote = gap.last, quote == "\"" || quote == "'" else {
            let isParameter = gap.allSatisfy { $0 == "=" }
            return text.firstIndex {
                $0.isNewline || $0 == tag || "<\"}".contains($0)
                    || isParameter && ($0.isWhitespace || "&;,'".contains($0))
            } ?? text.endIndex
        }
        let isNested = gap.dropLast().last == "\\"
        var isEscaped = false
        return text.firstIndex { character in
            defer { isEscaped = character == "\\" && !isEscaped }
            return character == quote && (isNested || !isEscaped)
        } ?? text.endIndex
    }
}

extension Substring {
    /// Whether a part of the word is long and has both letters and digits, as tokens and keys have.
    fileprivate var looksRandom: Bool {
        split { $0 == "/" || $0 == "." }.contains { part in
            part.count >= 20 && part.contains(where: \.isLetter) && part.contains(where: \.isNumber)
        }
    }
}
