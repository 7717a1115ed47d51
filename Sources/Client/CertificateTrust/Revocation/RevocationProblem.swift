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
    /// The certificate of the OCSP responder is not for OCSP signing (RFC 6960 section 4.2.2.2).
    case responderPurpose
    /// The certificate of the OCSP responder was not issued by the issuer of the certificate (RFC 6960 section 4.2.2.2).
    case responderIssuer
    /// The certificate of the OCSP responder has expired.
    case responderExpired
    /// The certificate of the OCSP responder was revoked, or is distrusted.
    case responderRevoked
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
    /// The response is about another certificate of the issuer than the one that it was requested or stapled for (RFC 6960
    /// section 3.2).
    case otherCertificate
    /// The response is about a certificate of another issuer (RFC 6960 section 4.1.1), or the list is that of another
    /// issuer.
    case otherIssuer
    /// The responder does not know the certificate.
    case unknownToResponder
    /// The response is an error (RFC 6960 section 2.3).
    case responderRefused(OCSPResponse.Refusal)
    /// The number of signature checks reached its limit, which valid evidence does not reach.
    case budgetExhausted
    /// The certificate names no OCSP responder and no revocation list with an http or https URL.
    case noSource
    /// The evidence could not be fetched. Holds the URL and the reason.
    case notFetched(String, EvidenceFetchProblem)
}

extension RevocationProblem: CataloguedError {
    private static let issuerAdvice = "Report it to the issuer of the certificate, or use other revocation information."
    private static let listAdvice = "Use a full and direct list of the issuer, or an OCSP response."

    /// The explanation: why the evidence was not used, the consequence, and what to try.
    public var explanation: ErrorExplanation { parts.explanation }

    /// The message as a clause that can follow a colon, without the URL of a source.
    package var reason: String {
        if case .notFetched(_, let problem) = self { problem.clause } else { parts.clause }
    }

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
        case .responderPurpose:
            ClausedExplanation(
                "revocation.responder-purpose",
                "the certificate of the OCSP responder is not for signing OCSP responses",
                reason: "A responder's certificate has the extended key usage OCSPSigning (RFC 6960 section 4.2.2.2).",
                advice: Self.issuerAdvice)
        case .responderIssuer:
            ClausedExplanation(
                "revocation.responder-issuer",
                "the certificate of the OCSP responder is from another issuer than the certificate",
                reason: "Only the issuer of the certificate may authorize a responder (RFC 6960 section 4.2.2.2).",
                advice: Self.issuerAdvice)
        case .responderExpired:
            ClausedExplanation(
                "revocation.responder-expired", "the certificate of the OCSP responder has expired",
                reason: "A responder without a valid certificate can only show that a certificate is revoked.",
                advice: Self.issuerAdvice)
        case .responderRevoked:
            ClausedExplanation(
                "revocation.responder-revoked", "the certificate of the OCSP responder was revoked or is distrusted",
                reason: "Someone else may have its key.", advice: Self.issuerAdvice)
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
                reason: "The responder or the server sent an old response, or the one for another certificate.",
                advice: """
                    Try again. For a stapled response, ask the server's owner to staple the one for its certificate.
                    """)
        case .otherIssuer:
            ClausedExplanation(
                "revocation.other-issuer", "the revocation information is about certificates of another issuer",
                reason: "A serial number identifies a certificate only together with its issuer.",
                advice: "Use the list or the response of the certificate's own issuer.")
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
        case .noSource:
            ClausedExplanation(
                "revocation.no-source", "the certificate names no OCSP responder and no revocation list",
                reason: "Only http and https URLs in the certificate can be asked.",
                advice: "Use a revocation list of the issuer from a file.")
        case .notFetched(let place, let problem): problem.parts(for: place)
        }
    }

    /// An example value for each code.
    package static var examples: [RevocationProblem] {
        [
            .malformed, .badSignature, .weakSignature, .unsupportedAlgorithm, .signerNotAuthorized, .notYetValid,
            .outdated,
            .noNextUpdate, .deltaList, .partialList, .attributeList, .wrongScope, .listNumber,
            .unknownCriticalExtension("1.3.6.1.4.1.32473.1"), .nonceMismatch, .otherCertificate,
            .unknownToResponder, .responderRefused(.tryLater), .budgetExhausted, .responderPurpose, .responderIssuer,
            .responderExpired, .responderRevoked, .otherIssuer, .noSource,
        ] + EvidenceFetchProblem.examples.map { .notFetched("http://ocsp.example/", $0) }
    }
}
