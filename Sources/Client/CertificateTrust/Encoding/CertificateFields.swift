// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Fields of a certificate as they were encoded (RFC 5280 section 4.1), which the parsed certificate no longer tells.
struct CertificateFields: Sendable {
    /// With the leading zero that a positive number of full octets has.
    let serialNumber: ArraySlice<UInt8>
    /// The signature algorithm inside of what is signed.
    let signatureAlgorithm: ArraySlice<UInt8>
    /// The issuer, with tag and length.
    let issuer: ArraySlice<UInt8>
    /// The subject, with tag and length.
    let subject: ArraySlice<UInt8>
    /// The SubjectPublicKeyInfo, with tag and length.
    let publicKeyInfo: ArraySlice<UInt8>

    init(
        serialNumber: ArraySlice<UInt8>, signatureAlgorithm: ArraySlice<UInt8>, issuer: ArraySlice<UInt8>,
        subject: ArraySlice<UInt8>, publicKeyInfo: ArraySlice<UInt8>
    ) {
        (self.serialNumber, self.signatureAlgorithm) = (serialNumber, signatureAlgorithm)
        (self.issuer, self.subject, self.publicKeyInfo) = (issuer, subject, publicKeyInfo)
    }

    /// Walks over what is signed.
    init?(tbsCertificate: ArraySlice<UInt8>) {
        var outer = DERReader(tbsCertificate)
        guard var fields = outer.enter(DERTag.sequence), var first = fields.next() else { return nil }
        if first.tag == DERTag.constructed(0) {
            guard let serialNumber = fields.next() else { return nil }
            first = serialNumber
        }
        guard let algorithm = fields.next(), let issuer = fields.next(), let validity = fields.next(),
            validity.tag == DERTag.sequence, let subject = fields.next(), let publicKeyInfo = fields.next()
        else { return nil }
        serialNumber = first.content
        signatureAlgorithm = algorithm.bytes
        self.issuer = issuer.bytes
        self.subject = subject.bytes
        self.publicKeyInfo = publicKeyInfo.bytes
    }

    /// Walks over a whole certificate.
    init?(certificate: ArraySlice<UInt8>) {
        var outer = DERReader(certificate)
        guard var fields = outer.enter(DERTag.sequence), let tbsCertificate = fields.next() else { return nil }
        self.init(tbsCertificate: tbsCertificate.bytes)
    }
}
