// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import X509

/// Why an authority refused to make a certificate.
@nonexhaustive
public enum CertificateAuthorityError: Error, Hashable, Sendable {
    /// A server's certificate needs at least one name.
    case noNames
    /// The text is neither a DNS name (in A-label form, a wildcard only as the whole first label) nor an IP literal.
    case malformedName(String)
    /// The text is no e-mail address with an ASCII host.
    case malformedMailbox(String)
    /// The text is no DNS name without a wildcard.
    case malformedDomain(String)
    /// The text is no network such as `192.168.0.0/16`.
    case malformedNetwork(String)
    /// A subject's common name has 1 to 64 characters (RFC 5280 appendix A, `ub-common-name`).
    case malformedCommonName(String)
    /// The text is no distinguished name as RFC 4514 writes it; an empty one means that a profile has neither a subject nor names.
    case malformedSubject(String)
    /// The certificate would end before it begins.
    case emptyValidity(notBefore: Date, notAfter: Date)
    /// The authority's own certificate allows no further authority below it (RFC 5280 section 4.2.1.9).
    case pathLengthExceeded
    /// The name lies outside of the authority's name constraints (RFC 5280 section 4.2.1.10).
    case notPermitted(String)
    /// The certificate may issue no others.
    case notAnAuthority(subject: DistinguishedName)
    /// The certificate of an authority that is to be renewed was issued by another one.
    case otherIssuer(subject: DistinguishedName)
    /// The authority cannot sign with keys of this kind.
    case unsupportedKey
}
