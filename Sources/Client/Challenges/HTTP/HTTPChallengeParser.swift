// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A parser of one field value as a list of challenges (RFC 9110 section 11.6.1).
///
/// A comma separates both challenges and parameters, so the next token decides: if `=` follows the token, it continues
/// the challenge, and otherwise it starts a new one. Many servers copy a realm into the field without escaping it, and
/// separate parameters in their own ways. The parser therefore reads each challenge that has one plain meaning, and
/// reports a problem for every other one, after which it continues at the next known scheme:
///
/// 1. A quoted string (section 5.6.4) ends at the first unescaped quote that a separator, a parameter or a scheme
///    follows. If another byte follows, the string contains raw quotes, and ends at the first quote with a plausible
///    successor, or else with the field. If such a string contains text like `, name=`, its end is ambiguous, because a
///    quote may be missing. After a string with raw quotes, the rest of the field counts only if it follows the grammar.
/// 2. An unquoted value extends to a comma or to the next `name=`, so that it may consist of several words.
/// 3. Semicolons and missing commas separate parameters, too, and a parameter after `scheme,` belongs to that scheme.
/// 4. A bare word between the parameters of a known scheme continues an unquoted list, as in `qop=auth,auth-int`.
/// 5. Different values of one parameter are a problem for schemes that compute a proof from the challenge. For other
///    schemes the first value counts.
/// 6. Basic is answered whatever its parameters are, because its answer depends on none of them.
///
/// Each byte is examined a bounded number of times for each challenge, and the number of challenges is limited.
struct HTTPChallengeParser {
    let bytes: [UInt8]
    var position = 0
    /// Whether values must follow the grammar: in fields that prove something, and after a value with an uncertain end,
    /// whose text might look like a challenge.
    private(set) var isStrict: Bool
    /// Whether a string with raw quotes was read, whose end is a guess.
    var hasLooseString = false
    /// The scheme of the challenge that is being read; `nil` until it is known.
    private var method: AuthenticationMethod?

    init(_ value: String, isStrict: Bool = false) {
        bytes = Array(value.utf8)
        self.isStrict = isStrict
    }

    /// Reads the challenges and the problems of the field, at most one more than the limit.
    mutating func read() -> HTTPChallenge.Reading {
        var reading = HTTPChallenge.Reading()
        var certainCount = 0
        skipSeparators()
        while position < bytes.count, reading.count <= HTTPChallenge.countLimit {
            let start = position
            method = nil
            do throws(HTTPChallengeError) {
                try readChallenge(into: &reading.challenges)
            } catch {
                reading.problems.append(.init(method: method, error: error))
                if isStrict {
                    reading.challenges.removeSubrange(certainCount...)
                    return reading
                }
                if method == .basic { reading.challenges.append(HTTPChallenge(method: .basic)) }
                if error.isAboutEndOfValue { hasLooseString = true }
                // The values before this position are complete, so their text is not searched.
                skipToKnownScheme(from: max(start + 1, position))
            }
            if hasLooseString, !isStrict { (isStrict, certainCount) = (true, reading.challenges.count) }
            skipSeparators()
        }
        return reading
    }

    /// Parses the value as parameters only (RFC 7615 section 3).
    mutating func parseParameters() throws(HTTPChallengeError) -> [HTTPChallenge.Parameter] {
        let parameters = try parameters()
        guard position == bytes.count else { throw .malformed(offset: position) }
        return parameters
    }

    /// Returns whether the complete text is one token68 (RFC 9110 section 11.2).
    static func isToken68(_ text: String) -> Bool {
        let body = text.utf8.prefix(while: isToken68Byte)
        return !body.isEmpty && text.utf8.dropFirst(body.count).allSatisfy { $0 == UInt8(ascii: "=") }
    }

    /// Returns whether the complete text is one token (RFC 9110 section 5.6.2).
    static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isTokenByte) }

    // MARK: Challenges

    private mutating func readChallenge(into challenges: inout [HTTPChallenge]) throws(HTTPChallengeError) {
        let name = word(at: position)
        let isKnown = isKnownScheme(name)
        guard isKnown && isSpace(at: name.upperBound) || !startsParameter(at: position) else {
            throw .malformed(offset: position)
        }
        guard !name.isEmpty, endsScheme(at: name.upperBound) else { throw .malformed(offset: name.upperBound) }
        position = name.upperBound
        let method = AuthenticationMethod(text(name))
        self.method = method
        if !isKnown, try continueList(of: &challenges) { return }
        let hasComma = skipSeparators()
        if position < bytes.count {
            if !hasComma, let token68 = try takeToken68() {
                return challenges.append(HTTPChallenge(method: method, token68: token68))
            }
            if startsParameter(at: position) {
                return challenges.append(HTTPChallenge(method: method, parameters: try parameters()))
            }
            guard hasComma || startsScheme(at: position) else { throw .malformed(offset: position) }
        }
        challenges.append(HTTPChallenge(method: method))
    }

    /// Reads the parameters after a bare word, such as `nonce` in `qop=auth,auth-int, nonce=n`, as parameters of the
    /// challenge before it.
    ///
    /// - Returns: Whether there are such parameters.
    private mutating func continueList(of challenges: inout [HTTPChallenge]) throws(HTTPChallengeError) -> Bool {
        guard !isStrict, position < bytes.count, bytes[position] == UInt8(ascii: ","), let last = challenges.last,
            !last.parameters.isEmpty, AuthenticationMethod.builtIn.contains(last.method),
            startsParameter(at: end(of: Self.isSeparator, from: position))
        else { return false }
        challenges.removeLast()
        method = last.method
        challenges.append(HTTPChallenge(method: last.method, parameters: try parameters(after: last.parameters)))
        return true
    }

    /// Continues after an unreadable challenge: at the next known scheme after a comma, or at the end.
    private mutating func skipToKnownScheme(from start: Int) {
        position = start
        while let comma = bytes[position...].firstIndex(of: UInt8(ascii: ",")) {
            position = end(of: Self.isSeparator, from: comma)
            let name = word(at: position)
            if isKnownScheme(name), endsScheme(at: name.upperBound) { return }
        }
        position = bytes.count
    }

    // MARK: Parameters

    /// Reads parameters until another challenge or the end.
    private mutating func parameters(
        after earlier: [HTTPChallenge.Parameter] = []
    ) throws(HTTPChallengeError) -> [HTTPChallenge.Parameter] {
        var parameters = earlier
        while true {
            let next = end(of: isStrict ? Self.isSeparator : Self.isLooseSeparator, from: position)
            let gap = position..<next
            guard next < bytes.count else {
                position = next
                return parameters
            }
            guard startsParameter(at: next), !isStrict || !gap.isEmpty || parameters.isEmpty else {
                let endsChallenge = bytes[gap].contains(UInt8(ascii: ",")) || startsScheme(at: next)
                guard endsChallenge else { throw .malformed(offset: next) }
                position = next
                return parameters
            }
            let new = try parameter(at: next)
            try append(new, to: &parameters)
        }
    }

    /// Reads a name, `=` and a value.
    private mutating func parameter(at start: Int) throws(HTTPChallengeError) -> HTTPChallenge.Parameter {
        let name = word(at: start)
        position = end(of: Self.isSpaceByte, from: end(of: Self.isSpaceByte, from: name.upperBound) + 1)
        return HTTPChallenge.Parameter(name: text(name), value: try value())
    }

    private func append(
        _ parameter: HTTPChallenge.Parameter, to parameters: inout [HTTPChallenge.Parameter]
    ) throws(HTTPChallengeError) {
        if let earlier = parameters.first(where: { $0.name == parameter.name }) {
            let isProved = isStrict || method == .digest || method == .scramSHA256
            guard earlier == parameter || !isProved else { throw .repeatedParameter(parameter.name) }
        } else {
            let limit = HTTPChallenge.parameterLimit
            guard parameters.count < limit else { throw .tooManyParameters(limit: limit) }
            parameters.append(parameter)
        }
    }

    /// Reads a token68, which must be followed by a comma or the end; otherwise it is a parameter.
    private mutating func takeToken68() throws(HTTPChallengeError) -> String? {
        let bodyEnd = end(of: Self.isToken68Byte, from: position)
        let tokenEnd = end(of: { $0 == UInt8(ascii: "=") }, from: bodyEnd)
        let token = position..<tokenEnd
        let follower = end(of: Self.isSpaceByte, from: tokenEnd)
        guard bodyEnd > position, follower == bytes.count || bytes[follower] == UInt8(ascii: ",") else { return nil }
        let next = end(of: Self.isSeparator, from: follower)
        guard startsParameter(at: next) else {
            position = follower
            return text(token)
        }
        // "realm=, charset=x" is an empty value, because another parameter follows it.
        if tokenEnd == bodyEnd + 1, word(at: position).upperBound == bodyEnd { return nil }
        // Parameters after a token68 have no meaning.
        position = next
        _ = try parameters()
        return text(token)
    }

    /// Skips spaces and commas.
    ///
    /// - Returns: Whether there was a comma.
    @discardableResult
    private mutating func skipSeparators() -> Bool {
        let start = position
        position = end(of: Self.isSeparator, from: position)
        return bytes[start..<position].contains(UInt8(ascii: ","))
    }
}

extension HTTPChallengeError {
    /// Whether the error leaves open where a value ends.
    fileprivate var isAboutEndOfValue: Bool {
        switch self {
        case .malformed, .ambiguousString: true
        default: false
        }
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
