// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a revocation list or an OCSP response says nothing of a certificate.
@nonexhaustive
public enum RevocationProblem: Error, Hashable, Sendable {
    case malformed
    case badSignature
    /// The signature uses a hash that can be forged.
    case weakSignature
    case unsupportedAlgorithm
    /// Signed by someone whom the issuer did not allow to.
    case signerNotAuthorized
    case notYetValid
    case outdated
    /// The list does not say when the next one comes (RFC 5280 section 5.1.2.5).
    case noNextUpdate
    /// Only the changes to a list that is not there (RFC 5280 section 5.2.4).
    case deltaList
    /// Only for some reasons of revocation, and no other list covers the others (RFC 5280 section 5.2.5).
    case partialList
    /// For attribute certificates (RFC 5280 section 5.2.5).
    case attributeList
    /// For other certificates of the issuer (RFC 5280 section 5.2.5).
    case wrongScope
    /// The list's number is missing, malformed or critical (RFC 5280 section 5.2.3).
    case listNumber
    /// Holds its object identifier.
    case unknownCriticalExtension(String)
    /// The response answers another request (RFC 9654).
    case nonceMismatch
    /// The responder does not know the certificate.
    case unknownToResponder
    case responderRefused(OCSPResponse.Refusal)
    /// The checks were given up; what was handed over is made to be expensive.
    case budgetExhausted
}
