// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The values of parameters, which servers write without regard to quotes and escapes.
extension HTTPChallengeParser {
    mutating func value() throws(HTTPChallengeError) -> String {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return try unquotedValue() }
        let start = position + 1
        let strictEnd = try endOfQuotedString(from: start)
        if let strictEnd, isStrict || endsValue(at: strictEnd + 1) || isLooseSeparator(afterSpacesAt: strictEnd + 1) {
            position = strictEnd + 1
            return unescaped(start..<strictEnd)
        }
        guard !isStrict else { throw .unterminatedString(offset: start - 1) }
        return try looseString(from: start, strictEnd: strictEnd)
    }

    /// Returns the index of the quote that ends a quoted-string (RFC 9110 section 5.6.4); `nil` without one.
    private func endOfQuotedString(from start: Int) throws(HTTPChallengeError) -> Int? {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\") { index += 1 }
            guard index < bytes.count else { return nil }
            guard Self.isQuotable(bytes[index]) else { throw .malformed(offset: index) }
            index += 1
        }
        return index < bytes.count ? index : nil
    }

    /// Reads a string whose quotes and backslashes the server did not escape: to the first quote after which a value can
    /// end, or to the end of the field.
    private mutating func looseString(from start: Int, strictEnd: Int?) throws(HTTPChallengeError) -> String {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") || !endsValue(at: index + 1) {
            guard Self.isQuotable(bytes[index]) else { throw .malformed(offset: index) }
            index += 1
        }
        // A missing quote would hide the next parameters, and text of a realm must not become a challenge.
        guard !listsParameter(in: start..<index) else { throw .ambiguousString(offset: start - 1) }
        if index < bytes.count, index != strictEnd || bytes[start..<index].contains(UInt8(ascii: "\"")) {
            hasLooseString = true
        }
        position = min(index + 1, bytes.count)
        return unescaped(start..<index)
    }

    /// Reads a value to a comma; its words end at a parameter, or at a known scheme with a parameter.
    private mutating func unquotedValue() throws(HTTPChallengeError) -> String {
        let start = position
        var (index, valueEnd) = (start, start)
        while index < bytes.count, bytes[index] != UInt8(ascii: ",") {
            guard Self.isQuotable(bytes[index]) else { throw .malformed(offset: index) }
            if isSpace(at: index) {
                index = end(of: Self.isSpaceByte, from: index)
                guard !isStrict, !startsParameter(at: index), !startsKnownChallenge(at: index) else { break }
            } else {
                guard bytes[index] != UInt8(ascii: "\"") else { throw .malformed(offset: index) }
                index += 1
                valueEnd = index
            }
        }
        position = valueEnd
        return text(start..<valueEnd)
    }

    /// Returns the text with each backslash removed that another character follows.
    private func unescaped(_ range: Range<Int>) -> String {
        guard bytes[range].contains(UInt8(ascii: "\\")) else { return text(range) }
        var value: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < range.upperBound { index += 1 }
            value.append(bytes[index])
            index += 1
        }
        return String(decoding: value, as: UTF8.self)
    }

    // MARK: The text after a value

    /// Returns whether a value can end here, because of the text that follows.
    private func endsValue(at index: Int) -> Bool {
        let next = end(of: Self.isSpaceByte, from: index)
        guard next < bytes.count else { return true }
        if Self.isLooseSeparator(bytes[next]) {
            let element = end(of: Self.isLooseSeparator, from: next)
            return element == bytes.count || startsParameter(at: element) || startsScheme(at: element)
                || isBareWord(at: element)
        }
        guard next == index else { return startsParameter(at: next) || startsScheme(at: next) }
        // Without any separator, only a name, "=" and a quote are plausible.
        guard startsParameter(at: next) else { return false }
        let sign = end(of: Self.isSpaceByte, from: word(at: next).upperBound)
        return sign + 1 < bytes.count && bytes[sign + 1] == UInt8(ascii: "\"")
    }

    private func isLooseSeparator(afterSpacesAt index: Int) -> Bool {
        let next = end(of: Self.isSpaceByte, from: index)
        return next < bytes.count && Self.isLooseSeparator(bytes[next])
    }

    /// Returns whether text like `, name=` or `, scheme` occurs in a range.
    private func listsParameter(in range: Range<Int>) -> Bool {
        range.contains { index in
            guard bytes[index] == UInt8(ascii: ",") else { return false }
            let next = end(of: Self.isSpaceByte, from: index + 1)
            return next < range.upperBound && (startsParameter(at: next) || startsScheme(at: next))
        }
    }

    private func isBareWord(at index: Int) -> Bool {
        let name = word(at: index)
        return !name.isEmpty && endsScheme(at: name.upperBound)
    }

    /// Returns whether a name and `=` begin here.
    func startsParameter(at index: Int) -> Bool {
        let name = word(at: index)
        let sign = end(of: Self.isSpaceByte, from: name.upperBound)
        return !name.isEmpty && sign < bytes.count && bytes[sign] == UInt8(ascii: "=")
    }

    /// Returns whether a known scheme begins here, or a token that a space and a parameter follow.
    func startsScheme(at index: Int) -> Bool {
        let name = word(at: index)
        guard !name.isEmpty, endsScheme(at: name.upperBound) else { return false }
        return isKnownScheme(name) || startsParameter(afterSpaceAt: name.upperBound)
    }

    /// Returns whether a known scheme with a parameter begins here.
    private func startsKnownChallenge(at index: Int) -> Bool {
        let name = word(at: index)
        return isKnownScheme(name) && startsParameter(afterSpaceAt: name.upperBound)
    }

    private func startsParameter(afterSpaceAt index: Int) -> Bool {
        isSpace(at: index) && startsParameter(at: end(of: Self.isSpaceByte, from: index))
    }

    // MARK: Bytes

    /// Returns the longest token (RFC 9110 section 5.6.2) that begins here, which may be empty.
    func word(at index: Int) -> Range<Int> { index..<end(of: Self.isTokenByte, from: index) }

    /// Returns the index of the first byte that does not satisfy a condition, or the end.
    func end(of condition: (UInt8) -> Bool, from index: Int) -> Int {
        var index = index
        while index < bytes.count, condition(bytes[index]) { index += 1 }
        return index
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func isSpace(at index: Int) -> Bool { index < bytes.count && Self.isSpaceByte(bytes[index]) }

    /// Returns whether a scheme's name can end here: at a space, at a comma or at the end.
    func endsScheme(at index: Int) -> Bool { index == bytes.count || Self.isSeparator(bytes[index]) }

    /// Returns whether a word is the name of a built-in scheme, in any case.
    func isKnownScheme(_ word: Range<Int>) -> Bool {
        Self.knownSchemes.contains { name in
            name.count == word.count && name.elementsEqual(bytes[word]) { $0 == $1 | 0x20 }
        }
    }

    private static let knownSchemes = AuthenticationMethod.builtIn.map { Array($0.description.utf8) }

    static func isSpaceByte(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func isSeparator(_ byte: UInt8) -> Bool { isSpaceByte(byte) || byte == UInt8(ascii: ",") }

    /// Returns whether a byte separates parameters in the fields of some servers.
    static func isLooseSeparator(_ byte: UInt8) -> Bool { isSeparator(byte) || byte == UInt8(ascii: ";") }

    /// Returns whether a byte may occur in a value; control characters could end the field of an answer that repeats
    /// the value (RFC 9110 section 5.6.4).
    static func isQuotable(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    static func isToken68Byte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~+/".utf8.contains(byte)
    }
}
