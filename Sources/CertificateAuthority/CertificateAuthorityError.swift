// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why an authority refused to make a certificate.
@nonexhaustive
public enum CertificateAuthorityError: Error, Hashable, Sendable {
    /// A server's certificate needs at least one name.
    case noNames
    /// The text is neither a DNS name (in A-label form, a wildcard only as the whole first label) nor an IP literal.
    case malformedName(String)
    /// A subject's common name has 1 to 64 characters (RFC 5280 appendix A, `ub-common-name`).
    case malformedCommonName(String)
    /// The certificate would end before it begins.
    case emptyValidity(notBefore: Date, notAfter: Date)
    /// The authority's own certificate allows no further authority below it (RFC 5280 section 4.2.1.9).
    case pathLengthExceeded
}
