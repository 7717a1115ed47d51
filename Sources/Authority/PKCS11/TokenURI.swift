// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings

/// A PKCS#11 URI (RFC 7512), which identifies a token and optionally a key in it.
///
/// An attribute that is `nil` matches every value. A URI with a PIN is refused, because URIs are stored and logged.
package struct TokenURI: Hashable, Sendable {
    /// The label that the token was initialized with.
    package private(set) var token: String?
    package private(set) var manufacturer: String?
    package private(set) var model: String?
    package private(set) var serial: String?
    /// The label of a key.
    package private(set) var object: String?
    /// The identifier of a key.
    package private(set) var id: [UInt8]?
    /// The path of the module, which ``description`` omits.
    package private(set) var module: String?

    /// The maximum length of a URI in bytes, far more than the attributes need.
    private static let maximumLength = 4_096

    /// Parses a URI.
    ///
    /// - Parameter text: A URI such as `pkcs11:token=home;object=issuing?module-path=/usr/lib/softhsm/libsofthsm2.so`.
    /// - Throws: ``TokenError/malformedURI(offset:)``, ``TokenError/unknownAttribute(_:)``, ``TokenError/pinInURI``.
    package init(_ text: String) throws(TokenError) {
        let bytes = Array(text.utf8)
        let scheme = "pkcs11:"
        guard bytes.count <= Self.maximumLength else { throw .malformedURI(offset: Self.maximumLength) }
        guard String(decoding: bytes.prefix(scheme.utf8.count), as: UTF8.self).lowercased() == scheme else {
            throw .malformedURI(offset: 0)
        }
        let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        for attribute in try URIAttribute.all(of: bytes[scheme.utf8.count..<mark], in: .path) { try read(attribute) }
        for attribute in try URIAttribute.all(of: bytes[mark...].dropFirst(), in: .query) { try read(attribute) }
    }

    private mutating func read(_ attribute: URIAttribute) throws(TokenError) {
        switch (attribute.part, attribute.name) {
        case (.path, "token"): try set(\.token, attribute.name, try attribute.text)
        case (.path, "manufacturer"): try set(\.manufacturer, attribute.name, try attribute.text)
        case (.path, "model"): try set(\.model, attribute.name, try attribute.text)
        case (.path, "serial"): try set(\.serial, attribute.name, try attribute.text)
        case (.path, "object"): try set(\.object, attribute.name, try attribute.text)
        case (.path, "id"): try set(\.id, attribute.name, attribute.value)
        // Other programs append this attribute to the URI of a private key.
        case (.path, "type") where attribute.value == Array("private".utf8): break
        case (.query, "module-path"): try set(\.module, attribute.name, try attribute.text)
        case (_, "pin-value"): throw .pinInURI
        default: throw .unknownAttribute(attribute.name)
        }
    }

    private mutating func set<Value>(
        _ path: WritableKeyPath<Self, Value?>, _ name: String, _ value: Value
    ) throws(TokenError) {
        guard self[keyPath: path] == nil else { throw .unknownAttribute(name) }
        self[keyPath: path] = value
    }

    /// Returns the URI of a key in the same token.
    package func naming(object: String, id: [UInt8]) -> Self {
        var copy = self
        (copy.object, copy.id, copy.module) = (object, id, nil)
        return copy
    }

    /// The URI of the token without a key.
    package var withoutObject: Self {
        var copy = self
        (copy.object, copy.id, copy.module) = (nil, nil, nil)
        return copy
    }
}

extension TokenURI: CustomStringConvertible {
    /// The URI without the path of the module.
    package var description: String {
        let texts = [
            ("token", token), ("manufacturer", manufacturer), ("model", model), ("serial", serial), ("object", object),
        ]
        var attributes = texts.compactMap { name, value in
            value.map { "\(name)=\(PercentEncoding.encode($0.utf8, allowing: PercentEncoding.isUnreserved))" }
        }
        if let id { attributes.append("id=\(PercentEncoding.encode(id) { _ in false })") }
        return "pkcs11:" + attributes.joined(separator: ";")
    }
}

/// An attribute of a PKCS#11 URI (RFC 7512 section 2.3).
struct URIAttribute {
    enum Part {
        case path
        case query

        fileprivate var separator: UInt8 { self == .path ? UInt8(ascii: ";") : UInt8(ascii: "&") }

        /// The characters that a value may contain unencoded, in addition to letters, digits and `-._~`.
        fileprivate var reserved: String { self == .path ? ":[]@!$'()*+,=&" : ":[]@!$'()*+,=/?|" }
    }

    let part: Part
    let name: String
    /// The percent-decoded value.
    let value: [UInt8]
    private let offset: Int

    /// Parses all attributes of the path or the query; the indices of the slice are offsets in the URI.
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

    /// The value as text; all texts of a token are UTF-8.
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
                guard let decoded = PercentEncoding.decode(rest.prefix(3)) else {
                    throw .malformedURI(offset: rest.startIndex)
                }
                bytes += decoded
                rest = rest.dropFirst(3)
            } else {
                guard PercentEncoding.isUnreserved(first) || part.reserved.utf8.contains(first) else {
                    throw .malformedURI(offset: rest.startIndex)
                }
                bytes.append(first)
                rest = rest.dropFirst()
            }
        }
        return bytes
    }

    private static func isNamed(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || "-_".utf8.contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
