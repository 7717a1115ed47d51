// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

extension Verdict {
    /// Why a server is not trusted: the cause first, then what it means, then what to try.
    ///
    /// - Parameter server: The server as the subject of the sentence, such as `localhost:8443` or `The proxy 127.0.0.1:3128`.
    /// - Returns: An explanation under the code of the most telling failure; `nil` where the server is trusted.
    public func explanation(of server: String) -> ErrorExplanation? {
        guard let failure else { return nil }
        let naming = naming
        let cause = failure.parts(naming)
        return ErrorExplanation(
            cause.code, "\(server) is not trusted: \(cause.clause)\(others(than: cause.clause, naming)).",
            reason: wrongClock ?? [cause.reason, suspicion].compactMap(\.self).joined(separator: " "),
            advice: wrongClock == nil ? cause.advice : "Set the clock of this device, then try again.")
    }

    /// The explanation of the verdict, in sentences.
    public var explanation: String {
        guard let explanation = explanation(of: host.isEmpty ? "The chain" : host) else { return success }
        return explanation.message + " " + explanation.reason
    }

    private var success: String {
        switch validation {
        case .dangerouslyDisabled: "\(host) was not asked to prove who it is: validation is switched off."
        case .firstUse where isTrustedForItsKey:
            "\(host) is trusted for its key alone, without an anchor. "
                + remarks.map(\.explanation).joined(separator: " ")
        case .full, .firstUse: "\(host) proved that it is \(host)."
        }
    }

    /// The failures beside the headline, each once and at most three of them.
    private func others(than headline: String, _ naming: CertificateNaming) -> String {
        var clauses: [String] = []
        for failure in failures.dropFirst() {
            let clause = failure.parts(naming).clause
            if clause != headline, !clauses.contains(clause) { clauses.append(clause) }
        }
        guard !clauses.isEmpty else { return "" }
        let rest = clauses.count > 3 ? "; and \(clauses.count - 3) more" : ""
        return "; also: " + clauses.prefix(3).joined(separator: "; ") + rest
    }

    /// That something else than the server may have answered under its name.
    private var suspicion: String? {
        guard failure?.isDeadEnd == true, (try? HostName(host))?.isPublicName == true else { return nil }
        return """
            \(host) is a public name: a captive portal, a proxy that inspects TLS or an interception product may answer in its \
            place.
            """
    }

    /// That every certificate of a path, its root aside, is expired or that every one is not yet valid.
    private var wrongClock: String? {
        switch failure {
        case .expired(_, let time) where isOff({ time > $0.notAfter }): wrongClock(time, "has expired")
        case .notYetValid(_, let time) where isOff({ time < $0.notBefore }): wrongClock(time, "is not yet valid")
        default: nil
        }
    }

    private func wrongClock(_ time: Date, _ state: String) -> String {
        """
        Every certificate of its path \(state) at \(time.dayText), the time of this check, so this device's clock is probably wrong.
        """
    }

    /// One certificate says nothing of the clock; a root outlives a clock that is years ahead.
    private func isOff(_ test: (CertificateSummary) -> Bool) -> Bool {
        paths.contains { path in
            path.certificates.count(where: test) > 1
                && path.certificates.allSatisfy { test($0) || $0.isSelfIssued }
        }
    }
}

extension Verdict.Leniency {
    /// The broken rule, in a sentence.
    public var explanation: String {
        rule.offence(of: certificate, called: CertificateNaming().certificate(certificate)).asSentence
    }
}

/// How a sentence refers to the certificates of a chain: "its certificate", or the certificate of a subject.
struct CertificateNaming {
    /// The server's own certificate; `nil` where a failure is told by itself.
    var leaf: CertificateSummary?
    /// Those that may have issued it.
    var issuers: Set<CertificateSummary> = []

    /// The possessive by which the server is known.
    var server: String { leaf == nil ? "the server's" : "its" }

    /// A certificate, as the subject of a sentence.
    func certificate(_ certificate: CertificateSummary) -> String {
        if certificate == leaf { return "its certificate" }
        return "the certificate of \(issuers.contains(certificate) ? "its issuer " : "")\(certificate.title)"
    }
}

extension CertificateSummary {
    /// The subject; the serial number where there is none.
    var title: String { subject.isEmpty ? "the serial number \(serialNumber)" : subject }

    /// Whether subject and issuer have the same name.
    var isSelfIssued: Bool { parsed.isSelfIssued }
}

extension Verdict {
    /// The chain as the sentences about it name it.
    var naming: CertificateNaming {
        CertificateNaming(
            leaf: paths.first?.certificates.first,
            issuers: Set(paths.compactMap { $0.certificates.dropFirst().first }))
    }
}
