// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import X509

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Whether a certificate is revoked, by what was handed over (RFC 5280 section 6.3, RFC 6960).
package enum RevocationCheck {
    /// Asks every list and response: any that shows it revoked decides.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that is asked about.
    ///   - issuer: The certificate above it in a path that is otherwise good.
    ///   - evidence: What may be about it, and about others.
    ///   - time: The instant at which the evidence has to hold.
    /// - Returns: Revoked before good before unusable; of several problems the first.
    package static func status(
        of certificate: Certificate, issuedBy issuer: Certificate, evidence: RevocationEvidence, at time: Date
    ) -> RevocationStatus {
        var signers = IssuerAlone()
        return status(
            of: ParsedCertificate(certificate), issuedBy: ParsedCertificate(issuer), signers: &signers,
            evidence: evidence, at: time,
            within: EvaluationBudget())
    }

    /// Asks every list and response; lists may be signed by others than the issuer.
    static func status(
        of certificate: ParsedCertificate, issuedBy issuer: ParsedCertificate,
        signers: inout some RevocationListSigners,
        evidence: RevocationEvidence, at time: Date, distrusted: Distrust = Distrust(),
        within evaluation: EvaluationBudget
    ) -> RevocationStatus {
        guard !evidence.lists.isEmpty || !evidence.responses.isEmpty else { return .absent }
        guard let subject = try? RevocationSubject(certificate, issuer: issuer) else { return .unusable(.malformed) }
        var status = ListedStatus(subject: subject, time: time, evaluation: evaluation).status(
            in: evidence.lists, signers: &signers)
        // A server chooses which responses it staples, so their signatures are counted apart from those of the lists.
        var budget = SignatureBudget(within: evaluation)
        let responders = DelegatedResponders(
            issuer: issuer, time: time, lists: evidence.lists, distrusted: distrusted, evaluation: evaluation)
        for one in evidence.responses {
            let found = Self.found { () throws(RevocationProblem) in
                try one.response.status(
                    of: subject, nonce: one.nonce, responders: responders, at: time, budget: &budget)
            }
            status = status.combined(with: found)
        }
        return status
    }

    private static func found(
        _ check: () throws(RevocationProblem) -> RevocationStatus?
    ) -> RevocationStatus {
        do {
            return try check() ?? .absent
        } catch {
            return .unusable(error)
        }
    }
}

extension OCSPResponse {
    fileprivate func status(
        of subject: RevocationSubject, nonce: [UInt8]?, responders: DelegatedResponders, at time: Date,
        budget: inout SignatureBudget
    ) throws(RevocationProblem) -> RevocationStatus? {
        switch content {
        case .refused(let refusal): throw .responderRefused(refusal)
        case .basic(let basic):
            try basic.status(of: subject, nonce: nonce, responders: responders, at: time, budget: &budget)
        }
    }
}
