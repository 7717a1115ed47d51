// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// The certificates in a PEM bundle (RFC 7468), extracted without parsing them; text outside the PEM blocks is ignored.
struct PEMBundle {
    /// The place of a block in a bundle.
    struct Place: Hashable, Sendable {
        /// The position among the blocks, counted from 1.
        let position: Int
        /// The number of blocks.
        let count: Int
        /// The number of the line on which the block begins, counted from 1; `nil` if it is not in PEM.
        let line: Int?

        func unread(_ bytes: [UInt8]? = nil, _ problem: CertificateProblem) -> UnreadCertificate {
            UnreadCertificate(position: position, count: count, line: line, derEncoded: bytes, problem: problem)
        }
    }

    /// The accepted labels; with the last one, OpenSSL appends trust settings to the certificate.
    private static let labels = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]

    /// The certificates in DER, each followed by OpenSSL's trust settings if it has any.
    private(set) var certificates: [(bytes: [UInt8], place: Place)] = []
    /// The other blocks, and those without a DER sequence.
    private(set) var unread: [UnreadCertificate] = []

    init(_ bytes: [UInt8]) {
        let blocks = PEMBlock.excerpts(in: PEMBlock.plainText(bytes))
        for (index, block) in blocks.enumerated() {
            let place = Place(position: index + 1, count: blocks.count, line: block.line)
            do throws(CertificateProblem) {
                certificates.append((try Self.certificate(in: block), place))
            } catch {
                unread.append(place.unread(error == .notACertificate ? block.content : nil, error))
            }
        }
    }

    private static func certificate(in block: PEMBlock.Excerpt) throws(CertificateProblem) -> [UInt8] {
        guard labels.contains(block.label) else { throw .otherContent(block.label) }
        guard block.isEnded else { throw .unended }
        guard let bytes = block.content, !bytes.isEmpty else { throw .notBase64 }
        var reader = DERReader(bytes[...])
        guard let element = reader.next(), element.tag == DERTag.sequence else { throw .notACertificate }
        // Malformed settings make the anchor unreadable; other bytes after a certificate mean nothing.
        let isComplete = reader.isAtEnd || reader.nextTag == DERTag.sequence
        return isComplete ? bytes : Array(element.bytes)
    }
}

/// The file at an issuer URL of a certificate (RFC 5280 section 4.2.2.1): a certificate in DER, or a CMS collection of
/// certificates (RFC 5652); in practice, PEM too.
package enum IssuerFile {
    /// The maximum number of certificates; an issuer has one, or a few because of key rollover and cross-signing.
    private static let limit = 16
    /// The object identifier 1.2.840.113549.1.7.2.
    private static let signedData: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]

    /// Returns the certificates of a file, and the first of those that were not read.
    package static func contents(
        of bytes: [UInt8]
    ) -> (certificates: [CertificateSummary], unread: [UnreadCertificate]) {
        let bundle = PEMBundle(bytes)
        var encoded = bundle.certificates
        if encoded.isEmpty, bundle.unread.isEmpty {
            let found = concatenated(in: bytes) ?? collected(in: bytes)
            encoded = found.enumerated().map { index, bytes in
                (bytes, PEMBundle.Place(position: index + 1, count: found.count, line: nil))
            }
        }
        var (certificates, unread) = ([CertificateSummary](), bundle.unread)
        for (bytes, place) in encoded where certificates.count < limit {
            let certificate = ParsedCertificate.outlining(AnchorTrust.split(bytes).certificate)
            if let problem = certificate.problem {
                unread.append(place.unread(bytes, problem))
            } else {
                certificates.append(certificate.summary)
            }
        }
        return (certificates, Array(unread.sorted { $0.position < $1.position }.prefix(limit)))
    }

    /// Returns the certificates of a file of certificates in DER, one after another; `nil` for another file.
    private static func concatenated(in bytes: [UInt8]) -> [[UInt8]]? {
        var (reader, found) = (DERReader(bytes[...]), [[UInt8]]())
        while found.count < limit, let element = reader.next() {
            guard element.tag == DERTag.sequence, element.content.first == DERTag.sequence else { break }
            found.append(Array(element.bytes))
        }
        return found.isEmpty ? nil : found
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
