// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import SwiftASN1
package import X509

/// The certificates of a PEM bundle (RFC 7468), cut out without reading them; text around them is passed over.
struct PEMBundle {
    /// The last is what OpenSSL writes with trust settings appended; those are cut off with what follows the certificate.
    private static let labels = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]

    private(set) var certificates: [[UInt8]] = []
    /// How many parts had the label of a certificate, and nothing of the kind in them.
    private(set) var unreadableCount = 0

    init(_ bytes: [UInt8]) {
        for content in PEMBlock.contents(labeled: Self.labels, in: bytes) {
            let bytes = content ?? []
            var reader = DERReader(bytes[...])
            if let element = reader.next(), element.tag == DERTag.sequence {
                certificates.append(element.bytes.count == bytes.count ? bytes : Array(element.bytes))
            } else {
                unreadableCount += 1
            }
        }
    }
}

/// What stands at the place that a certificate names for its issuer's (RFC 5280 section 4.2.2.1): a certificate in DER, or a
/// collection of them in CMS (RFC 5652); in practice, PEM too.
package enum IssuerFile {
    /// Issuers have one certificate, and a few when their keys change or others vouch for them.
    private static let limit = 16
    /// The object identifier 1.2.840.113549.1.7.2.
    private static let signedData: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]

    /// The certificates of a file, as many as can be read.
    package static func certificates(in bytes: [UInt8]) -> [Certificate] {
        let encoded = [bytes] + PEMBundle(bytes).certificates + collected(in: bytes)
        return Array(encoded.lazy.compactMap { try? Certificate(derEncoded: $0) }.prefix(limit))
    }

    /// The certificates of a SignedData that signs nothing.
    private static func collected(in bytes: [UInt8]) -> [[UInt8]] {
        var outer = DERReader(bytes[...])
        guard var contentInfo = outer.enter(DERTag.sequence), let type = contentInfo.next(),
            type.content.elementsEqual(signedData), var tagged = contentInfo.enter(DERTag.constructed(0)),
            var fields = tagged.enter(DERTag.sequence)
        else { return [] }
        while let field = fields.next() {
            guard field.tag == DERTag.constructed(0) else { continue }
            var certificates = DERReader(field.content)
            return Array(AnyIterator { certificates.next().map { Array($0.bytes) } }.prefix(limit))
        }
        return []
    }
}
