// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

/// The elements inside a constructed one, taken in order.
struct Fields {
    private var nodes: ASN1NodeCollection.Iterator
    private let part: IdentityError.Part

    /// Opens an element that must be constructed and have this identifier.
    init(
        _ node: ASN1Node, _ identifier: ASN1Identifier = .sequence, of part: IdentityError.Part
    ) throws(IdentityError) {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
            throw .malformed(part)
        }
        self.nodes = nodes.makeIterator()
        self.part = part
    }

    /// Opens the one SEQUENCE that the bytes are, in BER.
    init(ber bytes: [UInt8], of part: IdentityError.Part) throws(IdentityError) {
        try self.init(try ASN1Node.parse(ber: bytes, as: part), of: part)
    }

    mutating func nextIfAny() -> ASN1Node? { nodes.next() }

    mutating func next() throws(IdentityError) -> ASN1Node {
        guard let node = nodes.next() else { throw .malformed(part) }
        return node
    }

    /// The next element where it has this identifier, else nothing is taken.
    mutating func next(if identifier: ASN1Identifier) -> ASN1Node? {
        var ahead = nodes
        guard let node = ahead.next(), node.identifier == identifier else { return nil }
        nodes = ahead
        return node
    }

    /// Requires that nothing is left.
    mutating func end() throws(IdentityError) {
        guard nodes.next() == nil else { throw .malformed(part) }
    }

    /// An OBJECT IDENTIFIER of a length that an error can print.
    mutating func objectIdentifier() throws(IdentityError) -> ASN1ObjectIdentifier {
        let node = try next()
        guard case .primitive(let bytes) = node.content, bytes.count <= 64,
            let identifier = try? ASN1ObjectIdentifier(derEncoded: node)
        else { throw .malformed(part) }
        return identifier
    }

    /// A small integer; one too wide for `Int` is clamped to its range, because every caller checks narrower limits.
    mutating func integer() throws(IdentityError) -> Int {
        try next().integer(part)
    }

    /// An OCTET STRING, joined where BER cut it into pieces.
    mutating func octets() throws(IdentityError) -> [UInt8] {
        try next().octets(.octetString, part)
    }

    /// What an EXPLICIT context-specific tag holds.
    mutating func explicit(_ number: UInt) throws(IdentityError) -> ASN1Node {
        guard let node = try explicitIfAny(number) else { throw .malformed(part) }
        return node
    }

    /// What an OPTIONAL element with an EXPLICIT context-specific tag holds.
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
