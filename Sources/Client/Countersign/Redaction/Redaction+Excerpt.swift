// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// The beginning of a server's text in an error.
///
/// A server may repeat a request with its secrets. If the text mentions a secret anywhere, only sentences are quoted,
/// and only as far as no word can be a value; otherwise the text is quoted without the words that look random.
extension Redaction {
    /// The maximum number of characters of an excerpt.
    static let excerptLimit = 200

    /// The replacement for a tag of HTML, so that a name and a value in two cells are two words.
    private static let tag: Character = "\u{1E}"
    private static let punctuation: Set<Character> = [".", ",", ":", ";", "!", "?", "(", ")", "-", "–", "—", "_"]

    private static let textTypes = ["text/", "application/json", "application/xml"]
    private static let textSuffixes = ["+json", "+xml"]

    /// The members of JSON and the elements of XML with sentences for people (RFC 9457, RFC 6749 section 5.2).
    private static let messageNames = [
        "code", "error", "title", "message", "msg", "reason", "detail", "description", "error_description",
        "faultstring", "Message",
    ]
    /// The words that are shown after the name of a secret.
    private static let harmlessWords = Set(
        """
        a access again an and api are as at authentication authorization authorized aws bad be been between but by \
        cannot characters check client code cookie correct could credential credentials denied did do does due \
        duplicate equal error exist expected expired expires failed field for forbidden format found from given grant has \
        have header http id in included incorrect invalid is it its key least length log long longer malformed match \
        maximum minimum missing more must name no not of on only or our parameter password permission please provide \
        provided records rejected request required revoked scope security server session short should sign signature size \
        specified state string supplied supported than that the this to token too try type unauthenticated \
        unauthorized unexpected unknown unsupported url use used user username valid value verified verify was were \
        with without wrong you your
        """.split(separator: " ").map(String.init))

    /// Returns the first characters of a text body as one line, without the values that look secret.
    ///
    /// - Parameters:
    ///   - body: The beginning of the body.
    ///   - contentType: The value of `Content-Type`.
    /// - Returns: `nil` if the body is empty, is not text, or may consist of secrets.
    static func excerpt(of body: [UInt8], _ contentType: String?) -> String? {
        guard let contentType = contentType?.lowercased() else { return nil }
        let type = contentType.prefix { $0 != ";" }.trimmed
        guard textTypes.contains(where: { type.hasPrefix($0) }) || textSuffixes.contains(where: { type.hasSuffix($0) })
        else {
            return nil
        }
        let text = Redaction.text(
            contentType.contains("iso-8859-1")
                ? String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
                : String(decoding: body, as: UTF8.self))
        let isHTML = type.hasSuffix("html") || type.hasSuffix("xhtml+xml")
        let line =
            if !mentionsSecret(text) {
                hidingRandomWords(in: isHTML ? withoutTags(text) : text)
                    .split { $0.isWhitespace || $0 == tag }.joined(separator: " ")
            } else if !isHTML, type.hasSuffix("json") || type.hasSuffix("xml") {
                (type.hasSuffix("json") ? members(of: body) : elements(of: text))
                    .map { sentences(of: $0, isStrict: true) }.filter { !$0.isEmpty }.joined(separator: " ")
            } else {
                sentences(of: isHTML ? withoutTags(text) : text, isStrict: false)
            }
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

    private static func hidingRandomWords(in text: String) -> String {
        var (result, rest) = ("", text[...])
        while let first = rest.first {
            let word = rest.prefix { $0.isLetter || $0.isNumber || "_-.~+/".contains($0) }
            result += word.isEmpty ? String(first) : word.looksRandom ? mark : String(word)
            rest = word.isEmpty ? rest.dropFirst() : rest[word.endIndex...]
        }
        return result
    }

    // MARK: Texts that mention a secret

    /// Returns whether a text contains a word that is the name of a secret or of an authentication scheme.
    private static func mentionsSecret(_ text: String) -> Bool {
        var rest = text[...]
        while let start = rest.firstIndex(where: \.isPartOfName) {
            let word = rest[start...].prefix(while: \.isPartOfName)
            // The word may begin with the rest of an escape sequence, such as \n or \u0022.
            let escape = rest[..<start].last == "\\" ? (word.first == "u" ? 5 : 1) : 0
            rest = rest[word.endIndex...]
            guard [word, word.dropFirst(escape)].contains(where: isName) else { continue }
            guard ["code", "state"].contains(word.lowercased()), hasIdentifier(rest) else { return true }
        }
        return false
    }

    private static func isName(_ word: Substring) -> Bool {
        SecretNames.contain(word) || schemes.contains(word.lowercased())
    }

    /// Returns whether the value after `code` or `state` is a number or a word such as `invalid_name`.
    ///
    /// The authorization code and the state of OAuth (RFC 6749 section 4.1.2) are random strings.
    private static func hasIdentifier(_ rest: Substring) -> Bool {
        let value = rest.drop { " \":=>'\\".contains($0) }.prefix { !" \"'\\,;&<}]".contains($0) && !$0.isNewline }
        guard !value.isEmpty, value.count <= 40 else { return false }
        // One-time passwords have six digits or more.
        return value.isNumber(upTo: 5) || value.allSatisfy { $0.isASCII && $0.isLowercase || $0 == "_" }
    }

    /// Returns the messages of a JSON text; none if it is incomplete.
    private static func members(of body: [UInt8]) -> [String] {
        (try? JSONValue(parsing: body)).map { messages(in: $0, named: "") } ?? []
    }

    private static func messages(in value: JSONValue, named name: String) -> [String] {
        switch value {
        case .string(let text): messageNames.contains(name) ? [text] : []
        case .array(let items): items.flatMap { messages(in: $0, named: name) }
        case .object(let members): members.flatMap { messages(in: $0.value, named: $0.name) }
        case .null, .bool, .number: []
        }
    }

    /// Returns the messages of an XML document.
    private static func elements(of text: String) -> [String] {
        messageNames.compactMap { name in
            text.firstRange(of: "<\(name)>").map { String(text[$0.upperBound...].prefix { $0 != "<" }) }
        }
    }

    /// Returns the beginning of a text, up to the first word that may be a value.
    ///
    /// - Parameters:
    ///   - text: A text from a body that mentions a secret.
    ///   - isStrict: Whether only harmless words and short numbers are shown, because the name of a secret may be in
    ///     another part of the body; otherwise every word in lowercase is shown until the name of a secret occurs.
    /// - Returns: The words that are shown, with "…" if others follow; empty if none is shown.
    private static func sentences(of text: String, isStrict: Bool) -> String {
        var (shown, isAfterName, isAfterColon) = ("", false, false)
        for word in text.split(whereSeparator: { $0.isWhitespace || $0 == tag }) {
            let parts = word.split { punctuation.contains($0) }
            let isHarmless = parts.allSatisfy { harmlessWords.contains($0.lowercased()) }
            let isPlain =
                parts.count == 1
                && parts.allSatisfy { part in
                    part.isNumber(upTo: isAfterName ? 2 : 3)
                        || !isStrict && !isAfterName && !isAfterColon && part.isLowercaseWord
                }
            // A word of punctuation may be a password.
            guard isHarmless || isPlain, word.count(where: punctuation.contains) <= 3 else {
                return shown.isEmpty ? "" : "\(shown)…"
            }
            shown += shown.isEmpty ? word : " \(word)"
            isAfterName = isAfterName || parts.contains(where: isName)
            isAfterColon = word.last == ":"
        }
        return shown
    }
}

extension Character {
    fileprivate var isPartOfName: Bool { isLetter || isNumber || self == "_" || self == "-" }
}

extension Substring {
    /// Whether the word resembles a token or a key: a JSON Web Token, base64 of 30 bytes or more, or a long part with
    /// both letters and digits.
    fileprivate var looksRandom: Bool {
        hasPrefix("eyJ")
            || split(separator: ".").contains { part in
                part.count >= 40 && part.contains(where: \.isLowercase) && part.contains(where: \.isUppercase)
                    || part.split(separator: "/").contains { part in
                        part.count >= 20 && part.contains(where: \.isLetter) && part.contains(where: \.isNumber)
                    }
            }
    }

    /// Returns whether the word is a number with at most the given count of digits, such as a status or a length.
    fileprivate func isNumber(upTo count: Int) -> Bool {
        self.count <= count && allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Whether the word consists of letters, apart from an apostrophe, and only the first one may be a capital.
    fileprivate var isLowercaseWord: Bool {
        first?.isLetter == true && last?.isLetter == true
            && dropFirst().allSatisfy { $0.isLowercase || $0 == "'" || $0 == "’" }
    }
}
