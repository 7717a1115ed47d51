// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The command line of another client, with placeholders for the values of each server.
///
/// A part in `[` and `]` is omitted for servers without a value for one of its placeholders.
package struct ClientTemplate: Hashable, Sendable {
    /// The error of a malformed command line.
    package struct Malformed: Error, Hashable {
        /// The description of the problem.
        package let reason: String
    }

    /// A placeholder, written in braces.
    package enum Placeholder: String, CaseIterable, Hashable, Sendable {
        case url
        case ca
        case name
        case user
        case password
        case token
        case clientCertificate = "client-certificate"
        case clientKey = "client-key"
        case proxy
        case proxyUser = "proxy-user"
        case proxyPassword = "proxy-password"
        case pin
        case revocationLists = "crl"
        case responders = "ocsp"
        case missingIssuers = "fetch"
        case logList = "logs"
        case range
        case host
        case port
        case address
    }

    private enum Piece: Hashable {
        case text(String)
        case placeholder(Placeholder)
    }

    private struct Word: Hashable {
        var pieces: [Piece] = []
        /// The number of the optional part with the word; `nil` for none.
        var part: Int?
    }

    private let words: [Word]
    /// The original command line.
    package let text: String

    /// Splits a command line at spaces, as a shell does, with single and double quotes and backslashes.
    ///
    /// - Parameter text: The command line.
    /// - Throws: ``Malformed``.
    package init(_ text: String) throws(Malformed) {
        var parser = Parser()
        for character in text { try parser.read(character) }
        words = try parser.finish()
        self.text = text
        guard placeholders.contains(.url) else { throw Self.wrong("it has no {url}") }
    }

    /// The placeholders in the command line.
    var placeholders: Set<Placeholder> { Set(words.flatMap { Self.placeholders(of: $0) }) }

    /// Returns the program and its arguments with the placeholders replaced.
    package func filled(_ values: [Placeholder: String]) -> [String] {
        let unfilled = Set(
            words.filter { !Self.placeholders(of: $0).allSatisfy { values[$0] != nil } }.compactMap(\.part))
        return words.filter { word in word.part.map { !unfilled.contains($0) } ?? true }.map { word in
            word.pieces.map { piece in
                switch piece {
                case .text(let text): text
                case .placeholder(let placeholder): values[placeholder] ?? ""
                }
            }.joined()
        }
    }

    private static func placeholders(of word: Word) -> [Placeholder] {
        word.pieces.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } }
    }

    private static func wrong(_ reason: String) -> Malformed { Malformed(reason: reason) }

    /// A parser that reads a command line character by character.
    private struct Parser {
        private var words: [Word] = []
        /// The current word; `nil` between words.
        private var word: Word?
        private var quote: Character?
        private var isEscaped = false
        /// The placeholder name after an opening brace; `nil` outside braces.
        private var name: String?
        private var part: Int?
        private var partCount = 0

        mutating func read(_ character: Character) throws(Malformed) {
            if let open = name {
                guard character == "}" else { return name = open + String(character) }
                guard let placeholder = Placeholder(rawValue: open) else {
                    let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
                    throw ClientTemplate.wrong("there is no {\(open)}, only \(known)")
                }
                append(.placeholder(placeholder))
                name = nil
            } else if isEscaped {
                append(.text(String(character)))
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == "{" {
                name = ""
            } else if let open = quote {
                if character == open { quote = nil } else { append(.text(String(character))) }
            } else {
                try readUnquoted(character)
            }
        }

        private mutating func readUnquoted(_ character: Character) throws(Malformed) {
            switch character {
            case "'", "\"":
                quote = character
                word = word ?? Word(part: part)
            case "[" where word == nil:
                guard part == nil else { throw ClientTemplate.wrong("a [ stands inside [ and ]") }
                partCount += 1
                part = partCount
            case "]" where part != nil:
                endWord()
                part = nil
            case _ where character.isWhitespace: endWord()
            default: append(.text(String(character)))
            }
        }

        private mutating func append(_ piece: Piece) {
            word = word ?? Word(part: part)
            word?.pieces.append(piece)
        }

        private mutating func endWord() {
            if let word { words.append(word) }
            word = nil
        }

        mutating func finish() throws(Malformed) -> [Word] {
            if name != nil { throw ClientTemplate.wrong("a { is not closed") }
            if quote != nil || isEscaped { throw ClientTemplate.wrong("a quote is not closed") }
            if part != nil { throw ClientTemplate.wrong("a [ is not closed") }
            endWord()
            return words
        }
    }
}
