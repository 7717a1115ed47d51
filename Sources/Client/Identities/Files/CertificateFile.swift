// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
public import X509

/// Reads files that contain certificates and nothing secret, such as a user's anchors.
public enum CertificateFile {
    /// The certificates of a file, and its parts that were not read.
    public struct Contents: Sendable {
        /// The certificates in the order of the file, without duplicates; never empty.
        public let certificates: [Certificate]
        /// The parts that were not read, in the order of the file.
        public let unread: [UnreadContent]
    }

    /// Reads one or more certificates from PEM (RFC 7468), PKCS#7 (RFC 5652) or DER.
    ///
    /// Parts of the file that cannot be read are skipped; ``contents(of:)`` lists them.
    ///
    /// - Parameter bytes: The file, at most 8 MiB.
    /// - Returns: The certificates in the order of the file, without duplicates; never empty.
    /// - Throws: The errors of ``contents(of:)``.
    public static func certificates(in bytes: some Collection<UInt8>) throws(IdentityError) -> [Certificate] {
        try contents(of: bytes).certificates
    }

    /// Reads one or more certificates from PEM (RFC 7468), PKCS#7 (RFC 5652) or DER, and lists the other parts of the
    /// file.
    ///
    /// - Parameter bytes: The file, at most 8 MiB.
    /// - Returns: The certificates, and the parts that were not read, such as private keys.
    /// - Throws: If no certificate can be read, the error of the only part, or ``IdentityError/noneReadable(_:)`` with
    ///   each part; ``IdentityError/notPEM``, ``IdentityError/empty``, ``IdentityError/noCertificate`` and other
    ///   ``IdentityError``.
    public static func contents(of bytes: some Collection<UInt8>) throws(IdentityError) -> Contents {
        let items = try EncodedItem.placedItems(in: Array(bytes))
        let (certificates, broken) = certificates(items)
        let unread = (broken + items.compactMap { $0.item.unread(at: $0.place) }).sorted { $0.position < $1.position }
        guard !certificates.isEmpty else { throw unread.error ?? .noCertificate }
        return Contents(certificates: certificates, unread: unread)
    }

    /// Reads the first certificate of a file, for a use in which another one must not take its place.
    ///
    /// - Throws: The errors of ``contents(of:)``, and the error of a certificate or PEM block that was not read, because
    ///   it may be the first.
    package static func first(in bytes: some Collection<UInt8>) throws(IdentityError) -> Certificate {
        let contents = try contents(of: bytes)
        for part in contents.unread {
            if case .otherContent = part.cause { continue }
            throw part.reason
        }
        return contents.certificates[0]
    }

    /// Finds the encoded certificates of a file without parsing them, and its other parts.
    ///
    /// - Parameter bytes: The file, in a format that ``certificates(in:)`` accepts.
    /// - Returns: The certificates in DER, each as the cause of an ``UnreadContent`` that states its place, in the order
    ///   of the file and without duplicates; and the parts that contain no certificate. OpenSSL's trust settings follow
    ///   the certificate of a block `TRUSTED CERTIFICATE`.
    /// - Throws: ``IdentityError/notPEM``, ``IdentityError/empty``, ``IdentityError/noCertificate``, and the errors of
    ///   ``contents(of:)`` if no part is a certificate.
    package static func encodedContents(
        of bytes: some Collection<UInt8>
    ) throws(IdentityError) -> (certificates: [UnreadContent], others: [UnreadContent]) {
        var (certificates, others, known) = ([UnreadContent](), [UnreadContent](), Set<[UInt8]>())
        for (item, place) in try EncodedItem.placedItems(in: Array(bytes)) {
            if case .trustedCertificate(let der) = item {
                guard known.insert(der).inserted else { continue }
                certificates.append(UnreadContent(place, .malformed(.certificate), .certificate(der)))
                continue
            }
            do throws(IdentityError) {
                for (der, place) in try item.encodedCertificates(at: place) where known.insert(der).inserted {
                    certificates.append(UnreadContent(place, .malformed(.certificate), .certificate(der)))
                }
            } catch {
                others.append(UnreadContent(place, error, .otherContent("PKCS#7")))
            }
            if let other = item.unread(at: place) { others.append(other) }
        }
        guard !certificates.isEmpty else { throw others.error ?? .noCertificate }
        return (certificates, others)
    }

    /// Returns the error of reading a certificate as an anchor, for the text of an error; `nil` if it can be read.
    package static func problem(ofAnchor der: [UInt8]) -> IdentityError? {
        do throws(IdentityError) {
            try Certificate.check(anchor: der)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the certificates among a file's items, without duplicates, and those that cannot be read.
    static func certificates(
        _ items: [(item: EncodedItem, place: EncodedItem.Place)]
    ) -> (certificates: [Certificate], unread: [UnreadContent]) {
        var (certificates, unread, known) = ([Certificate](), [UnreadContent](), Set<[UInt8]>())
        for (item, place) in items {
            do throws(IdentityError) {
                for (der, place) in try item.encodedCertificates(at: place) where known.insert(der).inserted {
                    do throws(IdentityError) {
                        certificates.append(try Certificate.read(der: der))
                    } catch {
                        unread.append(UnreadContent(place, error, .certificate(der)))
                    }
                }
            } catch {
                unread.append(UnreadContent(place, error, .otherContent("PKCS#7")))
            }
        }
        return (certificates, unread)
    }
}

extension [EncodedItem] {
    /// Returns the most informative error for a file without the expected content.
    func unexpectedContent(of wanted: IdentityError.Content) -> IdentityError? {
        for item in self {
            switch item {
            case .pkcs12: return .unsupported("PKCS#12")
            case .other(let content): return .wrongContent(found: content, wanted: wanted)
            case .trustedCertificate: return .wrongContent(found: .trustedCertificate, wanted: wanted)
            case .unsupported(let name): return .unsupported(name)
            case .broken(_, let error): return error
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
