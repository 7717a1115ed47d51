// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
internal import ErrorExplanations
public import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The signers whose certificates lead to an anchor.
public struct CertifiedSigner: Sendable {
    /// The evaluator that decides which certificates are trusted.
    ///
    /// Names and key purposes are not checked.
    public var evaluator: TrustEvaluator
    /// The certificates that a message may leave out: the signer's, and those between it and an anchor.
    public var known: [Certificate]
    /// The revocation lists and OCSP responses at hand.
    public var evidence: TrustEvidence
    /// The time at which the certificates must be valid.
    public var time: Date

    /// Creates signers from the evaluator of their certificates, and a time.
    public init(
        evaluator: TrustEvaluator, known: [Certificate] = [], evidence: TrustEvidence = TrustEvidence(), at time: Date
    ) {
        (self.evaluator, self.known, self.evidence, self.time) = (evaluator, known, evidence, time)
    }

    /// The certificate whose key made the signature, where it is trusted.
    func certificate(
        among hints: KeyHints, where hasSigned: (Certificate) -> Bool
    ) throws(XMLSignatureError) -> Certificate {
        let candidates = hints.certificates + known
        guard let certificate = candidates.first(where: hasSigned) else {
            if hints.hasUnusable { throw .unusableKey }
            throw candidates.isEmpty ? .noCertificate : .signatureMismatch
        }
        let others = candidates.filter { $0 != certificate }
        guard let chain = PresentedChain([certificate] + others) else { throw .noCertificate }
        let requirements = PathRequirements(purposes: [], keyUse: .anything)
        let verdict = evaluator.evaluate(chain, for: [], requirements: requirements, at: time, with: evidence)
        guard verdict.isTrusted else { throw .untrustedSigner(reason: verdict.failure?.explanation.message ?? "") }
        return certificate
    }
}
