// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
public import X509

/// Reads files that contain certificates and nothing secret, such as a user's anchors.
public enum CertificateFile {
    /// Reads one or more certificates from PEM (RFC 7468) or PKCS#7 (RFC 5652), or one from DER.
    ///
    /// - Parameter bytes: The file, at most 8 MiB.
    /// - Returns: The certificates in the order of the file, without duplicates; never empty.
    /// - Throws: ``IdentityError/keyWhereCertificateExpected`` if the file contains a private key, even in addition to
    ///   certificates; ``IdentityError/notPEM``, ``IdentityError/noCertificate`` and other ``IdentityError``.
    public static func certificates(in bytes: some Collection<UInt8>) throws(IdentityError) -> [Certificate] {
        let items = try EncodedItem.items(in: Array(bytes))
        guard !items.contains(where: \.isPrivateKey) else { throw .keyWhereCertificateExpected }
        let certificates = try certificates(items)
        guard !certificates.isEmpty else { throw items.unexpectedContent(of: .certificate) ?? .noCertificate }
        return certificates
    }

    /// Reads the encoded certificates of a file as anchors, whatever the algorithms of their own signatures.
    ///
    /// - Parameter bytes: The file, in a format that ``certificates(in:)`` accepts.
    /// - Returns: The certificates in DER, in the order of the file, without duplicates; never empty.
    /// - Throws: The errors of ``certificates(in:)``, except for unknown signature algorithms.
    package static func encodedAnchors(in bytes: some Collection<UInt8>) throws(IdentityError) -> [[UInt8]] {
        let items = try EncodedItem.items(in: Array(bytes))
        guard !items.contains(where: \.isPrivateKey) else { throw .keyWhereCertificateExpected }
        var anchors: [[UInt8]] = []
        for item in items {
            for anchor in try item.encodedCertificates() where !anchors.contains(anchor) {
                try Certificate.check(anchor: anchor)
                anchors.append(anchor)
            }
        }
        guard !anchors.isEmpty else { throw items.unexpectedContent(of: .certificate) ?? .noCertificate }
        return anchors
    }

    /// Returns the certificates among a file's items, without duplicates.
    static func certificates(_ items: [EncodedItem]) throws(IdentityError) -> [Certificate] {
        var certificates: [Certificate] = []
        var seen: Set<Certificate> = []
        for item in items {
            for certificate in try item.certificates() where seen.insert(certificate).inserted {
                certificates.append(certificate)
            }
        }
        return certificates
    }
}

extension [EncodedItem] {
    /// Returns the most informative error for a file without the expected content.
    func unexpectedContent(of wanted: IdentityError.Content) -> IdentityError? {
        for item in self {
            switch item {
            case .pkcs12: return .unsupported("PKCS#12")
            case .other(let content): return .wrongContent(found: content, wanted: wanted)
            case .unsupported(let name): return .unsupported(name)
            default: continue
            }
        }
        return nil
    }
}

extension CertificateFile {
    /// Encodes certificates as PEM (RFC 7468), in their order, each block ending in a line feed.
    ///
    /// - Throws: ``IdentityError/malformed(_:offset:)`` if a certificate cannot be encoded.
    public static func pem(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        var text: [UInt8] = []
        for certificate in certificates { text += PEMBlock.encode("CERTIFICATE", try certificate.derEncoded()) }
        return text
    }

    /// Encodes certificates as PKCS#7 in DER (.p7b), in their order: a SignedData without signatures (RFC 5652 section
    /// 5.1).
    ///
    /// - Throws: ``IdentityError/malformed(_:offset:)`` if a certificate cannot be encoded.
    public static func pkcs7(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        try CertificateBundle.encode(certificates)
    }

    /// Encodes certificates as one PKCS#7 block in PEM (RFC 7468 section 8), in their order.
    ///
    /// - Throws: ``IdentityError/malformed(_:offset:)`` if a certificate cannot be encoded.
    public static func pkcs7PEM(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        PEMBlock.encode("PKCS7", try CertificateBundle.encode(certificates))
    }

    /// Encodes a certificate as DER.
    ///
    /// - Throws: ``IdentityError/malformed(_:offset:)`` if it cannot be encoded.
    public static func der(_ certificate: Certificate) throws(IdentityError) -> [UInt8] {
        try certificate.derEncoded()
    }
}
