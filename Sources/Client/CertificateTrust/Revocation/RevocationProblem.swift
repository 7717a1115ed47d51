// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a revocation list or an OCSP response does not show that a certificate is good.
///
/// After the problems of its signer, its scope and its dates in the future, it shows nothing; with a formal fault, or out of date, it can
/// still show that a certificate is revoked (``EvidenceUse``).
@nonexhaustive
public enum RevocationProblem: Error, Hashable, Sendable {
    /// The information does not follow RFC 5280 section 5 or RFC 6960.
    case malformed
    /// The signature was not made with the key of the issuer, or of the signer that it authorized.
    case badSignature
    /// The signature uses a hash that can be forged.
    case weakSignature
    /// The signature algorithm is not one of RSA, ECDSA and Ed25519.
    case unsupportedAlgorithm
    /// The issuer did not authorize the signer (RFC 6960 section 4.2.2.2).
    case signerNotAuthorized
    /// The information was issued after the instant of the evaluation, by more than 300 seconds.
    case notYetValid
    /// The time of the next update has passed; a response without that time is outdated after 86,400 seconds.
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
    /// The list has a critical extension that is not supported (RFC 5280 section 5.2). Holds its object identifier.
    case unknownCriticalExtension(String)
    /// The response answers another request (RFC 9654).
    case nonceMismatch
    /// The responder does not know the certificate.
    case unknownToResponder
    /// The response is an error (RFC 6960 section 2.3).
    case responderRefused(OCSPResponse.Refusal)
    /// The number of signature checks reached its limit, which honest evidence does not reach.
    case budgetExhausted
}
