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
        let encoded: [UInt8]
        /// The place of the certificate in its bundle; `nil` without a bundle.
        let place: PEMBundle.Place?
        private let parsed: Mutex<ParsedCertificate?>

        init(_ encoded: [UInt8], at place: PEMBundle.Place) {
            bytes = AnchorTrust.split(encoded).certificate
            (self.encoded, self.place) = (encoded, place)
            parsed = Mutex(nil)
        }

        init(_ certificate: ParsedCertificate) {
            (bytes, encoded, place) = (certificate.bytes, certificate.bytes, nil)
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
    /// The blocks of the bundle that were not indexed.
    private var skipped: [UnreadCertificate] = []

    /// Indexes certificates by their subject.
    public init(_ certificates: [Certificate]) {
        self.init(summaries: certificates.map { CertificateSummary($0) })
    }

    init(summaries: [CertificateSummary]) {
        for certificate in summaries.map(\.parsed) where certificate.problem == nil {
            bySubject[certificate.subject, default: []].append(Anchor(certificate))
        }
    }

    init(_ certificate: ParsedCertificate) {
        bySubject = [certificate.subject: [Anchor(certificate)]]
    }

    /// Indexes the certificates of a PEM bundle (RFC 7468); ``unread`` lists the other blocks.
    ///
    /// - Throws: ``AnchorStoreError/noCertificates`` if the bundle has no block, and
    ///   ``AnchorStoreError/noneReadable(_:)`` if none of its blocks can be read.
    public init(pemBundle: some Collection<UInt8>) throws(AnchorStoreError) {
        let bundle = PEMBundle(Array(pemBundle))
        skipped = bundle.unread
        for (bytes, place) in bundle.certificates {
            if let fields = CertificateFields(certificate: bytes[...]) {
                bySubject[NameKey(fields.subject), default: []].append(Anchor(bytes, at: place))
            } else {
                skipped.append(place.unread(bytes, .notACertificate))
            }
        }
        guard bySubject.isEmpty else { return }
        guard skipped.isEmpty else { throw .noneReadable(skipped.sorted { $0.position < $1.position }) }
        throw .noCertificates
    }

    /// The blocks of the bundle that were not read, in their order; empty for a store without a bundle.
    ///
    /// The first access parses all certificates of the bundle.
    public var unread: [UnreadCertificate] {
        let malformed = bySubject.values.joined().compactMap { anchor -> UnreadCertificate? in
            guard let place = anchor.place, anchor.certificate == nil else { return nil }
            do throws(CertificateProblem) {
                _ = try ParsedCertificate(anchor: anchor.encoded)
                return nil
            } catch {
                return place.unread(anchor.bytes, error)
            }
        }
        return (skipped + malformed).sorted { $0.position < $1.position }
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
    /// The bundle has no block.
    case noCertificates
    /// None of the bundle's blocks can be read. Holds each with its reason.
    case noneReadable([UnreadCertificate])
    /// The operating system has no bundle of anchors at any known path. Holds those paths.
    case noSystemBundle([String])
    /// An environment variable, `SSL_CERT_FILE` or `SSL_CERT_DIR`, names no readable certificate. Holds its name, its
    /// value, and the reason as a clause.
    case unusableVariable(String, path: String, reason: String)
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
        case .noneReadable(let unread):
            ErrorExplanation(
                "anchor.none-readable", "The bundle of anchors holds no certificate that can be read.",
                reason: unread.lines().map(\.asSentence).joined(separator: " "),
                advice: "Give PEM with at least one certificate that can be read.")
        case .noSystemBundle(let paths):
            ErrorExplanation(
                "anchor.no-system-bundle", "This system has no root certificates at \(paths.joined(separator: ", ")).",
                reason: "Peers are trusted by the root certificates that the system provides.",
                advice: "Install the package ca-certificates, or trust only anchors of your own.")
        case .unusableVariable(let name, let path, let reason):
            ErrorExplanation(
                .notTrusted, "anchor.unusable-variable",
                "The environment variable \(name) names \(path), but \(reason).",
                reason: "The variable replaces the anchors of the system, which are therefore not used.",
                advice: "Correct the variable, or unset it.")
        }
    }

    package static var examples: [Self] {
        [
            .noCertificates, .noneReadable([UnreadCertificate(position: 1, count: 1, line: 1, problem: .notBase64)]),
            .noSystemBundle(["/etc/ssl/certs/ca-certificates.crt"]),
            .unusableVariable("SSL_CERT_FILE", path: "/etc/corp.pem", reason: "it cannot be read"),
        ]
    }
}
