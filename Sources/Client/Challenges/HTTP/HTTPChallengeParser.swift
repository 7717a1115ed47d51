// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A parser of one field value as a list of challenges (RFC 9110 section 11.6.1).
///
/// A comma separates both challenges and parameters, so the next token decides: if `=` follows the token, it continues
/// the challenge, and otherwise it starts a new one. The parser accepts common deviations from the grammar: empty list
/// elements, a space instead of the comma between two parameters, and unquoted values that should be quoted. A scheme
/// that is followed by a comma has no parameters: in `qop=auth,auth-int, nonce=n` it is unclear to which scheme the
/// nonce belongs, and the value is rejected.
struct HTTPChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ value: String) {
        bytes = Array(value.utf8)
    }

    mutating func parse() throws(HTTPChallengeError) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        skipSeparators()
        while position < bytes.count {
            guard challenges.count < HTTPChallenge.countLimit else { throw .tooMany(limit: HTTPChallenge.countLimit) }
            challenges.append(try challenge())
            guard skipSeparators() || position == bytes.count else { throw .malformed(offset: position) }
        }
        return challenges
    }

    /// Returns whether the complete text is one token68 (RFC 9110 section 11.2).
    static func isToken68(_ text: String) -> Bool {
        let body = text.utf8.prefix(while: isToken68Byte)
        return !body.isEmpty && text.utf8.dropFirst(body.count).allSatisfy { $0 == UInt8(ascii: "=") }
    }

    /// Returns whether the complete text is one token (RFC 9110 section 5.6.2).
    static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isTokenByte) }

    /// Parses the value as parameters only (RFC 7615 section 3).
    mutating func parseParameters() throws(HTTPChallengeError) -> [HTTPChallenge.Parameter] {
        let parameters = try parameters()
        skipSeparators()
        guard position == bytes.count else { throw .malformed(offset: position) }
        return parameters
    }

    private mutating func challenge() throws(HTTPChallengeError) -> HTTPChallenge {
        let scheme = take(while: Self.isTokenByte)
        guard !scheme.isEmpty, position == bytes.count || isSpace(at: position) || bytes[position] == UInt8(ascii: ",")
        else { throw .malformed(offset: position) }
        let method = AuthenticationMethod(text(scheme))
        guard position < bytes.count, isSpace(at: position) else { return HTTPChallenge(method: method) }
        skipSpaces()
        if let token68 = takeToken68() { return HTTPChallenge(method: method, token68: token68) }
        return HTTPChallenge(method: method, parameters: try parameters())
    }

    private mutating func parameters() throws(HTTPChallengeError) -> [HTTPChallenge.Parameter] {
        var parameters: [HTTPChallenge.Parameter] = []
        while let name = takeParameterName(isFirst: parameters.isEmpty) {
            let parameter = HTTPChallenge.Parameter(name: name, value: try value())
            if let earlier = parameters.first(where: { $0.name == name }) {
                guard earlier == parameter else { throw .repeatedParameter(name) }
            } else {
                let limit = HTTPChallenge.parameterLimit
                guard parameters.count < limit else { throw .tooManyParameters(limit: limit) }
                parameters.append(parameter)
            }
        }
        return parameters
    }

    /// Reads a name if a parameter starts here; otherwise the position is unchanged, and another challenge starts here.
    private mutating func takeParameterName(isFirst: Bool) -> String? {
        let start = position
        skipSeparators()
        // Text directly after a value may belong to the value, if a quote is missing.
        guard isFirst || position > start else { return nil }
        let name = take(while: Self.isTokenByte)
        skipSpaces()
        guard !name.isEmpty, position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
            position = start
            return nil
        }
        position += 1
        skipSpaces()
        return text(name).lowercased()
    }

    private mutating func value() throws(HTTPChallengeError) -> String {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            let value = take { Self.isQuotable($0) && !Self.isSpaceByte($0) && !",\"".utf8.contains($0) }
            return text(value)
        }
        return try quotedString()
    }

    private mutating func quotedString() throws(HTTPChallengeError) -> String {
        let start = position
        position += 1
        var value: [UInt8] = []
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "\"") {
                position += 1
                return String(decoding: value, as: UTF8.self)
            }
            if bytes[position] == UInt8(ascii: "\\") { position += 1 }
            guard position < bytes.count else { break }
            guard Self.isQuotable(bytes[position]) else { throw .malformed(offset: position) }
            value.append(bytes[position])
            position += 1
        }
        throw .unterminatedString(offset: start)
    }

    /// Reads a token68, which must be followed by a comma or the end; otherwise it is a parameter.
    private mutating func takeToken68() -> String? {
        let start = position
        let body = take(while: Self.isToken68Byte)
        _ = take { $0 == UInt8(ascii: "=") }
        let end = position
        skipSpaces()
        guard !body.isEmpty, position == bytes.count || bytes[position] == UInt8(ascii: ",") else {
            position = start
            return nil
        }
        return text(start..<end)
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> Range<Int> {
        let start = position
        while position < bytes.count, condition(bytes[position]) { position += 1 }
        return start..<position
    }

    private mutating func skipSpaces() {
        _ = take(while: Self.isSpaceByte)
    }

    /// Skips spaces and commas.
    ///
    /// - Returns: Whether there was a comma.
    @discardableResult
    private mutating func skipSeparators() -> Bool {
        bytes[take { Self.isSpaceByte($0) || $0 == UInt8(ascii: ",") }].contains(UInt8(ascii: ","))
    }

    private func isSpace(at index: Int) -> Bool { Self.isSpaceByte(bytes[index]) }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private static func isSpaceByte(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns whether a byte may occur in a value; control characters could end the field of an answer that repeats
    /// the value (RFC 9110 section 5.6.4).
    private static func isQuotable(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func isToken68Byte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~+/".utf8.contains(byte)
    }
}

extension String {
    /// The text as a quoted-string (RFC 9110 section 5.6.4).
    var quotedForField: String {
        var text = ""
        text.append(quoting: self)
        return text
    }

    /// Appends a text as a quoted-string; the text must not contain control characters.
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
