// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
import Synchronization
public import X509

/// The certificates at which a path may end, indexed by subject.
///
/// A certificate of a bundle is parsed when a path first needs it, once for all copies of the store: of about 150
/// anchors, a path needs one or two.
public struct AnchorStore: Sendable {
    final class Anchor: Sendable {
        /// The certificate in DER.
        let bytes: [UInt8]
        /// The certificate, followed by OpenSSL's trust settings if it has any.
        private let encoded: [UInt8]
        private let parsed: Mutex<ParsedCertificate?>

        init(_ encoded: [UInt8]) {
            bytes = AnchorTrust.split(encoded).certificate
            self.encoded = encoded
            parsed = Mutex(nil)
        }

        init(_ certificate: ParsedCertificate) {
            (bytes, encoded) = (certificate.bytes, certificate.bytes)
            parsed = Mutex(certificate)
        }

        /// The parsed certificate; `nil` if the bytes are not a supported certificate.
        var certificate: ParsedCertificate? {
            parsed.withLock { parsed in
                if parsed == nil { parsed = try? ParsedCertificate(anchor: encoded) }
                return parsed
            }
        }
    }

    private var bySubject: [NameKey: [Anchor]] = [:]
    /// The number of certificates in the bundle that cannot be read; 0 for a store without a bundle.
    public private(set) var unreadableCount = 0

    /// Indexes certificates by their subject.
    public init(_ certificates: [Certificate]) {
        self.init(summaries: certificates.map { CertificateSummary($0) })
    }

    init(summaries: [CertificateSummary]) {
        for certificate in summaries.map(\.parsed) {
            bySubject[certificate.subject, default: []].append(Anchor(certificate))
        }
    }

    init(_ certificate: ParsedCertificate) {
        bySubject = [certificate.subject: [Anchor(certificate)]]
    }

    /// Indexes the certificates of a PEM bundle (RFC 7468); unreadable ones are skipped and counted in
    /// ``unreadableCount``.
    ///
    /// - Throws: ``AnchorStoreError/noCertificates`` if none of them can be read.
    public init(pemBundle: some Collection<UInt8>) throws(AnchorStoreError) {
        let bundle = PEMBundle(Array(pemBundle))
        unreadableCount = bundle.unreadableCount
        for bytes in bundle.certificates {
            if let fields = CertificateFields(certificate: bytes[...]) {
                bySubject[NameKey(fields.subject), default: []].append(Anchor(bytes))
            } else {
                unreadableCount += 1
            }
        }
        guard !bySubject.isEmpty else { throw .noCertificates }
    }

    func anchors(withSubject subject: NameKey) -> [Anchor] { bySubject[subject] ?? [] }

    func contains(_ certificate: ParsedCertificate) -> Bool { anchor(equalTo: certificate) != nil }

    /// Returns the anchor with the bytes of a certificate; one with trust settings is preferred.
    func anchor(equalTo certificate: ParsedCertificate) -> ParsedCertificate? {
        let anchors = anchors(withSubject: certificate.subject).filter { $0.bytes == certificate.bytes }
        let parsed = anchors.lazy.compactMap(\.certificate)
        return parsed.first { $0.trust != nil } ?? parsed.first
    }
}

/// An error of reading a bundle of anchors.
@nonexhaustive
public enum AnchorStoreError: Error, Hashable, Sendable {
    /// The bundle has no readable certificate.
    case noCertificates
    /// The operating system has no bundle of anchors at any known path. Holds those paths.
    case noSystemBundle([String])
}

extension AnchorStoreError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .noCertificates:
            ErrorExplanation(
                "anchor.no-certificates", "The bundle of anchors holds no certificate.",
                reason: "Without an anchor no server would be trusted.",
                advice: "Give PEM with at least one block that begins with -----BEGIN CERTIFICATE-----.")
        case .noSystemBundle(let paths):
            ErrorExplanation(
                "anchor.no-system-bundle", "This system has no root certificates at \(paths.joined(separator: ", ")).",
                reason: "Peers are trusted by the root certificates that the system provides.",
                advice: "Install the package ca-certificates, or trust only anchors of your own.")
        }
    }

    package static var examples: [Self] {
        [.noCertificates, .noSystemBundle(["/etc/ssl/certs/ca-certificates.crt"])]
    }
}
