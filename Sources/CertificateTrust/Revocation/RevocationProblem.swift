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
    /// The issuer did not allow the signer to sign for it.
    case signerNotAuthorized
    case notYetValid
    case outdated
    /// The list does not say when the next one comes (RFC 5280 section 5.1.2.5).
    case noNextUpdate
    /// The list has only the changes to a base list that is missing (RFC 5280 section 5.2.4).
    case deltaList
    /// The list covers only some reasons of revocation, and no other list covers the rest (RFC 5280 section 5.2.5).
    case partialList
    /// The list is for attribute certificates (RFC 5280 section 5.2.5).
    case attributeList
    /// The list is for other certificates of the issuer (RFC 5280 section 5.2.5).
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
