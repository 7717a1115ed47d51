// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

extension TrustFailure.Rule {
    /// Returns a clause that describes the violation, with the section of the standard.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that breaks the rule.
    ///   - name: The certificate as the subject of a sentence, such as "its certificate".
    /// - Returns: The clause, without a period.
    func violation(of certificate: CertificateSummary, called name: String) -> String {
        let parsed = certificate.parsed
        return switch self {
        case .serialNumber:
            """
            the serial number of \(name) is \(parsed.serialNumberFault) (RFC 5280 section 4.1.2.2 asks for a positive one of at \
            most 20 octets)
            """
        case .validityEncoding:
            """
            \(name) does not give its validity as UTCTime through 2049 and as GeneralizedTime after, in UTC and to the second \
            (RFC 5280 section 4.1.2.5 asks for that)
            """
        case .authorityName:
            "\(name) is an authority's and has no subject (RFC 5280 section 4.1.2.6 asks for one)"
        case .authorityKeyIdentifier:
            "\(name) has no identifier of its issuer's key (RFC 5280 section 4.2.1.1 asks for one)"
        case .subjectKeyIdentifier:
            "\(name) is an authority's and has no identifier of its key (RFC 5280 section 4.2.1.2 asks for one)"
        case .authorityKeyUsage:
            "\(name) is an authority's and has no key usage (RFC 5280 section 4.2.1.3 asks for one)"
        case .criticalBasicConstraints:
            """
            \(name) is an authority's and its basic constraints are not critical (RFC 5280 section 4.2.1.9 asks for that)
            """
        case .signingWithoutAuthority:
            """
            \(name) has a key for signing certificates but is not an authority's (RFC 5280 section 4.2.1.9 forbids that)
            """
        case .criticalAlternativeNames:
            """
            \(name) has no subject and its alternative names are not critical (RFC 5280 section 4.2.1.6 asks for that)
            """
        case .alternativeNameSyntax:
            "\(name) has the malformed DNS name \(parsed.malformedNames) (RFC 5280 section 4.2.1.6)"
        case .constraintsWithoutAuthority:
            "\(name) has name constraints but is not an authority's (RFC 5280 section 4.2.1.10 forbids that)"
        case .criticalNameConstraints:
            "\(name) has name constraints that are not critical (RFC 5280 section 4.2.1.10 asks for that)"
        case .criticalPolicyConstraints:
            "\(name) has policy constraints that are not critical (RFC 5280 section 4.2.1.11 asks for that)"
        case .signatureAlgorithm:
            """
            \(name) names one signature algorithm in its signed part and another next to its signature (RFC 5280 section 4.1.1.2 \
            asks for the same one)
            """
        case .version:
            "\(name) has extensions but is not of version 3 (RFC 5280 section 4.1.2.1 asks for that)"
        case .inheritedFeatures:
            "\(name) lacks a TLS feature that its issuer's certificate has (RFC 7633 section 4.2.2 asks for all of them)"
        case .serverIsAuthority:
            "\(name) is both a server's and an authority's (Baseline Requirements section 7.1.2.7.8 forbids that)"
        case .serverPurposes:
            "\(name) \(parsed.purposesFault) (Baseline Requirements section 7.1.2.7.10)"
        case .rootPurposes:
            "\(name) is a root's and has an extended key usage (Baseline Requirements section 7.1.2.1.2 forbids that)"
        case .rootKeyIdentifier:
            """
            \(name) is a root's and identifies another key than its own as its issuer's (Baseline Requirements section \
            7.1.2.1.3)
            """
        case .commonName:
            """
            \(name) has a common name that is not among its alternative names (Baseline Requirements section 7.1.4.3 asks for \
            that)
            """
        case .uncriticalAlternativeNames:
            """
            \(name) has a subject and its alternative names are critical (Baseline Requirements section 7.1.2.7.12 forbids that)
            """
        case .authorityInformation:
            "\(name) has an empty or malformed authority information access (Baseline Requirements section 7.1.2.7.7)"
        case .wildcardOnPublicSuffix:
            """
            \(name) matches the host only by a wildcard directly below a public suffix (Baseline Requirements section 3.2.2.6 \
            forbids that)
            """
        case .keySize:
            """
            \(name) has an RSA key of \(parsed.rsaSize.map(String.init) ?? "an unknown number of") bits, which is not a \
            multiple of 8 (Baseline Requirements section 6.1.5)
            """
        case .baselineAlgorithms:
            """
            \(name) has the key type \(parsed.key?.name ?? "unknown") and is signed with \(parsed.algorithm.name), and only RSA \
            and the curves of NIST with SHA-256 or better are allowed (Baseline Requirements section 7.1.3)
            """
        case .canonicalEncoding:
            """
            \(name) encodes a default value, a Boolean other than 0xff, or unsorted attributes of a name (RFC 5280 section 4.1 \
            asks for DER, X.690 section 11)
            """
        case .emptySequences:
            """
            \(name) has empty extensions, name constraints, policy constraints or TLS features (RFC 5280 section 4.2 asks for an \
            element)
            """
        case .keyUsageEncoding:
            "\(name) has a key usage with superfluous bits (RFC 5280 section 4.2.1.3, X.690 section 11.2.2)"
        case .authorityBasicConstraints:
            "\(name) is an authority's and has no basic constraints (RFC 5280 section 4.2.1.9 asks for them)"
        case .pathLengthWithoutAuthority:
            "\(name) has a path length but is not an authority's (RFC 5280 section 4.2.1.9 forbids that)"
        case .nameConstraintSyntax:
            """
            \(name) has the name constraint \(parsed.constraintsWithDots), which begins with a dot (RFC 5280 section 4.2.1.10 \
            defines that only for hosts of mailboxes and URIs)
            """
        case .duplicatePolicies:
            "\(name) names a certificate policy twice (RFC 5280 section 4.2.1.4 forbids that)"
        case .uncriticalInformation:
            """
            \(name) has the critical extension \(parsed.encoded.criticalInformation ?? "of information"), which must not be \
            critical (RFC 5280 section 4.2)
            """
        case .timeStampingPurposes:
            """
            \(name) \(parsed.timeStampingFault) (RFC 3161 section 2.3 asks for a critical extended key usage with nothing but \
            time stamping)
            """
        }
    }
}

extension ParsedCertificate {
    fileprivate var serialNumberFault: String {
        let bytes = fields.serialNumber
        if bytes.allSatisfy({ $0 == 0 }) { return "zero" }
        return bytes.first.map { $0 >= 0x80 } == true ? "negative" : "longer than 20 octets"
    }

    fileprivate var constraintsWithDots: String {
        let bases = (nameConstraints.value?.permitted ?? []) + (nameConstraints.value?.excluded ?? [])
        return bases.filter(\.isDomainWithDot).prefix(5).map(\.text).joined(separator: ", ")
    }

    fileprivate var malformedNames: String {
        (alternativeNames.value ?? []).filter { !$0.hasPreferredSyntax || !$0.isASCII }.prefix(5).map(\.text).joined(
            separator: ", ")
    }

    fileprivate var timeStampingFault: String {
        (extendedKeyUsage.value?.count ?? 0) > 1
            ? "is for time stamping and for other purposes" : "has an extended key usage that is not critical"
    }

    fileprivate var purposesFault: String {
        guard let purposes = extendedKeyUsage.value else { return "has no extended key usage" }
        return purposes.contains(.any) ? "is for any purpose" : "has a critical extended key usage"
    }
}
