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
    /// The answers about the certificates below the anchor of the last path, leaf first.
    private(set) var answers: [RevocationAnswer] = []
    /// The use of each list, and then of each response, for all paths.
    private(set) var uses: [EvidenceUse]
    private var revoked: [Statement: RevocationStatus] = [:]
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
        uses = .init(repeating: .notReached, count: evidence.lists.count + evidence.responses.count)
    }

    // Checks a path that is good otherwise, leaf first, anchor last. In the pool may be others that sign lists.
    mutating func check(
        _ path: [ParsedCertificate], _ pool: CandidatePool, distrusted: Distrust
    ) throws(TrustFailure) {
        (remarks, answers) = ([], .init(repeating: .notAsked, count: path.count - 1))
        guard isAskedFor(of: path) else { return }
        signers.begin(
            path, pool,
            ListSigners.Conditions(evidence: evidence, time: time, distrusted: distrusted, budget: budget))
        let wantedBefore = wanted
        var failure: TrustFailure?
        // All of them, so that an unknown status of one certificate does not hide that another one is revoked.
        for (index, (certificate, issuer)) in zip(path, path.dropFirst()).enumerated() {
            // NIOSSL 2.37 cannot ask for a stapled response; fetching one answers the same question.
            let demands = index == 0 && certificate.mustStaple
            let status = status(of: certificate, issuedBy: issuer, distrusted: distrusted)
            answers[index] = RevocationAnswer(status, isWanted: demands || policy != .whereDemanded)
            do throws(TrustFailure) {
                try check(certificate, issuer, status, isDemanded: demands)
            } catch {
                if failure.map({ error.rank < $0.rank }) ?? true { failure = error }
            }
        }
        uses.combine(with: signers.uses)
        // No more evidence helps a path of which something is revoked.
        if case .revoked = failure { wanted = wantedBefore }
        if let failure { throw failure }
    }

    var isExhausted: Bool { budget.isExhausted }

    /// Whether anything is demanded, or at hand that may say that a certificate is revoked.
    private func isAskedFor(of path: [ParsedCertificate]) -> Bool {
        policy != .whereDemanded || !evidence.lists.isEmpty || !evidence.responses.isEmpty
            || path.first?.mustStaple == true
    }

    private mutating func status(
        of certificate: ParsedCertificate, issuedBy issuer: ParsedCertificate, distrusted: Distrust
    ) -> RevocationStatus {
        let statement = Statement(certificate: certificate, issuerKey: issuer.fields.publicKeyInfo)
        if let known = revoked[statement] { return known }
        let result = RevocationCheck.result(
            for: certificate, issuedBy: issuer, signers: &signers, evidence: evidence, at: time,
            distrusted: distrusted, within: budget)
        uses.combine(with: result.uses)
        if case .revoked = result.status { revoked[statement] = result.status }
        return result.status
    }

    private mutating func check(
        _ certificate: ParsedCertificate, _ issuer: ParsedCertificate, _ status: RevocationStatus, isDemanded: Bool
    ) throws(TrustFailure) {
        let isWanted = isDemanded || policy != .whereDemanded
        if case .revoked(let instant, let reason) = status {
            throw .revoked(certificate.summary, at: instant, reason: reason)
        }
        guard !budget.isExhausted else { throw .budgetExhausted(signatureChecks: EvaluationBudget.limit) }
        switch status {
        case .good(let until):
            remarks.append(.notRevoked(certificate.summary, until: until))
            if isDemanded { remarks.append(.stapleFetched(certificate.summary)) }
        case .unusable(.budgetExhausted):
            // What is left unread may say that it is revoked, and the server chose what used up the budget.
            throw .revocationUnknown(certificate.summary, .budgetExhausted)
        case .unusable(let problem):
            try unknown(certificate, issuer, problem, isWanted: isWanted, isDemanded: isDemanded)
        case .absent where isWanted:
            try unknown(certificate, issuer, nil, isWanted: isWanted, isDemanded: isDemanded)
        case .revoked, .absent:
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

extension RevocationAnswer {
    fileprivate init(_ status: RevocationStatus, isWanted: Bool) {
        self =
            switch status {
            case .good(let until): .good(until: until)
            case .revoked(let time, let reason): .revoked(at: time, reason: reason)
            case .unusable(let problem): .unknown(problem)
            case .absent: isWanted ? .unknown(nil) : .notAsked
            }
    }
}
