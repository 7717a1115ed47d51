// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// The check that a path failed, the certificate that it failed on, and the values that disagreed.
@nonexhaustive
public enum TrustFailure: Error, Hashable, Sendable {
    /// The leaf is signed by its own key and is not among the anchors.
    case selfSigned(CertificateSummary)
    /// The path ends in a root that is not among the anchors.
    case unknownRoot(CertificateSummary)
    /// Neither the server nor the anchors have the certificate that issued this one.
    case issuerNotFound(of: CertificateSummary)
    /// The validity of the certificate ended before the instant `at` of the evaluation (RFC 5280 section 4.1.2.5).
    case expired(CertificateSummary, at: Date)
    /// The validity of the certificate begins after the instant `at` of the evaluation (RFC 5280 section 4.1.2.5).
    case notYetValid(CertificateSummary, at: Date)
    /// None of the leaf's subject alternative names matches the host (RFC 9525 section 6).
    ///
    /// `presented` are its DNS names and addresses; empty where it has only names of other kinds.
    case hostMismatch(host: String, presented: [String])
    /// The leaf has no subject alternative names; a common name is not compared with the host (RFC 9525 section 2).
    case noSubjectAlternativeNames(CertificateSummary)
    /// No certificate of the path satisfies a pin.
    ///
    /// `pins` are those of the policy, backups included; `presented` are pins of the keys in the path, leaf first.
    case pinMismatch(pins: [Pin], presented: [Pin])
    /// The server's key is not the one that was remembered (``TrustPolicy/Validation/firstUse``).
    case changed(RememberedServer, presented: Pin)
    /// The certificate is among ``TrustPolicy/distrusted``.
    case distrusted(CertificateSummary)
    /// The signature of the certificate was not made with the key of `issuer` (RFC 5280 section 6.1.3).
    case badSignature(CertificateSummary, issuer: CertificateSummary)
    /// The certificate is above another one in the path, and is not an authority's (RFC 5280 section 4.2.1.9).
    case notAnAuthority(CertificateSummary)
    /// The path has more authorities below this one than it allows, self-issued ones aside (RFC 5280 section 4.2.1.9).
    case pathTooLong(CertificateSummary, allowed: Int, found: Int)
    /// The certificate does not allow its key the use that the path makes of it (RFC 5280 section 4.2.1.3).
    ///
    /// `needed` and `found` are usages by their names in RFC 5280; one of those needed is enough.
    case keyUsage(CertificateSummary, needed: [String], found: [String])
    /// The certificate is not for the purpose of the path, such as the authentication of servers (RFC 5280 section 4.2.1.12).
    ///
    /// `needed` and `found` are purposes by their names in RFC 5280, or as object identifiers; all of those needed are required.
    case extendedKeyUsage(CertificateSummary, needed: [String], found: [String])
    /// The certificate has a `name` that `authority`, above it in the path, may not issue certificates for (RFC 5280 section 4.2.1.10).
    ///
    /// `constraint` is the constraint that forbids it, such as `permitted: b.example`.
    case nameConstraints(CertificateSummary, name: String, authority: CertificateSummary, constraint: String)
    /// The path is good for no certificate policy, and one is required (RFC 5280 section 6.1.3).
    ///
    /// `requiredBy` is the certificate whose policy constraints require one; `nil` where ``TrustPolicy/certificatePolicies`` do.
    case noValidPolicy(CertificateSummary, PolicyProblem, requiredBy: CertificateSummary?)
    /// The certificate has a critical extension that is not supported (RFC 5280 section 4.2). Holds its object identifier.
    case unknownCriticalExtension(CertificateSummary, String)
    /// An extension cannot be read, or contradicts the standard. Holds its object identifier.
    case malformedExtension(CertificateSummary, String)
    /// The certificate's signature uses a hash that can be forged. Holds the name of the hash or algorithm.
    case weakSignature(CertificateSummary, String)
    /// The certificate's RSA key has less than 2048 bits.
    case weakKey(CertificateSummary, bits: Int)
    /// The certificate breaks a rule of the path's profile on the form of certificates.
    case nonconforming(CertificateSummary, Rule)
    /// The issuer has revoked the certificate; `at` is the date of revocation (RFC 5280 section 5.3, RFC 6960).
    case revoked(CertificateSummary, at: Date, reason: RevocationReason)
    /// The revocation status of the certificate is not known, and the policy or the certificate requires it; `nil` where no answer came.
    case revocationUnknown(CertificateSummary, RevocationProblem?)
    /// Too few logs have promised to include the certificate (RFC 6962), by the rule of ``TrustPolicy/transparency``.
    case transparencyInsufficient(CertificateSummary, TransparencyShortfall)
    /// The search for a path reached one of its limits, such as 64 signature checks, which no honest chain reaches.
    ///
    /// `signatureChecks` is the number of signatures checked.
    case budgetExhausted(signatureChecks: Int)

    /// Whether a person may override the failure: no anchor was found, the time is outside the validity, or the host is another one.
    ///
    /// Every other failure is a sign of a fault or an attack.
    public var isRecoverable: Bool {
        switch self {
        case .selfSigned, .unknownRoot, .issuerNotFound, .expired, .notYetValid, .hostMismatch,
            .noSubjectAlternativeNames:
            true
        default: false
        }
    }

    /// Whether it means that no anchor was reached.
    var isDeadEnd: Bool {
        switch self {
        case .selfSigned, .unknownRoot, .issuerNotFound: true
        default: false
        }
    }

    /// Whether an authority did not make the signature that names it.
    var isForgery: Bool { if case .badSignature = self { true } else { false } }
}

extension TrustFailure {
    /// A rule on the form of certificates.
    ///
    /// The profile of a path decides which rules apply (``TrustPolicy/Profile``).
    @nonexhaustive
    public enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
        /// A serial number is positive and has 20 octets at most, a root's aside (RFC 5280 section 4.1.2.2).
        case serialNumber = "serial-number"
        /// An authority's subject is not empty (RFC 5280 section 4.1.2.6).
        case authorityName = "authority-name"
        /// Times through 2049 are UTCTime, later ones GeneralizedTime, to the second and in UTC (RFC 5280 section 4.1.2.5).
        case validityEncoding = "validity-encoding"
        /// Every certificate but a self-issued one has an authority key identifier (RFC 5280 section 4.2.1.1).
        case authorityKeyIdentifier = "authority-key-identifier"
        /// An authority has a subject key identifier (RFC 5280 section 4.2.1.2).
        case subjectKeyIdentifier = "subject-key-identifier"
        /// An authority has a key usage (RFC 5280 section 4.2.1.3).
        case authorityKeyUsage = "authority-key-usage"
        /// An authority's basic constraints are critical (RFC 5280 section 4.2.1.9).
        case criticalBasicConstraints = "critical-basic-constraints"
        /// Only an authority has the key usage keyCertSign (RFC 5280 section 4.2.1.9).
        case signingWithoutAuthority = "signing-without-authority"
        /// Subject alternative names are critical where the subject is empty (RFC 5280 section 4.2.1.6).
        case criticalAlternativeNames = "critical-alternative-names"
        /// A DNS name of a leaf is in the preferred name syntax; a wildcard may be its first label (RFC 5280 section 4.2.1.6).
        case alternativeNameSyntax = "alternative-name-syntax"
        /// Only an authority has name constraints (RFC 5280 section 4.2.1.10).
        case constraintsWithoutAuthority = "constraints-without-authority"
        /// Name constraints are critical (RFC 5280 section 4.2.1.10).
        case criticalNameConstraints = "critical-name-constraints"
        /// Policy constraints are critical (RFC 5280 section 4.2.1.11).
        case criticalPolicyConstraints = "critical-policy-constraints"
        /// The signature algorithm in the signed part equals the one beside the signature (RFC 5280 section 4.1.1.2).
        case signatureAlgorithm = "signature-algorithm"
        /// A certificate with extensions has version 3 (RFC 5280 section 4.1.2.1).
        case version
        /// A certificate has the TLS features of its issuer (RFC 7633 section 4.2.2).
        case inheritedFeatures = "inherited-features"
        /// A server is no authority (Baseline Requirements section 7.1.2.7.8).
        case serverIsAuthority = "server-is-authority"
        /// A server's extended key usage is present, not critical, and without anyExtendedKeyUsage (Baseline Requirements section
        /// 7.1.2.7.10).
        case serverPurposes = "server-purposes"
        /// A root has no extended key usage (Baseline Requirements section 7.1.2.1.2).
        case rootPurposes = "root-purposes"
        /// A root's authority key identifier, if present, holds its subject key identifier and nothing else (Baseline Requirements section
        /// 7.1.2.1.3).
        case rootKeyIdentifier = "root-key-identifier"
        /// A server's common name is one of its subject alternative names, letter by letter (Baseline Requirements section 7.1.4.3).
        ///
        /// Two more are accepted: the domain of a wildcard, and a host name beside alternative names without a DNS name.
        case commonName = "common-name"
        /// Subject alternative names are not critical where the subject is not empty (Baseline Requirements section 7.1.2.7.12).
        case uncriticalAlternativeNames = "uncritical-alternative-names"
        /// The authority information access, if present, is well-formed (Baseline Requirements section 7.1.2.7.7).
        case authorityInformation = "authority-information"
        /// A wildcard that matches the host is not directly below a public suffix, as in `*.co.uk` (Baseline Requirements section 3.2.2.6).
        case wildcardOnPublicSuffix = "wildcard-on-public-suffix"
        /// An RSA key's size is a multiple of 8 bits (Baseline Requirements section 6.1.5).
        case keySize = "key-size"
    }
}
