// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A name and its value in a PKCS#11 URI (RFC 7512 section 2.3).
struct URIAttribute {
    enum Part {
        case path
        case query

        fileprivate var separator: UInt8 { self == .path ? UInt8(ascii: ";") : UInt8(ascii: "&") }

        /// What a value may have unencoded, beside letters, digits and `-._~`.
        fileprivate var reserved: String { self == .path ? ":[]@!$'()*+,=&" : ":[]@!$'()*+,=/?|" }
    }

    let part: Part
    let name: String
    /// The value with its percent signs resolved.
    let value: [UInt8]
    private let offset: Int

    /// Reads all attributes of the path or the query, whose indices are offsets in the URI.
    static func all(of text: ArraySlice<UInt8>, in part: Part) throws(TokenError) -> [Self] {
        guard !text.isEmpty else { return [] }
        var attributes: [Self] = []
        for piece in text.split(separator: part.separator, omittingEmptySubsequences: false) {
            attributes.append(try Self(piece, part))
        }
        return attributes
    }

    private init(_ piece: ArraySlice<UInt8>, _ part: Part) throws(TokenError) {
        guard let equals = piece.firstIndex(of: UInt8(ascii: "=")), equals > piece.startIndex else {
            throw .malformedURI(offset: piece.startIndex)
        }
        let name = piece[..<equals]
        if let wrong = name.firstIndex(where: { !Self.isNamed($0) }) { throw .malformedURI(offset: wrong) }
        (self.part, self.name, offset) = (part, String(decoding: name, as: UTF8.self), equals + 1)
        value = try Self.decode(piece[(equals + 1)...], part)
    }

    /// The value as text; every text of a token is UTF-8.
    var text: String {
        get throws(TokenError) {
            guard let text = String(validating: value, as: UTF8.self) else { throw .malformedURI(offset: offset) }
            return text
        }
    }

    private static func decode(_ text: ArraySlice<UInt8>, _ part: Part) throws(TokenError) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text
        while let first = rest.first {
            if first == UInt8(ascii: "%") {
                let digits = rest.dropFirst().prefix(2)
                guard digits.count == 2, digits.allSatisfy(isHexadecimal),
                    let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { throw .malformedURI(offset: rest.startIndex) }
                bytes.append(byte)
                rest = rest.dropFirst(3)
            } else {
                guard isUnreserved(first) || part.reserved.utf8.contains(first) else {
                    throw .malformedURI(offset: rest.startIndex)
                }
                bytes.append(first)
                rest = rest.dropFirst()
            }
        }
        return bytes
    }

    /// Writes bytes with a percent sign and two digits for each that is not kept.
    static func encode(_ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool) -> String {
        var text = ""
        for byte in bytes {
            if isKept(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// RFC 3986 section 2.3.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~".utf8.contains(byte)
    }

    private static func isNamed(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || "-_".utf8.contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
