// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
