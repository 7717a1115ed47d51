// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The certificate that is asked about, and what lists and responses know it by.
struct RevocationSubject {
    let certificate: ParsedCertificate
    let issuer: ParsedCertificate
    /// As it was encoded.
    let serialNumber: ArraySlice<UInt8>
    /// The name of the issuer as the certificate has it, with tag and length.
    let issuerName: ArraySlice<UInt8>
    /// The bits of the issuer's key, which identifiers are the hash of.
    let issuerKey: ArraySlice<UInt8>
    let isAuthority: Bool
    let distributionPoints: [DistributionPoint]

    init(_ certificate: ParsedCertificate, issuer: ParsedCertificate) throws(RevocationEncodingError) {
        (self.certificate, self.issuer) = (certificate, issuer)
        serialNumber = certificate.fields.serialNumber
        issuerName = certificate.fields.issuer
        issuerKey = try issuer.keyBits()
        isAuthority = certificate.isAuthority
        let points = certificate.encoded.found(ExtensionNumber.distributionPoints)?.value
        distributionPoints = points.flatMap { try? DistributionPoint.all($0) } ?? []
    }
}

extension ParsedCertificate {
    /// The subjectPublicKey without tag, length and count of unused bits (RFC 6960 section 4.1.1).
    func keyBits() throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        var outer = DERReader(fields.publicKeyInfo)
        var parts = try outer.open(DERTag.sequence, .certificate)
        _ = try parts.take(DERTag.sequence, .certificate)
        let bits = try parts.take(DERTag.bitString, .certificate).content
        guard bits.first == 0 else { throw .malformed(.certificate) }
        return bits.dropFirst()
    }
}
