// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The result of evaluating a server's chain, with its explanation.
public struct Verdict: Hashable, Sendable {
    /// A path from the leaf towards an anchor.
    public struct Path: Hashable, Sendable {
        /// The certificates, leaf first.
        ///
        /// The last is an anchor if the path is complete.
        public var certificates: [CertificateSummary] { parsed.map(\.summary) }
        let parsed: [ParsedCertificate]
        /// The check that failed first; `nil` if none failed.
        public let failure: TrustFailure?
        /// Whether the last certificate is an anchor, also if a check failed.
        public let endsInAnchor: Bool
        let answers: [RevocationAnswer]?

        /// The answers about the revocation of the certificates below the anchor, leaf first; `nil` where another check failed before.
        public var revocation: [RevocationFinding]? {
            answers.map { zip(parsed, $0).map { RevocationFinding(certificate: $0.summary, answer: $1) } }
        }
    }

    /// The answer about the revocation of one certificate of a path.
    public struct RevocationFinding: Hashable, Sendable {
        /// The certificate.
        public let certificate: CertificateSummary
        /// The answer.
        public let answer: RevocationAnswer
    }

    /// A rule of ``TrustPolicy/Profile/webPKI`` that a certificate breaks, and that the path's profile lets it break.
    public struct Leniency: Hashable, Sendable {
        /// The certificate that breaks the rule.
        public let certificate: CertificateSummary
        /// The rule.
        public let rule: TrustFailure.Rule
    }

    /// The host, or the client's name, that the chain was evaluated for; empty where the caller gave no name.
    public let host: String
    /// Whether chain and names were checked.
    public let validation: TrustPolicy.Validation
    /// The profile of the trusted path; `nil` if there is none.
    public internal(set) var profile: TrustPolicy.Profile?
    /// The certificate policies for which the trusted path is good and that the policy accepts (RFC 5280 section 6.1.6).
    public internal(set) var certificatePolicies: Set<CertificatePolicyIdentifier> = []
    /// The signed certificate timestamps of the server's certificate: those in the certificate, then those by TLS and in OCSP responses.
    ///
    /// Empty unless the policy requires Certificate Transparency and a path was found.
    public internal(set) var timestamps: [TimestampFinding] = []
    /// The broken rules that the profile of the trusted path allows.
    public internal(set) var leniencies: [Leniency] = []
    /// Facts that do not change the verdict, but are worth knowing.
    public internal(set) var remarks: [Remark] = []
    /// Every path tried, in order; the last is the trusted one where there is one.
    public internal(set) var paths: [Path] = []
    /// Every check that failed, the most informative first.
    public internal(set) var failures: [TrustFailure] = []
    /// The use of each revocation list that was handed over, and then of each OCSP response; empty where chains are not checked.
    public internal(set) var evidence: [EvidenceUse] = []
    /// The missing evidence that could have led to another verdict.
    public internal(set) var wanted: [EvidenceRequest] = []

    init(host: String, validation: TrustPolicy.Validation) {
        self.host = host
        self.validation = validation
    }

    /// Whether the policy is satisfied.
    public var isTrusted: Bool { failures.isEmpty }

    /// The most informative failure; `nil` when trusted.
    public var failure: TrustFailure? { failures.first }

    /// Whether a person may override the verdict, see ``TrustFailure/isRecoverable``; `false` when trusted.
    public var isRecoverable: Bool { !isTrusted && failures.allSatisfy(\.isRecoverable) }

    /// Whether a check failed, and the server is trusted for its key alone (``TrustPolicy/Validation/firstUse``).
    public var isTrustedForItsKey: Bool {
        isTrusted
            && remarks.contains { remark in
                switch remark {
                case .firstUse, .knownSince: true
                default: false
                }
            }
    }

    /// The trusted path, leaf first; `nil` when distrusted, not validated, or known from first sight only.
    public var path: [CertificateSummary]? {
        guard isTrusted, !isTrustedForItsKey, let last = paths.last, last.failure == nil else { return nil }
        return last.certificates
    }

    /// The anchor of the trusted path; `nil` where ``path`` is.
    public var anchor: CertificateSummary? { path?.last }

    /// Adds failures, each once, the most telling first.
    mutating func fail(_ added: [TrustFailure]) {
        guard !added.isEmpty else { return }
        var known: [TrustFailure] = []
        for failure in failures + added where !known.contains(failure) { known.append(failure) }
        failures = known.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element)
    }
}

extension TrustFailure {
    /// How much it says beside other failures: the lowest is the headline.
    var rank: Int {
        switch self {
        case .pinMismatch, .changed, .revoked, .distrusted: 0
        case .budgetExhausted: 1
        case .badSignature, .malformedExtension: 2
        case .weakSignature, .weakKey: 3
        case .notAnAuthority, .pathTooLong, .keyUsage, .extendedKeyUsage, .nameConstraints, .noValidPolicy,
            .unknownCriticalExtension, .nonconforming:
            4
        // Who it is says more than when it was.
        case .selfSigned: 5
        case .unknownRoot: 6
        case .issuerNotFound: 7
        case .revocationUnknown, .transparencyInsufficient, .expired, .notYetValid: 8
        case .hostMismatch, .noSubjectAlternativeNames: 9
        }
    }
}
