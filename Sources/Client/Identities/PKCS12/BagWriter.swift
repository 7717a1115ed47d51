// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import SwiftASN1
internal import X509

/// Writes bags and their attributes (RFC 7292 section 4.2).
enum BagWriter {
    /// The certificates of all chains and those to add, each once; a leaf has its identity's attributes.
    static func certificateBags(
        _ entries: [PKCS12.Entry], _ certificates: [Certificate]
    ) throws(IdentityError) -> [[UInt8]] {
        var bags: [[UInt8]] = []
        var written: Set<Certificate> = []
        for entry in entries where written.insert(entry.identity.certificate).inserted {
            bags.append(try certificateBag(entry.identity.certificate, attributes: try attributes(of: entry)))
        }
        for certificate in entries.flatMap(\.identity.chain) + certificates
        where written.insert(certificate).inserted {
            bags.append(try certificateBag(certificate, attributes: []))
        }
        return bags
    }

    /// An encrypted key, in DER, with its identity's attributes.
    static func keyBag(_ encryptedKey: [UInt8], of entry: PKCS12.Entry) throws(IdentityError) -> [UInt8] {
        try bag(.shroudedKeyBag, attributes: try attributes(of: entry)) { $0.serializeRawBytes(encryptedKey) }
    }

    private static func certificateBag(
        _ certificate: Certificate, attributes: [[UInt8]]
    ) throws(IdentityError) -> [UInt8] {
        let der = try certificate.derEncoded()
        return try bag(.certificateBag, attributes: attributes) { value in
            try value.appendConstructedNode(identifier: .sequence) { bag in
                try bag.serialize(ASN1ObjectIdentifier.x509Certificate)
                try bag.explicit(0) { try $0.octets(der) }
            }
        }
    }

    private static func bag(
        _ type: ASN1ObjectIdentifier, attributes: [[UInt8]], value: (inout DER.Serializer) throws -> Void
    ) throws(IdentityError) -> [UInt8] {
        try DER.sequence(.pkcs12) { bag in
            try bag.serialize(type)
            try bag.explicit(0, value)
            guard !attributes.isEmpty else { return }
            bag.appendConstructedNode(identifier: .set) { set in
                // DER orders the elements of a SET OF by their encodings (X.690 section 11.6).
                for attribute in attributes.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                    set.serializeRawBytes(attribute)
                }
            }
        }
    }

    /// The local key identifier, which joins key and certificate, is the certificate's SHA-1, as in OpenSSL.
    private static func attributes(of entry: PKCS12.Entry) throws(IdentityError) -> [[UInt8]] {
        let identifier = Array(Insecure.SHA1.hash(data: try entry.identity.certificate.derEncoded()))
        var attributes = [try attribute(.localKeyIdentifier) { try $0.octets(identifier) }]
        if let name = entry.friendlyName {
            attributes.append(
                try attribute(.friendlyName) { values in
                    values.appendPrimitiveNode(identifier: .bmpString) { bytes in
                        for unit in name.utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xff)] }
                    }
                })
        }
        return attributes
    }

    private static func attribute(
        _ type: ASN1ObjectIdentifier, value: (inout DER.Serializer) throws -> Void
    ) throws(IdentityError) -> [UInt8] {
        try DER.sequence(.attribute) { attribute in
            try attribute.serialize(type)
            try attribute.appendConstructedNode(identifier: .set, value)
        }
    }
}
