// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import X509

/// The certificate that is asked about, and what lists and responses know it by.
struct RevocationSubject {
    let certificate: Certificate
    let issuer: Certificate
    /// As it was encoded.
    let serialNumber: ArraySlice<UInt8>
    /// The name of the issuer as the certificate has it, with tag and length.
    let issuerName: ArraySlice<UInt8>
    /// The bits of the issuer's key, which identifiers are the hash of.
    let issuerKey: ArraySlice<UInt8>
    let isAuthority: Bool
    let distributionPoints: [DistributionPoint]

    init(_ certificate: Certificate, issuer: Certificate) throws(RevocationEncodingError) {
        (self.certificate, self.issuer) = (certificate, issuer)
        var outer = DERReader(certificate.tbsCertificateBytes)
        var fields = try outer.open(DERTag.sequence, .certificate)
        _ = try fields.takeIfPresent(DERTag.constructed(0), .certificate)
        serialNumber = try fields.takeInteger(DERTag.integer, .certificate)
        _ = try fields.take(DERTag.sequence, .certificate)
        issuerName = try fields.take(DERTag.sequence, .certificate).bytes
        issuerKey = try issuer.keyBits()
        isAuthority =
            if case .isCertificateAuthority = try? certificate.extensions.basicConstraints { true } else { false }
        let points = certificate.extensions[oid: RevocationPointers.distributionPoints]?.value
        distributionPoints = points.flatMap { try? DistributionPoint.all($0) } ?? []
    }
}

extension Certificate {
    /// The subjectPublicKey without tag, length and count of unused bits (RFC 6960 section 4.1.1).
    func keyBits() throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        let encoded = CertificateFields(tbsCertificate: tbsCertificateBytes)?.publicKeyInfo ?? []
        var outer = DERReader(encoded)
        var fields = try outer.open(DERTag.sequence, .certificate)
        _ = try fields.take(DERTag.sequence, .certificate)
        let bits = try fields.take(DERTag.bitString, .certificate).content
        guard bits.first == 0 else { throw .malformed(.certificate) }
        return bits.dropFirst()
    }
}
