// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What came of evaluating a server's chain: a value that explains itself.
public struct Verdict: Hashable, Sendable {
    /// One way from the leaf towards an anchor.
    public struct Path: Hashable, Sendable {
        /// Leaf first; the last is an anchor where the path is complete.
        public let certificates: [CertificateSummary]
        /// The check that failed first; `nil` where none did.
        public let failure: TrustFailure?
    }

    /// A rule of ``TrustPolicy/Profile/webPKI`` that a certificate breaks, and that the path's profile lets it break.
    public struct Leniency: Hashable, Sendable {
        /// Who breaks it.
        public let certificate: CertificateSummary
        /// What it breaks.
        public let rule: TrustFailure.Rule
    }

    /// The host that the chain was evaluated for.
    public let host: String
    /// Whether chain and name were checked at all.
    public let validation: TrustPolicy.Validation
    /// Whose rules the trusted path follows; `nil` where there is none.
    public internal(set) var profile: TrustPolicy.Profile?
    /// What the profile let through on the trusted path.
    public internal(set) var leniencies: [Leniency] = []
    /// What does not decide, but is worth knowing.
    public internal(set) var remarks: [Remark] = []
    /// Every path tried, in order; the last is the trusted one where there is one.
    public internal(set) var paths: [Path] = []
    /// Every check that failed, the most telling first.
    public internal(set) var failures: [TrustFailure] = []
    /// What was not handed over and might have led to another verdict.
    public internal(set) var wanted: [EvidenceRequest] = []

    init(host: String, validation: TrustPolicy.Validation) {
        self.host = host
        self.validation = validation
    }

    /// Whether the policy is satisfied.
    public var isTrusted: Bool { failures.isEmpty }

    /// The most telling failure; `nil` when trusted.
    public var failure: TrustFailure? { failures.first }

    /// Whether a person may decide to go on all the same.
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

    /// Where the trusted path ends.
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
