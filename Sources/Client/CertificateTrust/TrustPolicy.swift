// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// The requirements that a server's chain must meet.
public struct TrustPolicy: Hashable, Sendable {
    /// The anchors: the certificates at which a chain may end.
    @nonexhaustive
    public enum Anchors: Hashable, Sendable {
        /// The operating system's anchors.
        case system
        /// The operating system's anchors and these certificates, or names and keys.
        case systemAnd([CertificateSummary])
        /// Only these certificates, one of which may be a server's own certificate, or names and keys
        /// (``CertificateSummary/init(anchorNamed:publicKeyInfo:nameConstraints:)``).
        case only([CertificateSummary])

        /// The operating system's anchors and these certificates.
        @_disfavoredOverload
        public static func systemAnd(_ certificates: [Certificate]) -> Self {
            .systemAnd(certificates.map { CertificateSummary($0) })
        }

        /// Only these certificates, one of which may be a server's own certificate.
        @_disfavoredOverload
        public static func only(_ certificates: [Certificate]) -> Self {
            .only(certificates.map { CertificateSummary($0) })
        }

        /// Hashes the kind, the number of certificates, and the first serial number; hashing is frequent, because every
        /// request looks up a policy.
        public func hash(into hasher: inout Hasher) {
            switch self {
            case .system: hasher.combine(0)
            case .systemAnd(let certificates): combine(certificates, 1, into: &hasher)
            case .only(let certificates): combine(certificates, 2, into: &hasher)
            }
        }

        private func combine(_ certificates: [CertificateSummary], _ kind: Int, into hasher: inout Hasher) {
            hasher.combine(kind)
            hasher.combine(certificates.count)
            hasher.combine(certificates.first?.serialNumber)
        }
    }

    /// The validation of chains and names.
    @nonexhaustive
    public enum Validation: String, Hashable, Sendable, Codable {
        /// Checks chains and names.
        case full
        /// Checks chains and names, and accepts a server without an anchor on first use; later the server must have the
        /// same key, or an anchor.
        ///
        /// On first use, an attacker on the network can impersonate the server.
        case firstUse
        /// Accepts any certificate for any host, so that an attacker on the network can read and change everything.
        ///
        /// Pins and distrusted certificates still apply.
        case dangerouslyDisabled
    }

    /// The rules in addition to RFC 5280 that a path must follow.
    @nonexhaustive
    public enum Profile: String, Hashable, Sendable, Codable {
        /// The CA/Browser Forum's Baseline Requirements, to the extent that clients can check them.
        case webPKI
        /// A profile that tolerates harmless mistakes of private authorities. The verdict lists them.
        case privatePKI
    }

    /// The revocation check of certificates (RFC 5280 section 6.3, RFC 6960).
    @nonexhaustive
    public enum Revocation: String, Hashable, Sendable, Codable {
        /// Revocation is checked only if a certificate demands it (RFC 7633), and then an answer is required.
        case whereDemanded
        /// Revocation is checked; a missing answer only causes a
        /// remark. An attacker on the network can suppress the answer.
        case softFail
        /// Revocation is checked; every certificate below the anchor needs a good answer for the path to be trusted.
        case hardFail
    }

    /// The handling of servers that do not send the certificates between their own and an anchor.
    @nonexhaustive
    public enum MissingIssuers: String, Hashable, Sendable, Codable {
        /// Missing certificates are not fetched; the server must send them.
        case notFetched
        /// Missing certificates are fetched from the URLs in the other certificates (RFC 5280 section 4.2.2.1).
        ///
        /// The server at such a URL learns the client's address. The URLs come from certificates that are not yet
        /// trusted; ``LocalEvidence`` restricts their targets.
        case fetched
    }

    /// Whether revocation lists, OCSP responses and missing issuers may be fetched from local addresses.
    ///
    /// Local addresses are the private (RFC 1918, RFC 4193, RFC 6598), loopback and link-local ones. The rule applies
    /// to the address of the connection, including after a redirect; with a proxy, which resolves names itself, it
    /// applies only to the URL's host.
    @nonexhaustive
    public enum LocalEvidence: String, Hashable, Sendable, Codable {
        /// Local addresses are allowed only if the server itself has an address of the same kind.
        case besideServer
        /// All addresses are allowed. Certificates can then make this program send requests to any host in its network.
        case allowed
    }

    /// The purpose for which a certificate is presented (RFC 5280 section 4.2.1.12).
    @nonexhaustive
    public enum Purpose: String, Hashable, Sendable, Codable, CaseIterable {
        /// The identity of a TLS server.
        case server
        /// The identity of a TLS client.
        case client
        /// The protection of e-mail.
        case email
        /// The signature of software.
        case codeSigning
        /// The signature of timestamps (RFC 3161).
        case timeStamping
        /// Any purpose: extended key usages are not checked.
        case any
    }

    /// The certificates of a path whose revocation is checked.
    @nonexhaustive
    public enum RevocationScope: String, Hashable, Sendable, Codable, CaseIterable {
        /// Every certificate below the anchor.
        case path
        /// Only the leaf.
        case leaf
    }

    /// A weakness that a policy accepts.
    public typealias Weakness = CertificateWeakness

    /// The anchors: the certificates at which a chain may end.
    public var anchors: Anchors
    /// The purpose for which the chain is presented.
    ///
    /// `TrustEvaluator.evaluate(client:named:at:with:)` judges a client whatever the purpose is, except
    /// ``Purpose/any``.
    public var purpose: Purpose
    /// The rules in addition to RFC 5280 that a path must follow.
    ///
    /// `nil` means ``Profile/webPKI`` for paths that end in the system's anchors, and ``Profile/privatePKI`` for paths
    /// that end in other anchors.
    public var profile: Profile?
    /// The pins that the path must satisfy, in addition to all other checks.
    public var pins: PinSet
    /// The certificates that no path may contain, in any position.
    public var distrusted: Set<Certificate>
    /// The revocation check of certificates.
    public var revocation: Revocation
    /// The certificates of a path whose revocation is checked.
    ///
    /// A revocation that the available evidence shows counts for every certificate.
    public var revocationScope: RevocationScope
    /// The accepted weaknesses; the verdict lists each use of one as a remark.
    public var acceptedWeaknesses: Set<Weakness>
    /// The form rules whose violations are tolerated, in addition to those that the profile tolerates; the verdict lists
    /// each violation.
    public var toleratedRules: Set<TrustFailure.Rule>
    /// The requirements of a path's certificate policies (RFC 5280 section 6.1.1).
    public var certificatePolicies: CertificatePolicyInputs
    /// The log list and the rule for a server's signed certificate timestamps; `nil` disables the check.
    ///
    /// The check applies to every server, whatever the anchor of its path. Private authorities seldom use logs.
    public var transparency: CertificateTransparency?
    /// The handling of servers that do not send the certificates between their own and an anchor.
    public var missingIssuers: MissingIssuers
    /// Whether revocation lists, OCSP responses and missing issuers may be fetched from local addresses.
    public var localEvidence: LocalEvidence
    /// The validation of chains and names.
    public var validation: Validation

    /// Makes a policy.
    ///
    /// The defaults are the operating system's anchors and full validation, with revocation checked if a certificate
    /// demands it, and without pins, Certificate Transparency, or fetched certificates.
    public init(
        anchors: Anchors = .system, profile: Profile? = nil, pins: PinSet = [], distrusted: Set<Certificate> = [],
        revocation: Revocation = .whereDemanded, missingIssuers: MissingIssuers = .notFetched,
        localEvidence: LocalEvidence = .besideServer,
        validation: Validation = .full, certificatePolicies: CertificatePolicyInputs = CertificatePolicyInputs(),
        transparency: CertificateTransparency? = nil, purpose: Purpose = .server,
        revocationScope: RevocationScope = .path, acceptedWeaknesses: Set<Weakness> = [],
        toleratedRules: Set<TrustFailure.Rule> = []
    ) {
        self.anchors = anchors
        self.purpose = purpose
        self.revocationScope = revocationScope
        self.acceptedWeaknesses = acceptedWeaknesses
        self.toleratedRules = toleratedRules
        self.profile = profile
        self.pins = pins
        self.distrusted = distrusted
        self.revocation = revocation
        self.missingIssuers = missingIssuers
        self.localEvidence = localEvidence
        self.validation = validation
        self.certificatePolicies = certificatePolicies
        self.transparency = transparency
    }
}
