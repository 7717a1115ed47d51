// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// The reason why a revocation list or an OCSP response does not show that a certificate is good.
///
/// With a problem of its signer or scope, or a date in the future, the evidence shows nothing; with a formal error, or
/// if outdated, it can still show that a certificate is revoked (``EvidenceUse``).
@nonexhaustive
public enum RevocationProblem: Error, Hashable, Sendable {
    /// The information does not conform to RFC 5280 section 5 or RFC 6960.
    case malformed
    /// The signature was not made with the key of the issuer or the authorized signer.
    case badSignature
    /// The signature uses a broken hash, with which it can be forged.
    case weakSignature
    /// The signature algorithm, or the type of the signer's key, is not supported, or needs the trait OpenSSL.
    case unsupportedAlgorithm
    /// The issuer did not authorize the signer (RFC 6960 section 4.2.2.2).
    case signerNotAuthorized
    /// The information was issued more than 300 seconds after the instant of the evaluation.
    case notYetValid
    /// The time of the next update has passed; a response without that time becomes outdated after 86,400 seconds.
    case outdated
    /// The list does not state the time of the next update (RFC 5280 section 5.1.2.5).
    case noNextUpdate
    /// The list contains only changes to a base list that is missing (RFC 5280 section 5.2.4).
    case deltaList
    /// The list covers only some revocation reasons, and no other list covers the rest (RFC 5280 section 5.2.5).
    case partialList
    /// The list is for attribute certificates (RFC 5280 section 5.2.5).
    case attributeList
    /// The list is for other certificates of the issuer (RFC 5280 section 5.2.5).
    case wrongScope
    /// The CRL number is missing, malformed or critical (RFC 5280 section 5.2.3).
    case listNumber
    /// The list has a critical extension that is not supported (RFC 5280 section 5.2). Holds its object identifier.
    case unknownCriticalExtension(String)
    /// The response answers another request (RFC 9654).
    case nonceMismatch
    /// The response that the server stapled is about another certificate (RFC 6960 section 3.2).
    case otherCertificate
    /// The responder does not know the certificate.
    case unknownToResponder
    /// The response is an error (RFC 6960 section 2.3).
    case responderRefused(OCSPResponse.Refusal)
    /// The number of signature checks reached its limit, which valid evidence does not reach.
    case budgetExhausted
}

extension RevocationProblem: CataloguedError {
    private static let issuerAdvice = "Report it to the issuer of the certificate, or use other revocation information."
    private static let listAdvice = "Use a full and direct list of the issuer, or an OCSP response."

    /// The explanation: why the evidence was not used, the consequence, and what to try.
    public var explanation: ErrorExplanation { parts.explanation }

    /// The explanation, with the message also as a clause that can follow a colon.
    var parts: ClausedExplanation {
        switch self {
        case .malformed:
            ClausedExplanation(
                "revocation.malformed", "the revocation information is malformed",
                reason: "It does not follow RFC 5280 section 5 or RFC 6960.", advice: Self.issuerAdvice)
        case .badSignature:
            ClausedExplanation(
                "revocation.bad-signature", "the signature of the revocation information is not valid",
                reason: "The information was altered or forged, or it is from another issuer of the same name.",
                advice: Self.issuerAdvice)
        case .weakSignature:
            ClausedExplanation(
                "revocation.weak-signature", "the revocation information is signed with a broken hash",
                reason: "Signatures with a hash such as SHA-1 can be forged.",
                advice: "\(Self.issuerAdvice) A policy can accept SHA-1 (TrustPolicy.acceptedWeaknesses).")
        case .unsupportedAlgorithm:
            ClausedExplanation(
                "revocation.unsupported-algorithm",
                "the revocation information is signed with an algorithm that is not supported",
                reason: """
                    RSA, RSASSA-PSS, ECDSA and Ed25519 signatures are supported; Ed448, the curves of RFC 5639 and unusual \
                    parameters need the trait OpenSSL.
                    """, advice: Self.issuerAdvice)
        case .signerNotAuthorized:
            ClausedExplanation(
                "revocation.signer-not-authorized",
                "the issuer did not authorize the signer of the revocation information",
                reason:
                    "Only the issuer, or a responder with a certificate from it, may sign (RFC 6960 section 4.2.2.2).",
                advice: Self.issuerAdvice)
        case .notYetValid:
            ClausedExplanation(
                "revocation.not-yet-valid", "the revocation information begins in the future",
                reason: "The clock of this device is slow, or the clock of the issuer is fast.",
                advice: "Check this device's clock, then try again.")
        case .outdated:
            ClausedExplanation(
                "revocation.outdated", "the revocation information is out of date",
                reason: "The certificate may have been revoked since.",
                advice: "Get newer revocation information, and check this device's clock.")
        case .noNextUpdate:
            ClausedExplanation(
                "revocation.no-next-update", "the revocation list does not state the time of its next update",
                reason: "Without it an old list cannot be distinguished from a new one (RFC 5280 section 5.1.2.5).",
                advice: Self.issuerAdvice)
        case .deltaList:
            ClausedExplanation(
                "revocation.delta-list", "the revocation list contains only the changes to a base list",
                reason: "The base list is missing, or is another version (RFC 5280 section 5.2.4).",
                advice: Self.listAdvice)
        case .partialList:
            ClausedExplanation(
                "revocation.partial-list", "the revocation list covers only some reasons of revocation",
                reason: "The certificate may be revoked for another reason (RFC 5280 section 5.2.5).",
                advice: Self.listAdvice)
        case .attributeList:
            ClausedExplanation(
                "revocation.attribute-list", "the revocation list is for attribute certificates",
                reason: "It does not list public key certificates (RFC 5280 section 5.2.5).", advice: Self.listAdvice)
        case .wrongScope:
            ClausedExplanation(
                "revocation.wrong-scope", "the revocation list is for other certificates of the issuer",
                reason:
                    "A list can be limited to a distribution point or to a kind of certificate (RFC 5280 section 5.2.5).",
                advice: "Use the list that the certificate names as its distribution point.")
        case .listNumber:
            ClausedExplanation(
                "revocation.list-number", "the number of the revocation list is missing, malformed or critical",
                reason: "A list has a number that is not critical (RFC 5280 section 5.2.3).", advice: Self.issuerAdvice)
        case .unknownCriticalExtension(let identifier):
            ClausedExplanation(
                "revocation.unknown-critical-extension",
                "the revocation information has a critical extension that is not supported: \(identifier)",
                reason: """
                    Information with an unsupported critical extension does not show that a certificate is good (RFC 5280 section \
                    5.2).
                    """,
                advice: Self.listAdvice)
        case .nonceMismatch:
            ClausedExplanation(
                "revocation.nonce-mismatch", "the OCSP response answers another request",
                reason: "Its nonce is not that of the request, so it may be an old response (RFC 9654).",
                advice: "Try again.")
        case .otherCertificate:
            ClausedExplanation(
                "revocation.other-certificate", "the OCSP response is about another certificate",
                reason: "The server staples an old file, or the response for another one of its certificates.",
                advice: "Ask the server's owner to staple the response for the certificate that the server presents.")
        case .unknownToResponder:
            ClausedExplanation(
                "revocation.unknown-to-responder", "the OCSP responder does not know the certificate",
                reason: "The responder belongs to another issuer, or the certificate is too new for it.",
                advice: "Try again later, or use a revocation list.")
        case .responderRefused(let refusal):
            ClausedExplanation(
                "revocation.responder-refused",
                "the OCSP responder refused the request (\(refusal.rawValue.replacing("-", with: " ")))",
                reason: "The response holds an error and no status (RFC 6960 section 2.3).",
                advice: "Try again later, or use a revocation list.")
        case .budgetExhausted:
            ClausedExplanation(
                "revocation.budget-exhausted", "the revocation information takes too many signature checks",
                reason: "The work is limited, so that hostile information cannot keep this device busy.",
                advice: "Use one list or one response for each certificate.")
        }
    }

    /// An example value for each code.
    package static var examples: [RevocationProblem] {
        [
            .malformed, .badSignature, .weakSignature, .unsupportedAlgorithm, .signerNotAuthorized, .notYetValid,
            .outdated,
            .noNextUpdate, .deltaList, .partialList, .attributeList, .wrongScope, .listNumber,
            .unknownCriticalExtension("1.3.6.1.4.1.32473.1"), .nonceMismatch, .otherCertificate,
            .unknownToResponder, .responderRefused(.tryLater), .budgetExhausted,
        ]
    }
}
