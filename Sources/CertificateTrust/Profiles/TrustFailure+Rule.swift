// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension TrustFailure {
    /// A rule on the form of certificates; which of them bind is the profile's matter.
    @nonexhaustive
    public enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
        /// Positive and of 20 octets at most (RFC 5280 section 4.1.2.2).
        case serialNumber = "serial-number"
        /// An authority has a name (RFC 5280 section 4.1.2.6).
        case authorityName = "authority-name"
        /// Times through 2049 are UTCTime, later ones GeneralizedTime, to the second and in UTC (RFC 5280 section 4.1.2.5).
        case validityEncoding = "validity-encoding"
        /// Every certificate but a self-signed one names its issuer's key (RFC 5280 section 4.2.1.1).
        case authorityKeyIdentifier = "authority-key-identifier"
        /// An authority names its own key (RFC 5280 section 4.2.1.2).
        case subjectKeyIdentifier = "subject-key-identifier"
        /// An authority says what its key is for (RFC 5280 section 4.2.1.3).
        case authorityKeyUsage = "authority-key-usage"
        /// An authority's basic constraints are critical (RFC 5280 section 4.2.1.9).
        case criticalBasicConstraints = "critical-basic-constraints"
        /// Who is no authority may not sign certificates (RFC 5280 section 4.2.1.9).
        case signingWithoutAuthority = "signing-without-authority"
        /// Alternative names are critical where the subject is empty (RFC 5280 section 4.2.1.6).
        case criticalAlternativeNames = "critical-alternative-names"
        /// A DNS name is in the preferred syntax (RFC 5280 section 4.2.1.6).
        case alternativeNameSyntax = "alternative-name-syntax"
        /// Only authorities constrain names (RFC 5280 section 4.2.1.10).
        case constraintsWithoutAuthority = "constraints-without-authority"
        /// Name constraints are critical (RFC 5280 section 4.2.1.10).
        case criticalNameConstraints = "critical-name-constraints"
        /// Policy constraints are critical (RFC 5280 section 4.2.1.11).
        case criticalPolicyConstraints = "critical-policy-constraints"
        /// The algorithm inside of what is signed is the one beside the signature (RFC 5280 section 4.1.1.2).
        case signatureAlgorithm = "signature-algorithm"
        /// Extensions make version 3 (RFC 5280 section 4.1.2.1).
        case version
        /// A certificate has the TLS features of its issuer (RFC 7633 section 4.2.2).
        case inheritedFeatures = "inherited-features"
        /// A server is no authority (Baseline Requirements section 7.1.2.7.8).
        case serverIsAuthority = "server-is-authority"
        /// A server's purposes are given, not critical, and not "any" (Baseline Requirements section 7.1.2.7.10).
        case serverPurposes = "server-purposes"
        /// A root gives no purposes (Baseline Requirements section 7.1.2.1.2).
        case rootPurposes = "root-purposes"
        /// A root names its own key and nothing else as its issuer's (Baseline Requirements section 7.1.2.1.3).
        case rootKeyIdentifier = "root-key-identifier"
        /// A common name is one of the alternative names, letter by letter (Baseline Requirements section 7.1.4.3).
        case commonName = "common-name"
        /// Alternative names are not critical beside a subject (Baseline Requirements section 7.1.2.7.12).
        case uncriticalAlternativeNames = "uncritical-alternative-names"
        /// Where the issuer is found can be read (Baseline Requirements section 7.1.2.7.7).
        case authorityInformation = "authority-information"
        /// A wildcard stands below a domain that has one owner (Baseline Requirements section 3.2.2.6).
        case wildcardOnPublicSuffix = "wildcard-on-public-suffix"
        /// An RSA key's size is a multiple of 8 bits (Baseline Requirements section 6.1.5).
        case keySize = "key-size"
    }
}
