// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
import Synchronization
public import X509

/// Certificates at which a path may end, found by their subject.
///
/// A certificate of a bundle is parsed when a path first needs it, once for all copies of the store: of some 150 anchors, a path needs one
/// or two.
public struct AnchorStore: Sendable {
    final class Anchor: Sendable {
        let bytes: [UInt8]
        private let parsed: Mutex<ParsedCertificate?>

        init(_ bytes: [UInt8], parsed: ParsedCertificate? = nil) {
            self.bytes = bytes
            self.parsed = Mutex(parsed)
        }

        /// `nil` where the bytes are no certificate that is understood.
        var certificate: ParsedCertificate? {
            parsed.withLock { parsed in
                if parsed == nil { parsed = try? ParsedCertificate(anchor: bytes) }
                return parsed
            }
        }
    }

    private var bySubject: [NameKey: [Anchor]] = [:]
    /// How many certificates of the bundle were left out because they cannot be read; 0 for a store without a bundle.
    public private(set) var unreadableCount = 0

    /// Indexes certificates by their subject.
    public init(_ certificates: [Certificate]) {
        self.init(summaries: certificates.map { CertificateSummary($0) })
    }

    init(summaries: [CertificateSummary]) {
        for certificate in summaries.map(\.parsed) {
            bySubject[certificate.subject, default: []].append(Anchor(certificate.bytes, parsed: certificate))
        }
    }

    init(_ certificate: ParsedCertificate) {
        bySubject = [certificate.subject: [Anchor(certificate.bytes, parsed: certificate)]]
    }

    /// Indexes the certificates of a bundle in PEM (RFC 7468); one that cannot be read is left out and counted in ``unreadableCount``.
    ///
    /// - Throws: ``AnchorStoreError/noCertificates`` where none of them can be read.
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

    func contains(_ certificate: ParsedCertificate) -> Bool {
        anchors(withSubject: certificate.subject).contains { $0.bytes == certificate.bytes }
    }
}

/// Why a bundle gave no anchors.
@nonexhaustive
public enum AnchorStoreError: Error, Hashable, Sendable {
    /// The bundle has no certificate that can be read.
    case noCertificates
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
        }
    }

    package static var examples: [Self] { [.noCertificates] }
}
