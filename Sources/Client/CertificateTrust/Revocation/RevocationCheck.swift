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
        return result(
            for: ParsedCertificate(certificate), issuedBy: ParsedCertificate(issuer), signers: &signers,
            evidence: evidence, at: time, within: EvaluationBudget()
        ).status
    }

    /// Asks every list and response; lists may be signed by others than the issuer.
    ///
    /// - Returns: The status, and the use of each list, and then of each response.
    static func result(
        for certificate: ParsedCertificate, issuedBy issuer: ParsedCertificate,
        signers: inout some RevocationListSigners,
        evidence: RevocationEvidence, at time: Date, distrusted: Distrust = Distrust(),
        within evaluation: EvaluationBudget
    ) -> (status: RevocationStatus, uses: [EvidenceUse]) {
        guard !evidence.lists.isEmpty || !evidence.responses.isEmpty else { return (.absent, []) }
        guard let subject = try? RevocationSubject(certificate, issuer: issuer) else {
            let count = evidence.lists.count + evidence.responses.count
            return (.unusable(.malformed), .init(repeating: .unrelated, count: count))
        }
        var (statements, uses) = ListedStatus(subject: subject, time: time, evaluation: evaluation).statements(
            in: evidence.lists, signers: &signers)
        // A server chooses which responses it staples, so their signatures are counted apart from those of the lists.
        var budget = SignatureBudget(within: evaluation)
        let responders = DelegatedResponders(
            issuer: issuer, time: time, lists: evidence.lists, distrusted: distrusted, evaluation: evaluation)
        for one in evidence.responses {
            do throws(RevocationProblem) {
                let found = try one.response.statements(
                    about: subject, nonce: one.nonce, responders: responders, at: time, budget: &budget)
                statements += found?.statements ?? []
                uses.append(found.map { .read($0.fault) } ?? .unrelated)
            } catch {
                statements.append(.init(status: .unusable(error)))
                uses.append(.unusable(error))
            }
        }
        return (statements.status, uses)
    }
}

extension OCSPResponse {
    fileprivate func statements(
        about subject: RevocationSubject, nonce: [UInt8]?, responders: DelegatedResponders, at time: Date,
        budget: inout SignatureBudget
    ) throws(RevocationProblem) -> (statements: [RevocationStatement], fault: RevocationProblem?)? {
        switch content {
        case .refused(let refusal): throw .responderRefused(refusal)
        case .basic(let basic):
            try basic.statements(
                about: subject, nonce: nonce, responders: responders, at: time, budget: &budget)
        }
    }
}
