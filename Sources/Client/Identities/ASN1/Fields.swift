// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

/// The elements inside a constructed element, read in order.
struct Fields {
    private var nodes: ASN1NodeCollection.Iterator
    private let part: IdentityError.Part

    /// Opens an element that must be constructed and have the given identifier.
    init(
        _ node: ASN1Node, _ identifier: ASN1Identifier = .sequence, of part: IdentityError.Part
    ) throws(IdentityError) {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
            throw .malformed(part)
        }
        self.nodes = nodes.makeIterator()
        self.part = part
    }

    /// Opens the SEQUENCE that makes up the BER bytes.
    init(ber bytes: [UInt8], of part: IdentityError.Part) throws(IdentityError) {
        try self.init(try ASN1Node.parse(ber: bytes, as: part), of: part)
    }

    mutating func nextIfAny() -> ASN1Node? { nodes.next() }

    mutating func next() throws(IdentityError) -> ASN1Node {
        guard let node = nodes.next() else { throw .malformed(part) }
        return node
    }

    /// Returns the next element if it has the given identifier; otherwise nothing is read.
    mutating func next(if identifier: ASN1Identifier) -> ASN1Node? {
        var ahead = nodes
        guard let node = ahead.next(), node.identifier == identifier else { return nil }
        nodes = ahead
        return node
    }

    /// Throws unless all elements were read.
    mutating func end() throws(IdentityError) {
        guard nodes.next() == nil else { throw .malformed(part) }
    }

    /// Reads an OBJECT IDENTIFIER that is short enough for an error message.
    mutating func objectIdentifier() throws(IdentityError) -> ASN1ObjectIdentifier {
        let node = try next()
        guard case .primitive(let bytes) = node.content, bytes.count <= 64,
            let identifier = try? ASN1ObjectIdentifier(derEncoded: node)
        else { throw .malformed(part) }
        return identifier
    }

    /// Reads a small integer; a value outside the range of `Int`
    /// is clamped, because every caller checks a narrower range.
    mutating func integer() throws(IdentityError) -> Int {
        try next().integer(part)
    }

    /// Reads an OCTET STRING, joining the segments of a constructed BER encoding.
    mutating func octets() throws(IdentityError) -> [UInt8] {
        try next().octets(.octetString, part)
    }

    /// Reads the content of an EXPLICIT context-specific tag.
    mutating func explicit(_ number: UInt) throws(IdentityError) -> ASN1Node {
        guard let node = try explicitIfAny(number) else { throw .malformed(part) }
        return node
    }

    /// Reads the content of an EXPLICIT context-specific tag that is OPTIONAL.
    mutating func explicitIfAny(_ number: UInt) throws(IdentityError) -> ASN1Node? {
        let identifier = ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
        guard let node = next(if: identifier) else { return nil }
        var inside = try Fields(node, identifier, of: part)
        let content = try inside.next()
        try inside.end()
        return content
    }

    mutating func algorithm() throws(IdentityError) -> Algorithm {
        try Algorithm(try next(), of: part)
    }
}

/// An AlgorithmIdentifier: an object identifier and optional parameters.
struct Algorithm {
    let identifier: ASN1ObjectIdentifier
    let parameters: ASN1Node?
    private let part: IdentityError.Part

    init(_ node: ASN1Node, of part: IdentityError.Part) throws(IdentityError) {
        var fields = try Fields(node, of: part)
        identifier = try fields.objectIdentifier()
        parameters = fields.nextIfAny()
        self.part = part
        try fields.end()
    }

    /// Returns the parameters as a SEQUENCE, as in key derivations and PBES2.
    func parameterFields() throws(IdentityError) -> Fields {
        guard let parameters else { throw .malformed(part) }
        return try Fields(parameters, of: part)
    }

    /// Throws unless the parameters are absent or NULL; writers use both forms.
    func requireNoParameters() throws(IdentityError) {
        guard parameters == nil || parameters?.identifier == .null else { throw .malformed(part) }
    }

    /// The error that reports the algorithm as unsupported.
    var unsupported: IdentityError { .unsupported(identifier.name) }
}

/// A ContentInfo (RFC 5652 section 3).
struct ContentInfo {
    let type: ASN1ObjectIdentifier
    let content: ASN1Node

    init(_ node: ASN1Node, of part: IdentityError.Part) throws(IdentityError) {
        var fields = try Fields(node, of: part)
        type = try fields.objectIdentifier()
        content = try fields.explicit(0)
        try fields.end()
    }
}

extension ASN1Node {
    /// Parses BER after checking its structure.
    static func parse(ber bytes: [UInt8], as part: IdentityError.Part) throws(IdentityError) -> ASN1Node {
        try BERWalk.check(bytes[...], as: part)
        do {
            return try BER.parse(bytes)
        } catch {
            throw .malformed(part)
        }
    }

    /// Returns the content of an OCTET STRING, or of an implicitly tagged one, primitive or constructed (X.690 section
    /// 8.7).
    func octets(_ expected: ASN1Identifier, _ part: IdentityError.Part) throws(IdentityError) -> [UInt8] {
        guard identifier == expected else { throw .malformed(part) }
        switch content {
        case .primitive(let bytes):
            return Array(bytes)
        case .constructed(let pieces):
            var joined: [UInt8] = []
            // The nesting was already limited by the check of the structure.
            for piece in pieces { joined += try piece.octets(.octetString, part) }
            return joined
        }
    }

    /// Returns the content of a BIT STRING without unused bits, or of an implicitly tagged one.
    func bits(_ expected: ASN1Identifier, _ part: IdentityError.Part) throws(IdentityError) -> [UInt8] {
        guard identifier == expected, case .primitive(let bytes) = content, bytes.first == 0 else {
            throw .malformed(part)
        }
        return Array(bytes.dropFirst())
    }

    /// Returns the two's-complement bytes of an INTEGER, which must be in the shortest form (X.690 section 8.3.2).
    func integerBytes(_ part: IdentityError.Part) throws(IdentityError) -> ArraySlice<UInt8> {
        guard identifier == .integer, case .primitive(let bytes) = content, let first = bytes.first else {
            throw .malformed(part)
        }
        if let second = bytes.dropFirst().first {
            guard first != (second < 0x80 ? 0 : 0xff) else { throw .malformed(part) }
        }
        return bytes
    }

    /// Returns the value of an INTEGER, clamped to the range of `Int`.
    func integer(_ part: IdentityError.Part) throws(IdentityError) -> Int {
        let bytes = try integerBytes(part)
        let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
        guard bytes.count <= 8 else { return isNegative ? .min : .max }
        return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
    }
}
