// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

extension CertificateFile {
    /// Encodes certificates as PEM (RFC 7468), in their order, each block ending in a line feed.
    public static func pem(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        var text: [UInt8] = []
        for certificate in certificates { text += PEMBlock.encode("CERTIFICATE", try certificate.derEncoded()) }
        return text
    }

    /// Encodes certificates as PKCS#7 in DER (.p7b), in their order: a SignedData that signs nothing (RFC 5652).
    public static func pkcs7(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        try CertificateBundle.encode(certificates)
    }

    /// Encodes certificates as one PEM block of PKCS#7 (RFC 7468 section 8), in their order.
    public static func pkcs7PEM(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        PEMBlock.encode("PKCS7", try CertificateBundle.encode(certificates))
    }

    /// Encodes a certificate as DER.
    public static func der(_ certificate: Certificate) throws(IdentityError) -> [UInt8] {
        try certificate.derEncoded()
    }
}
