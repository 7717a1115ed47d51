// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import SwiftASN1

/// The contents of an OCSP request (RFC 6960 section 4.1.1).
///
/// An optional signature is ignored, because the responder answers any client.
struct OCSPRequest {
    /// The identifier of a certificate in a request.
    struct Identifier {
        /// The hash algorithm; `nil` if it is not supported.
        let hash: OCSPCertificateID.Hash?
        let nameHash: [UInt8]
        let keyHash: [UInt8]
        let serialNumber: [UInt8]
        /// The encoded CertID, which the response repeats.
        let encoded: [UInt8]
    }

    static let nonce: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]
    private static let maximumIdentifierCount = 16
    private static let maximumSize = 8_192
    private static let maximumSerialNumberSize = 20

    let identifiers: [Identifier]
    /// The value of the nonce extension; `nil` if there is none.
    let nonce: [UInt8]?

    /// Parses a request; returns `nil` if it is malformed.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumSize, let request = try? Self(checking: bytes) else { return nil }
        self = request
    }

    private init(checking bytes: [UInt8]) throws {
        var identifiers: [Identifier] = []
        var nonce: [UInt8]?
        try DER.sequence(DER.parse(bytes), identifier: .sequence) { parts in
            try Self.within(&parts) { fields in
                _ = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { node in
                    guard try Int(derEncoded: node) == 0 else { throw Malformed() }
                }
                // The requestor's name is ignored.
                _ = DER.optionalNode(&fields, tag: 1)
                try Self.within(&fields) { list in
                    while let node = list.next() {
                        guard identifiers.count < Self.maximumIdentifierCount else { throw Malformed() }
                        identifiers.append(
                            try DER.sequence(node, identifier: .sequence) { request in
                                guard let name = request.next() else { throw Malformed() }
                                _ = DER.optionalNode(&request, tag: 0)
                                return try Self.identifier(name)
                            })
                    }
                }
                nonce =
                    try DER.optionalExplicitlyTagged(&fields, tagNumber: 2, tagClass: .contextSpecific) { node in
                        try Self.nonce(in: node)
                    } ?? nil
            }
            _ = DER.optionalNode(&parts, tag: 0)
        }
        guard !identifiers.isEmpty else { throw Malformed() }
        (self.identifiers, self.nonce) = (identifiers, nonce)
    }

    /// Parses the next node as a SEQUENCE.
    private static func within<Value>(
        _ nodes: inout ASN1NodeCollection.Iterator, _ body: (inout ASN1NodeCollection.Iterator) throws -> Value
    ) throws -> Value {
        guard let node = nodes.next() else { throw Malformed() }
        return try DER.sequence(node, identifier: .sequence, body)
    }

    private static func identifier(_ node: ASN1Node) throws -> Identifier {
        try DER.sequence(node, identifier: .sequence) { fields in
            let algorithm = try Self.within(&fields) { parts in
                let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
                _ = parts.next()
                return identifier
            }
            let name = try ASN1OctetString(derEncoded: &fields), key = try ASN1OctetString(derEncoded: &fields)
            let serialNumber = try ArraySlice<UInt8>(derEncoded: &fields)
            guard serialNumber.count <= maximumSerialNumberSize else { throw Malformed() }
            return Identifier(
                hash: OCSPCertificateID.Hash.allCases.first { $0.objectIdentifier == algorithm },
                nameHash: Array(name.bytes), keyHash: Array(key.bytes), serialNumber: Array(serialNumber),
                encoded: Array(node.encodedBytes))
        }
    }

    private static func nonce(in node: ASN1Node) throws -> [UInt8]? {
        try DER.sequence(node, identifier: .sequence) { extensions in
            var found: [UInt8]?
            while let node = extensions.next() {
                try DER.sequence(node, identifier: .sequence) { fields in
                    let identifier = try ASN1ObjectIdentifier(derEncoded: &fields)
                    let isCritical = try DER.optionalImplicitlyTagged(&fields, tag: .boolean) as Bool? ?? false
                    let value = try ASN1OctetString(derEncoded: &fields)
                    if identifier == Self.nonce {
                        found = (1...130).contains(value.bytes.count) ? Array(value.bytes) : nil
                    } else if isCritical {
                        throw Malformed()
                    }
                }
            }
            return found
        }
    }
}

private struct Malformed: Error {}

extension DER {
    /// Skips an optional context-specific node.
    fileprivate static func optionalNode(_ nodes: inout ASN1NodeCollection.Iterator, tag: UInt) -> ASN1Node? {
        var copy = nodes
        guard let node = copy.next(), node.identifier == ASN1Identifier(tagWithNumber: tag, tagClass: .contextSpecific)
        else { return nil }
        nodes = copy
        return node
    }
}
