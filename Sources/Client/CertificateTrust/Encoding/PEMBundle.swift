// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import SwiftASN1
package import X509

/// The certificates in a PEM bundle (RFC 7468), extracted without parsing them; text outside the PEM blocks is ignored.
struct PEMBundle {
    /// The accepted labels; with the last one, OpenSSL appends trust settings to the certificate.
    private static let labels = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]

    /// The certificates in DER, each followed by OpenSSL's trust settings if it has any.
    private(set) var certificates: [[UInt8]] = []
    /// The number of blocks with a certificate label but without a DER sequence.
    private(set) var unreadableCount = 0

    init(_ bytes: [UInt8]) {
        for content in PEMBlock.contents(labeled: Self.labels, in: bytes) {
            let bytes = content ?? []
            var reader = DERReader(bytes[...])
            if let element = reader.next(), element.tag == DERTag.sequence {
                // Malformed settings make the anchor unreadable; other bytes after a certificate mean nothing.
                let isWhole = reader.isAtEnd || reader.nextTag == DERTag.sequence
                certificates.append(isWhole ? bytes : Array(element.bytes))
            } else {
                unreadableCount += 1
            }
        }
    }
}

/// The file at an issuer URL of a certificate (RFC 5280 section 4.2.2.1): a certificate in DER, or a CMS collection of
/// certificates (RFC 5652); in practice, PEM too.
package enum IssuerFile {
    /// The maximum number of certificates; an issuer has one, or a few because of key rollover and cross-signing.
    private static let limit = 16
    /// The object identifier 1.2.840.113549.1.7.2.
    private static let signedData: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]

    /// Returns the readable certificates of a file.
    package static func certificates(in bytes: [UInt8]) -> [Certificate] {
        let bundled = PEMBundle(bytes).certificates.map { AnchorTrust.split($0).certificate }
        let encoded = [bytes] + bundled + collected(in: bytes)
        return Array(encoded.lazy.compactMap { try? Certificate(derEncoded: $0) }.prefix(limit))
    }

    /// Returns the certificates of a certs-only SignedData, which contains no signature.
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
