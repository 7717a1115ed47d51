// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

extension DER {
    /// Encodes the elements that a closure writes; throws if a value of the part has no encoding.
    static func encode(
        _ part: IdentityError.Part, _ body: (inout DER.Serializer) throws -> Void
    ) throws(IdentityError) -> [UInt8] {
        var serializer = DER.Serializer()
        do {
            try body(&serializer)
        } catch let error as IdentityError {
            throw error
        } catch {
            throw .malformed(part)
        }
        return serializer.serializedBytes
    }

    /// Encodes a SEQUENCE.
    static func sequence(
        _ part: IdentityError.Part, _ body: (inout DER.Serializer) throws -> Void
    ) throws(IdentityError) -> [UInt8] {
        try encode(part) { try $0.appendConstructedNode(identifier: .sequence, body) }
    }
}

extension DER.Serializer {
    /// Writes an AlgorithmIdentifier with the parameters that a closure writes.
    mutating func algorithm(
        _ identifier: ASN1ObjectIdentifier, parameters: (inout DER.Serializer) throws -> Void
    ) throws {
        try appendConstructedNode(identifier: .sequence) { algorithm in
            try algorithm.serialize(identifier)
            try parameters(&algorithm)
        }
    }

    /// Writes an AlgorithmIdentifier with NULL parameters, which old readers require.
    mutating func algorithmWithNull(_ identifier: ASN1ObjectIdentifier) throws {
        try algorithm(identifier) { try $0.serialize(ASN1Null()) }
    }

    mutating func octets(_ bytes: [UInt8]) throws {
        try serialize(ASN1OctetString(contentBytes: bytes[...]))
    }

    /// Writes an EXPLICIT context-specific tag around the elements that a closure writes.
    mutating func explicit(_ number: UInt, _ body: (inout DER.Serializer) throws -> Void) throws {
        let tag = ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
        try appendConstructedNode(identifier: tag, body)
    }

    /// Writes a ContentInfo (RFC 5652 section 3).
    mutating func contentInfo(
        _ type: ASN1ObjectIdentifier, _ content: (inout DER.Serializer) throws -> Void
    ) throws {
        try appendConstructedNode(identifier: .sequence) { info in
            try info.serialize(type)
            try info.explicit(0, content)
        }
    }
}
