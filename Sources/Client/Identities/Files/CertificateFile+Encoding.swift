// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

extension CertificateFile {
    /// Encodes certificates as PEM (RFC 7468), in their order, each block ending in a line feed.
    ///
    /// - Throws: ``IdentityError/malformed(_:offset:)`` where a certificate cannot be encoded.
    public static func pem(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        var text: [UInt8] = []
        for certificate in certificates { text += PEMBlock.encode("CERTIFICATE", try certificate.derEncoded()) }
        return text
    }

    /// Encodes certificates as PKCS#7 in DER (.p7b), in their order: a SignedData without signatures (RFC 5652 section 5.1).
    ///
    /// - Throws: ``IdentityError/malformed(_:offset:)`` where a certificate cannot be encoded.
    public static func pkcs7(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        try CertificateBundle.encode(certificates)
    }

    /// Encodes certificates as one PEM block of PKCS#7 (RFC 7468 section 8), in their order.
    ///
    /// - Throws: ``IdentityError/malformed(_:offset:)`` where a certificate cannot be encoded.
    public static func pkcs7PEM(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        PEMBlock.encode("PKCS7", try CertificateBundle.encode(certificates))
    }

    /// Encodes a certificate as DER.
    ///
    /// - Throws: ``IdentityError/malformed(_:offset:)`` where it cannot be encoded.
    public static func der(_ certificate: Certificate) throws(IdentityError) -> [UInt8] {
        try certificate.derEncoded()
    }
}
