// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

/// What a bag says about its content (RFC 7292 section 4.2).
struct BagAttributes {
    private(set) var friendlyName: String?
    /// What key and certificate of an identity have in common, as most writers say it.
    private(set) var localKeyIdentifier: [UInt8]?
    /// Whether Java's trust store marks the certificate as trusted.
    private(set) var isTrusted = false

    init() {}

    init(_ node: ASN1Node) throws(IdentityError) {
        var attributes = try Fields(node, .set, of: .attribute)
        while let attribute = attributes.nextIfAny() {
            var fields = try Fields(attribute, of: .attribute)
            let identifier = try fields.next()
            var values = try Fields(try fields.next(), .set, of: .attribute)
            try fields.end()
            // An identifier with arcs of more than 63 bits is legal and none that means anything here.
            switch try? ASN1ObjectIdentifier(derEncoded: identifier) {
            case .friendlyName: friendlyName = try Self.text(try values.next())
            case .localKeyIdentifier: localKeyIdentifier = try? values.octets()
            case .javaTrustedKeyUsage: isTrusted = true
            default: break
            }
        }
    }

    /// A BMPString, in which surrogates stand for what is outside the BMP.
    private static func text(_ node: ASN1Node) throws(IdentityError) -> String {
        guard node.identifier == .bmpString, case .primitive(let bytes) = node.content, bytes.count % 2 == 0 else {
            throw .malformed(.attribute)
        }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
            UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw .malformed(.attribute) }
        return text
    }
}
