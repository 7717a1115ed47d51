// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension RevocationProblem {
    /// A name that never changes, for programs.
    public var code: String {
        switch self {
        case .malformed: "malformed"
        case .badSignature: "bad-signature"
        case .weakSignature: "weak-signature"
        case .unsupportedAlgorithm: "unsupported-algorithm"
        case .signerNotAuthorized: "signer-not-authorized"
        case .notYetValid: "not-yet-valid"
        case .outdated: "outdated"
        case .noNextUpdate: "no-next-update"
        case .deltaList: "delta-list"
        case .indirectList: "indirect-list"
        case .partialList: "partial-list"
        case .attributeList: "attribute-list"
        case .wrongScope: "wrong-scope"
        case .listNumber: "list-number"
        case .unknownCriticalExtension: "unknown-critical-extension"
        case .nonceMismatch: "nonce-mismatch"
        case .unknownToResponder: "unknown-to-responder"
        case .responderRefused: "responder-refused"
        case .budgetExhausted: "budget-exhausted"
        }
    }

    /// One sentence for a person.
    public var explanation: String {
        switch self {
        case .malformed: "The revocation information is not encoded as the standard asks."
        case .badSignature: "The signature of the revocation information is not that of its signer."
        case .weakSignature: "The revocation information is signed with a hash that can be forged."
        case .unsupportedAlgorithm: "The revocation information is signed with an algorithm that is not supported."
        case .signerNotAuthorized: "The signer of the revocation information may not speak for the issuer."
        case .notYetValid: "The revocation information is from the future; a clock may be wrong."
        case .outdated: "The revocation information is older than it may be."
        case .noNextUpdate: "The revocation list does not say until when it holds."
        case .deltaList: "The revocation list holds only the changes to another one."
        case .indirectList: "The revocation list holds certificates of several issuers, which is not supported."
        case .partialList: "The revocation list is only for some reasons of revocation."
        case .attributeList: "The revocation list is for attribute certificates."
        case .wrongScope: "The revocation list is for other certificates of the issuer."
        case .listNumber: "The revocation list has no proper number."
        case .unknownCriticalExtension(let name):
            "The revocation information has a critical extension that is not understood: \(name)."
        case .nonceMismatch: "The OCSP response is the answer to another request."
        case .unknownToResponder: "The OCSP responder does not know the certificate."
        case .responderRefused(let refusal): "The OCSP responder gave no answer: \(refusal.rawValue)."
        case .budgetExhausted: "The revocation information takes too many signature checks."
        }
    }
}
