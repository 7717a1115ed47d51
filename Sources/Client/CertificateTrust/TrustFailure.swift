// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// A failed check, with the certificate that failed it and the conflicting values.
@nonexhaustive
public enum TrustFailure: Error, Hashable, Sendable {
    /// The leaf cannot be read; its ``CertificateSummary/problem`` is the reason.
    case unreadable(CertificateSummary)
    /// The leaf is signed by its own key and is not among the anchors.
    case selfSigned(CertificateSummary)
    /// The path ends in a root that is not among the anchors.
    case unknownRoot(CertificateSummary)
    /// Neither the server nor the anchors provide the certificate that issued this one.
    case issuerNotFound(of: CertificateSummary)
    /// The validity period of the certificate ended before the instant `at` of the evaluation (RFC 5280 section
    /// 4.1.2.5).
    case expired(CertificateSummary, at: Date)
    /// The validity period of the certificate begins after the instant `at` of the evaluation (RFC 5280 section
    /// 4.1.2.5).
    case notYetValid(CertificateSummary, at: Date)
    /// None of the leaf's subject alternative names matches the host (RFC 9525 section 6).
    ///
    /// `presented` contains its DNS names and addresses; it is empty if the leaf has only names of other types.
    case hostMismatch(host: String, presented: [String])
    /// The leaf has no subject alternative names; a common name is not compared with the host (RFC 9525 section 2).
    case noSubjectAlternativeNames(CertificateSummary)
    /// No certificate of the path satisfies a pin.
    ///
    /// `pins` are the policy's pins, including backups; `presented` are the pins of the keys in the path, leaf first.
    case pinMismatch(pins: [Pin], presented: [Pin])
    /// The server's key is not the remembered one (``TrustPolicy/Validation/firstUse``).
    case changed(RememberedServer, presented: Pin)
    /// The certificate is among ``TrustPolicy/distrusted``.
    case distrusted(CertificateSummary)
    /// The signature of the certificate was not made with the key of `issuer` (RFC 5280 section 6.1.3).
    case badSignature(CertificateSummary, issuer: CertificateSummary)
    /// The certificate is above another one in the path, but is not a CA certificate (RFC 5280 section 4.2.1.9).
    case notAnAuthority(CertificateSummary)
    /// The path has more authorities below this one than it allows, not counting self-issued ones (RFC 5280 section
    /// 4.2.1.9).
    case pathTooLong(CertificateSummary, allowed: Int, found: Int)
    /// The certificate's key usage does not allow its use in the path (RFC 5280 section 4.2.1.3).
    ///
    /// `needed` and `found` are key usages by their names in RFC 5280; one of those in `needed` is sufficient.
    case keyUsage(CertificateSummary, needed: [String], found: [String])
    /// The certificate's extended key usage does not allow the purpose of the path, such as server authentication (RFC
    /// 5280 section 4.2.1.12).
    ///
    /// `needed` and `found` are purposes by their names in RFC 5280, or
    /// as object identifiers; all of those in `needed` are required.
    case extendedKeyUsage(CertificateSummary, needed: [String], found: [String])
    /// The certificate has a `name` for which `authority`, above it in the path, may not issue certificates (RFC 5280
    /// section 4.2.1.10).
    ///
    /// `constraint` is the constraint that forbids the name, such as `permitted: b.example`.
    case nameConstraints(CertificateSummary, name: String, authority: CertificateSummary, constraint: String)
    /// The path is valid for no certificate policy, but one is required (RFC 5280 section 6.1.3).
    ///
    /// `requiredBy` is the certificate whose policy constraints require one; `nil` if
    /// ``TrustPolicy/certificatePolicies`` require it.
    case noValidPolicy(CertificateSummary, PolicyProblem, requiredBy: CertificateSummary?)
    /// The certificate has a critical extension that is not supported
    /// (RFC 5280 section 4.2). Holds its object identifier.
    case unknownCriticalExtension(CertificateSummary, String)
    /// An extension cannot be read, or violates the standard. Holds its object identifier.
    case malformedExtension(CertificateSummary, String)
    /// The certificate's signature can be forged, and ``TrustPolicy/acceptedWeaknesses`` do not accept it. Holds the
    /// name of the broken hash or algorithm.
    case weakSignature(CertificateSummary, String)
    /// The certificate's RSA key has fewer than 2048 bits, and ``TrustPolicy/acceptedWeaknesses`` do not accept it.
    case weakKey(CertificateSummary, bits: Int)
    /// The type of the certificate's key is not supported, so that no signature of the key can be verified.
    case unsupportedKey(CertificateSummary, UnsupportedAlgorithm)
    /// The algorithm of the certificate's signature is not supported, so that the signature cannot be verified.
    case unsupportedSignatureAlgorithm(CertificateSummary, UnsupportedAlgorithm)
    /// The certificate breaks a form rule of the path's profile.
    case nonconforming(CertificateSummary, Rule)
    /// The issuer has revoked the certificate; `at` is the revocation date (RFC 5280 section 5.3, RFC 6960).
    case revoked(CertificateSummary, at: Date, reason: RevocationReason)
    /// The revocation status of the certificate is unknown, but the policy or the certificate requires it.
    ///
    /// Holds the problem of the evidence; `nil` if there was no answer.
    case revocationUnknown(CertificateSummary, RevocationProblem?)
    /// The certificate requires its server to staple an OCSP response (RFC 7633), and the stapled one does not show that
    /// the certificate is good.
    ///
    /// Holds the problem of the response. Without a staple, the failure is ``revocationUnknown(_:_:)``.
    case badStaple(CertificateSummary, RevocationProblem)
    /// Too few logs have promised to include the certificate (RFC 6962), by the rule of ``TrustPolicy/transparency``.
    case transparencyInsufficient(CertificateSummary, TransparencyShortfall)
    /// The evaluation reached one of its bounds, which grow with the number of certificates and no honest chain reaches.
    ///
    /// `allowed` is the bound, and `met` the number that the evaluation reached or needed.
    case budgetExhausted(Bound, allowed: Int, met: Int)

    /// A bound on the work of an evaluation.
    @nonexhaustive
    public enum Bound: String, Hashable, Sendable, Codable, CaseIterable {
        /// The number of signatures checked in a path search.
        case signatureChecks = "signature-checks"
        /// The number of possible issuers tried in a path search.
        case candidates
        /// The number of certificates in a path.
        case pathLength = "path-length"
        /// The number of comparisons of names with name constraints.
        case nameComparisons = "name-comparisons"
        /// The number of signatures checked on revocation lists, OCSP responses and their signers.
        case revocationChecks = "revocation-checks"
        /// The number of certificates presented in addition to the leaf.
        case certificates
    }

    /// Whether the user may override the failure: no anchor was found, the time is outside the validity period, or the
    /// host does not match.
    ///
    /// Every other failure indicates a fault or an attack.
    public var isRecoverable: Bool {
        switch self {
        case .selfSigned, .unknownRoot, .issuerNotFound, .expired, .notYetValid, .hostMismatch,
            .noSubjectAlternativeNames:
            true
        default: false
        }
    }

    /// Whether the path reached no anchor.
    var isDeadEnd: Bool {
        switch self {
        case .selfSigned, .unknownRoot, .issuerNotFound: true
        default: false
        }
    }

    /// Whether a signature was not made by the named issuer.
    var isForgery: Bool { if case .badSignature = self { true } else { false } }
}

extension TrustFailure {
    /// A rule for the form of certificates.
    ///
    /// The profile of a path determines which rules apply (``TrustPolicy/Profile``).
    @nonexhaustive
    public enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
        /// A serial number is positive and has at most 20 octets, except in roots (RFC 5280 section 4.1.2.2).
        case serialNumber = "serial-number"
        /// An authority's subject is not empty (RFC 5280 section 4.1.2.6).
        case authorityName = "authority-name"
        /// Times through 2049 are UTCTime and later ones GeneralizedTime, in UTC with seconds (RFC 5280 section
        /// 4.1.2.5).
        case validityEncoding = "validity-encoding"
        /// Every certificate that is not self-issued has an authority key identifier (RFC 5280 section 4.2.1.1).
        case authorityKeyIdentifier = "authority-key-identifier"
        /// An authority has a subject key identifier (RFC 5280 section 4.2.1.2).
        case subjectKeyIdentifier = "subject-key-identifier"
        /// An authority has the key usage extension (RFC 5280 section 4.2.1.3).
        case authorityKeyUsage = "authority-key-usage"
        /// An authority's basic constraints are critical (RFC 5280 section 4.2.1.9).
        case criticalBasicConstraints = "critical-basic-constraints"
        /// Only an authority has the key usage keyCertSign (RFC 5280 section 4.2.1.9).
        case signingWithoutAuthority = "signing-without-authority"
        /// Subject alternative names are critical if the subject is empty (RFC 5280 section 4.2.1.6).
        case criticalAlternativeNames = "critical-alternative-names"
        /// The DNS names of a leaf have the preferred name syntax; a wildcard may be the first label (RFC 5280 section
        /// 4.2.1.6).
        case alternativeNameSyntax = "alternative-name-syntax"
        /// Only an authority has name constraints (RFC 5280 section 4.2.1.10).
        case constraintsWithoutAuthority = "constraints-without-authority"
        /// Name constraints are critical (RFC 5280 section 4.2.1.10).
        case criticalNameConstraints = "critical-name-constraints"
        /// Policy constraints are critical (RFC 5280 section 4.2.1.11).
        case criticalPolicyConstraints = "critical-policy-constraints"
        /// The signature algorithm in the signed part equals the outer one (RFC 5280 section 4.1.1.2).
        case signatureAlgorithm = "signature-algorithm"
        /// A certificate with extensions has version 3 (RFC 5280 section 4.1.2.1).
        case version
        /// A certificate has the TLS features of its issuer (RFC 7633 section 4.2.2).
        case inheritedFeatures = "inherited-features"
        /// A server certificate is not a CA certificate (Baseline Requirements section 7.1.2.7.8).
        case serverIsAuthority = "server-is-authority"
        /// A server's extended key usage is present, not critical, and does not contain anyExtendedKeyUsage (Baseline
        /// Requirements section 7.1.2.7.10).
        case serverPurposes = "server-purposes"
        /// A root has no extended key usage (Baseline Requirements section 7.1.2.1.2).
        case rootPurposes = "root-purposes"
        /// A root's authority key identifier, if present, contains its subject key identifier and nothing else
        /// (Baseline Requirements section 7.1.2.1.3).
        case rootKeyIdentifier = "root-key-identifier"
        /// A server's common name equals one of its subject alternative names exactly (Baseline Requirements section
        /// 7.1.4.3).
        ///
        /// Two deviations are accepted: the domain of a wildcard, and a host name if the alternative names contain no
        /// DNS name.
        case commonName = "common-name"
        /// Subject alternative names are not critical if the subject is not empty (Baseline Requirements section
        /// 7.1.2.7.12).
        case uncriticalAlternativeNames = "uncritical-alternative-names"
        /// The authority information access, if present, is well-formed (Baseline Requirements section 7.1.2.7.7).
        case authorityInformation = "authority-information"
        /// A wildcard that matches the host is not directly below a public suffix, as in `*.co.uk` (Baseline
        /// Requirements section 3.2.2.6).
        case wildcardOnPublicSuffix = "wildcard-on-public-suffix"
        /// An RSA key's size is a multiple of 8 bits (Baseline Requirements section 6.1.5).
        case keySize = "key-size"
        /// Keys and signatures use RSA or the curves of NIST with SHA-256, SHA-384 or SHA-512 (Baseline Requirements
        /// section 7.1.3). Ed25519 is accepted too.
        case baselineAlgorithms = "baseline-algorithms"
        /// Default values are omitted, the Boolean TRUE is encoded as 0xff, and the attributes of a relative name are
        /// sorted (RFC 5280 section 4.1, X.690 sections 11.1, 11.5 and 11.6).
        case canonicalEncoding = "canonical-encoding"
        /// The extensions, subtrees, policy constraints and TLS features have at least one element (RFC 5280 sections
        /// 4.1.2.9, 4.2.1.10 and 4.2.1.11).
        case emptySequences = "empty-sequences"
        /// A key usage has at most nine bits, without zero bits at the end (RFC 5280 section 4.2.1.3, X.690 section 11.2).
        case keyUsageEncoding = "key-usage-encoding"
        /// An authority has basic constraints (RFC 5280 section 4.2.1.9).
        ///
        /// Without them, only an anchor can be an authority: one of version 1 or 2 that is self-issued, and one with the
        /// key usage keyCertSign.
        case authorityBasicConstraints = "authority-basic-constraints"
        /// Only an authority has a path length (RFC 5280 section 4.2.1.9).
        case pathLengthWithoutAuthority = "path-length-without-authority"
        /// A constraint on DNS names does not begin with a dot (RFC 5280 section 4.2.1.10).
        case nameConstraintSyntax = "name-constraint-syntax"
        /// No certificate policy occurs twice (RFC 5280 section 4.2.1.4).
        case duplicatePolicies = "duplicate-policies"
        /// Extensions that restrict no path are not critical: key identifiers, access information, issuer alternative
        /// names, distribution points, and application policies beside an extended key usage (RFC 5280 section 4.2).
        case uncriticalInformation = "uncritical-information"
        /// The extended key usage of a time-stamping authority is critical, and contains only timeStamping (RFC 3161
        /// section 2.3).
        case timeStampingPurposes = "time-stamping-purposes"
    }
}
