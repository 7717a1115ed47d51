// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether anything below the anchor of a path is revoked, as far as the policy wants that known.
struct PathRevocation {
    /// Whose certificate was revoked by whose key: another certificate of the same key does not undo it.
    private struct Statement: Hashable {
        let certificate: ParsedCertificate
        let issuerKey: ArraySlice<UInt8>
    }

    let policy: TrustPolicy.Revocation
    let evidence: RevocationEvidence
    let time: Date
    private(set) var remarks: [Verdict.Remark] = []
    private var revoked: [Statement: TrustFailure] = [:]
    private(set) var wanted: [EvidenceRequest] = []
    private var signers: ListSigners
    private let budget: EvaluationBudget

    init(
        policy: TrustPolicy.Revocation, evidence: RevocationEvidence, time: Date,
        signers: ListSigners = ListSigners(), within budget: EvaluationBudget = EvaluationBudget()
    ) {
        self.policy = policy
        self.evidence = evidence
        self.time = time
        self.signers = signers
        self.budget = budget
    }

    // Checks a path that is good otherwise, leaf first, anchor last. In the pool may be others that sign lists.
    mutating func check(
        _ path: [ParsedCertificate], _ pool: CandidatePool, distrusted: Distrust
    ) throws(TrustFailure) {
        remarks = []
        guard isAskedFor(of: path) else { return }
        signers.begin(
            path, pool,
            ListSigners.Conditions(evidence: evidence, time: time, distrusted: distrusted, budget: budget))
        for (index, (certificate, issuer)) in zip(path, path.dropFirst()).enumerated() {
            // NIOSSL 2.37 cannot ask for a stapled response; fetching one answers the same question.
            let demands = index == 0 && certificate.mustStaple
            try check(certificate, issuer, isDemanded: demands, distrusted: distrusted)
        }
    }

    var isExhausted: Bool { budget.isExhausted }

    /// Whether anything is demanded, or at hand that may say that a certificate is revoked.
    private func isAskedFor(of path: [ParsedCertificate]) -> Bool {
        policy != .whereDemanded || !evidence.lists.isEmpty || !evidence.responses.isEmpty
            || path.first?.mustStaple == true
    }

    private mutating func check(
        _ certificate: ParsedCertificate, _ issuer: ParsedCertificate, isDemanded: Bool, distrusted: Distrust
    ) throws(TrustFailure) {
        let isWanted = isDemanded || policy != .whereDemanded
        let statement = Statement(certificate: certificate, issuerKey: issuer.fields.publicKeyInfo)
        if let known = revoked[statement] { throw known }
        let status = RevocationCheck.status(
            of: certificate, issuedBy: issuer, signers: &signers, evidence: evidence, at: time,
            distrusted: distrusted, within: budget)
        guard !budget.isExhausted else { throw .budgetExhausted(signatureChecks: EvaluationBudget.limit) }
        switch status {
        case .good(let until):
            remarks.append(.notRevoked(certificate.summary, until: until))
            if isDemanded { remarks.append(.stapleFetched(certificate.summary)) }
        case .revoked(let instant, let reason):
            let failure = TrustFailure.revoked(certificate.summary, at: instant, reason: reason)
            revoked[statement] = failure
            throw failure
        case .unusable(.budgetExhausted):
            // What is left unread may say that it is revoked, and the server chose what used up the budget.
            throw .revocationUnknown(certificate.summary, .budgetExhausted)
        case .unusable(let problem) where isWanted:
            try unknown(certificate, issuer, problem, isWanted: isWanted, isDemanded: isDemanded)
        case .absent where isWanted:
            try unknown(certificate, issuer, nil, isWanted: isWanted, isDemanded: isDemanded)
        case .unusable, .absent:
            break
        }
    }

    private mutating func unknown(
        _ certificate: ParsedCertificate, _ issuer: ParsedCertificate, _ problem: RevocationProblem?, isWanted: Bool,
        isDemanded: Bool
    ) throws(TrustFailure) {
        if isWanted, let request = certificate.revocationRequest(issuer: issuer), !wanted.contains(request) {
            wanted.append(request)
        }
        guard !isDemanded, policy != .hardFail else { throw .revocationUnknown(certificate.summary, problem) }
        remarks.append(.revocationUnknown(certificate.summary, problem))
    }
}
