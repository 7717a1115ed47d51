// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
public import EssentialFoundation

/// The result of evaluating a chain, with its explanation.
public struct Verdict: Hashable, Sendable {
    /// A path from the leaf toward an anchor.
    public struct Path: Hashable, Sendable {
        /// The certificates, leaf first.
        ///
        /// The last is an anchor if the path is complete.
        public var certificates: [CertificateSummary] { parsed.map(\.summary) }
        let parsed: [ParsedCertificate]
        /// The check that failed first; `nil` if none failed.
        public let failure: TrustFailure?
        /// Whether the last certificate is an anchor, even if a check failed.
        public let endsInAnchor: Bool
        let findings: [CertificateAnswers]?

        /// The revocation answers for the certificates below the
        /// anchor, leaf first; `nil` if another check failed before.
        public var revocation: [RevocationFinding]? {
            findings.map {
                zip(parsed, $0).map {
                    RevocationFinding(certificate: $0.summary, answer: $1.answer, sources: $1.sources)
                }
            }
        }
    }

    /// The revocation answer for one certificate of a path.
    public struct RevocationFinding: Hashable, Sendable {
        /// The certificate.
        public let certificate: CertificateSummary
        /// The answer from all sources.
        public let answer: RevocationAnswer
        /// The answers of the single sources: lists, then responses, then sources that could not be asked.
        public let sources: [RevocationSourceAnswer]
    }

    /// A rule of ``TrustPolicy/Profile/webPKI`` that a certificate breaks, but that the path's profile does not enforce or
    /// the policy tolerates (``TrustPolicy/toleratedRules``).
    public struct Leniency: Hashable, Sendable {
        /// The certificate that breaks the rule.
        public let certificate: CertificateSummary
        /// The rule.
        public let rule: TrustFailure.Rule
    }

    /// The purpose for which the chain was evaluated.
    public let purpose: TrustPolicy.Purpose
    /// The host or client name for which the chain was evaluated; empty if the caller gave no name.
    public let host: String
    /// The validation that was performed.
    public let validation: TrustPolicy.Validation
    /// The profile of the trusted path; `nil` if there is none.
    public internal(set) var profile: TrustPolicy.Profile?
    /// The certificate policies for which the trusted path is valid and that the policy accepts (RFC 5280 section
    /// 6.1.6).
    public internal(set) var certificatePolicies: Set<CertificatePolicyIdentifier> = []
    /// The signed certificate timestamps of the server's certificate: those in the certificate, then those delivered by
    /// TLS and in OCSP responses.
    ///
    /// The list is empty unless the policy requires Certificate Transparency and a path was found.
    public internal(set) var timestamps: [TimestampFinding] = []
    /// The broken rules that neither the profile of the trusted path nor the policy enforces.
    public internal(set) var leniencies: [Leniency] = []
    /// Notable facts that do not change the verdict.
    public internal(set) var remarks: [Remark] = []
    /// All paths tried, in order; if one is trusted, it is the last.
    public internal(set) var paths: [Path] = []
    /// The failures of all checks, the most informative first.
    public internal(set) var failures: [TrustFailure] = []
    /// The failures that the key of the server overrides, the most informative first; empty unless ``isTrustedByKey``.
    public internal(set) var overriddenFailures: [TrustFailure] = []
    /// The use of each available revocation list, and then of each OCSP response; empty if chains are not checked.
    public internal(set) var evidence: [EvidenceUse] = []
    /// The certificates of the chain, and of the evidence, that were not read; a leaf that was not read is the subject of
    /// ``failure``.
    public internal(set) var unread: [UnreadCertificate] = []
    /// The missing evidence that could have led to another verdict.
    public internal(set) var wanted: [EvidenceRequest] = []

    init(host: String, validation: TrustPolicy.Validation, purpose: TrustPolicy.Purpose = .server) {
        self.purpose = purpose
        self.host = host
        self.validation = validation
    }

    /// Whether the policy is satisfied.
    public var isTrusted: Bool { failures.isEmpty }

    /// The most informative failure; `nil` if the chain is trusted.
    public var failure: TrustFailure? { failures.first }

    /// Whether the user may override the verdict, see ``TrustFailure/isRecoverable``; `false` if the chain is trusted.
    public var isRecoverable: Bool { !isTrusted && failures.allSatisfy(\.isRecoverable) }

    /// Whether a check failed, but the server is trusted because of its key (``TrustPolicy/Validation/firstUse``).
    public var isTrustedByKey: Bool {
        isTrusted
            && remarks.contains { remark in
                switch remark {
                case .firstUse, .knownSince: true
                default: false
                }
            }
    }

    /// The trusted path, leaf first; `nil` if the chain is distrusted,
    /// not validated, or trusted only because of its key.
    public var path: [CertificateSummary]? {
        guard isTrusted, !isTrustedByKey, let last = paths.last, last.failure == nil else { return nil }
        return last.certificates
    }

    /// The anchor of the trusted path; `nil` if ``path`` is `nil`.
    public var anchor: CertificateSummary? { path?.last }

    /// Refuses a leaf that was not read, regardless of the validation: neither its key nor its names are certain.
    mutating func refuseUnreadableLeaf(_ leaf: ParsedCertificate) {
        let failure = TrustFailure.unreadable(leaf.summary)
        paths = [Path(parsed: [leaf], failure: failure, endsInAnchor: false, findings: nil)]
        fail([failure])
    }

    /// Adds failures without duplicates, and sorts them, the most informative first.
    mutating func fail(_ added: [TrustFailure]) {
        guard !added.isEmpty else { return }
        var known: [TrustFailure] = []
        for failure in failures + added where !known.contains(failure) { known.append(failure) }
        failures = known.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element)
    }
}

extension TrustFailure {
    /// The rank of the failure in an explanation; the failure with the lowest rank is the main one.
    var rank: Int {
        switch self {
        case .unreadable, .pinMismatch, .changed, .revoked, .distrusted: 0
        case .budgetExhausted: 1
        case .badSignature, .malformedExtension: 2
        case .weakSignature, .weakKey, .unsupportedKey, .unsupportedSignatureAlgorithm: 3
        case .notAnAuthority, .pathTooLong, .keyUsage, .extendedKeyUsage, .nameConstraints, .noValidPolicy,
            .unknownCriticalExtension, .nonconforming:
            4
        // An unknown issuer is more informative than a wrong time.
        case .selfSigned: 5
        case .unknownRoot: 6
        case .issuerNotFound: 7
        case .revocationUnknown, .badStaple, .transparencyInsufficient, .expired, .notYetValid: 8
        case .hostMismatch, .noSubjectAlternativeNames: 9
        }
    }
}

extension Verdict {
    /// A notable fact that does not change the verdict.
    @nonexhaustive
    public enum Remark: Hashable, Sendable {
        /// The pins of the policy have expired.
        case pinsExpired(on: Date)
        /// A backup key is in use, so that there may be no further backup key.
        case backupPinInUse(Pin)
        /// No certificate of the path satisfies a pin, and the enforcement is ``PinSet/Enforcement/reportOnly``.
        ///
        /// `pins` are the policy's pins, including backups; `presented`
        /// are the pins of the keys in the path, leaf first.
        case pinMismatchReported(pins: [Pin], presented: [Pin])
        /// The issuer states that the certificate is not revoked. The statement is valid until the given time.
        case notRevoked(CertificateSummary, until: Date)
        /// The revocation status of the certificate is unknown, but the policy does not require it.
        ///
        /// Holds the problem of the evidence; `nil` if there was no answer.
        case revocationUnknown(CertificateSummary, RevocationProblem?)
        /// The server stapled an OCSP response (RFC 6066 section 8) that shows that its certificate is not revoked.
        case stapled(CertificateSummary)
        /// The certificate requires its server to staple an OCSP response (RFC 7633); none was received, and one was
        /// fetched instead.
        case stapleFetched(CertificateSummary)
        /// The certificate's signature can be forged, and ``TrustPolicy/acceptedWeaknesses`` accept it. Holds the name
        /// of the broken hash.
        case weakSignatureAccepted(CertificateSummary, String)
        /// The certificate's RSA key has fewer than 2048 bits, and ``TrustPolicy/acceptedWeaknesses`` accept it.
        case weakKeyAccepted(CertificateSummary, bits: Int)
        /// The signature of a list or an OCSP response about the certificate can be forged, or its signer has a weak
        /// key, and ``TrustPolicy/acceptedWeaknesses`` accept it.
        case weakEvidenceAccepted(CertificateSummary)
        /// The log list in ``TrustPolicy/transparency`` is more than 70 days old. Holds the time at which it was made.
        case logListOutdated(Date)
        /// The path of the server ends at an anchor, and no key was remembered. Holds the key to remember from now on.
        case seenFirst(RememberedServer)
        /// The server has no path to an anchor, and no key was remembered. Holds the key to remember from now on.
        case firstUse(RememberedServer)
        /// The server has no path to an anchor, and its key is the remembered one. Holds the remembered key.
        case knownSince(RememberedServer)
    }
}

extension Verdict.Remark {
    /// The explanation, in one or two sentences.
    public var explanation: String {
        switch self {
        case .pinsExpired(let day): "The pins expired on \(day.dayText): renew them."
        case .backupPinInUse(let pin): "The backup pin \(pin) is in use: add a pin for a new backup key."
        case .pinMismatchReported(_, let presented):
            """
            No certificate in its chain matches a pin, which is only reported; its keys are \
            \(presented.map(\.description).joined(separator: ", ")).
            """
        case .notRevoked(let certificate, let until):
            RevocationAnswer.good(until: until).explanation(about: certificate)
        case .revocationUnknown(let certificate, let problem):
            RevocationAnswer.unknown(problem).explanation(about: certificate)
        case .stapled: "The server sent the OCSP response in the handshake."
        case .stapleFetched(let certificate):
            """
            \(certificate.subject) demands an OCSP response with every handshake, and none was received; one was fetched.
            """
        case .weakSignatureAccepted(let certificate, let algorithm):
            "\(certificate.title) is signed with \(algorithm), which can be forged; the policy accepts it."
        case .weakKeyAccepted(let certificate, let bits):
            "\(certificate.title) has an RSA key of \(bits) bits, which is weak; the policy accepts it."
        case .weakEvidenceAccepted(let certificate):
            """
            The revocation information about \(certificate.title) has a weak signature, which can be forged; the policy \
            accepts it.
            """
        case .logListOutdated(let time):
            "The log list was made on \(time.dayText): a newer one may contain the logs in current use."
        case .seenFirst(let server): "Its key \(server.key) is remembered."
        case .firstUse(let server): "Its key \(server.key) is seen for the first time."
        case .knownSince(let server): "Its key is the one first seen on \(server.since.dayText)."
        }
    }
}

extension Verdict.RevocationFinding {
    /// The answer, in one or two sentences.
    public var explanation: String { answer.explanation(about: certificate) }
}

extension RevocationAnswer {
    /// Returns the answer about a certificate, in one or two sentences.
    fileprivate func explanation(about certificate: CertificateSummary) -> String {
        switch self {
        case .good(let until): "\(certificate.title) is not revoked; its status is valid until \(until.dayText)."
        case .revoked(let time, let reason):
            "\(certificate.title) was revoked on \(time.dayText) (\(reason.text))."
        case .unknown(let problem):
            "It is not known whether \(certificate.title) is revoked. "
                + (problem?.explanation.message ?? "No responder and no revocation list answered.")
        case .notAsked:
            """
            Revocation was not checked for \(certificate.title): the policy asks for it only where a certificate demands it.
            """
        case .outOfScope:
            "Revocation was not checked for \(certificate.title): the policy asks for it only for the leaf."
        }
    }
}
