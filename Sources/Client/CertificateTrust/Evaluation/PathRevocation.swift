// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import X509

/// The revocation check of the certificates below a path's anchor, as far as the policy requires it.
struct PathRevocation {
    /// A revoked certificate and its issuer's key; another certificate
    /// of the issuer with the same key does not undo the revocation.
    private struct Statement: Hashable {
        let certificate: ParsedCertificate
        let issuerKey: ArraySlice<UInt8>
    }

    private let policy: TrustPolicy.Revocation
    private let scope: TrustPolicy.RevocationScope
    let evidence: RevocationEvidence
    let time: Date
    private(set) var remarks: [Verdict.Remark] = []
    /// The answers about the certificates below the anchor of the last path, leaf first.
    private(set) var findings: [CertificateAnswers] = []
    /// The use of each list, and then of each response, for all paths.
    private(set) var uses: [EvidenceUse]
    private var revoked: [Statement: RevocationResult] = [:]
    private(set) var wanted: [EvidenceRequest] = []
    private var signers: ListSigners
    private let budget: EvaluationBudget

    init(
        policy: TrustPolicy.Revocation, scope: TrustPolicy.RevocationScope = .path, evidence: RevocationEvidence,
        time: Date,
        signers: ListSigners = ListSigners(), within budget: EvaluationBudget = EvaluationBudget()
    ) {
        self.policy = policy
        self.scope = scope
        self.evidence = evidence
        self.time = time
        self.signers = signers
        self.budget = budget
        uses = .init(repeating: .notReached, count: evidence.lists.count + evidence.responses.count)
    }

    // Checks a path that passed all other checks, leaf first. The pool may contain other certificates that sign lists.
    mutating func check(
        _ path: [ParsedCertificate], _ pool: CandidatePool, distrusted: Distrust
    ) throws(TrustFailure) {
        (remarks, findings) = ([], .init(repeating: CertificateAnswers(answer: .notAsked), count: path.count - 1))
        guard isCheckNeeded(of: path) else { return }
        signers.begin(
            path, pool,
            ListSigners.Conditions(evidence: evidence, time: time, distrusted: distrusted, budget: budget))
        let wantedBefore = wanted
        var failure: TrustFailure?
        // All certificates are checked, so that an unknown status of one does not hide the revocation of another.
        for (index, (certificate, issuer)) in zip(path, path.dropFirst()).enumerated() {
            // RFC 7633 and the staple concern only the server's certificate (RFC 6066 section 8).
            let isServer = index == 0 && signers.isForServer
            let demands = index == 0 && certificate.mustStaple
            let weaknessCount = budget.acceptedWeaknessCount
            let result = result(for: certificate, issuedBy: issuer, usesStaples: isServer, distrusted: distrusted)
            if case .good = result.status, budget.acceptedWeaknessCount > weaknessCount {
                remarks.append(.weakEvidenceAccepted(certificate.summary))
            }
            // Beyond the scope, evidence can only show a revocation.
            let isInScope = index == 0 || scope == .path
            let applied = isInScope ? policy : .whereDemanded
            let isWanted = demands || applied != .whereDemanded
            findings[index] = CertificateAnswers(
                answer: RevocationAnswer(result.status)
                    ?? (isWanted
                        ? .unknown(certificate.revocationRequest(issuer: issuer) == nil ? .noSource : nil)
                        : isInScope || policy == .whereDemanded ? .notAsked : .outOfScope),
                sources: result.sources)
            do throws(TrustFailure) {
                try check(certificate, issuer, result, under: applied, isDemanded: demands)
            } catch {
                if failure.map({ error.rank < $0.rank }) ?? true { failure = error }
            }
        }
        uses.combine(with: signers.uses)
        // Further evidence cannot help a path with a revoked certificate or without the staple that it requires.
        switch failure {
        case .revoked, .badStaple: wanted = wantedBefore
        default: break
        }
        if let failure { throw failure }
    }

    var isExhausted: Bool { budget.isExhausted }

    /// Returns whether the policy or the leaf demands a check, or there is evidence that may show a revocation.
    private func isCheckNeeded(of path: [ParsedCertificate]) -> Bool {
        policy != .whereDemanded || !evidence.lists.isEmpty || !evidence.responses.isEmpty
            || path.first?.mustStaple == true
    }

    private mutating func result(
        for certificate: ParsedCertificate, issuedBy issuer: ParsedCertificate, usesStaples: Bool,
        distrusted: Distrust
    ) -> RevocationResult {
        let statement = Statement(certificate: certificate, issuerKey: issuer.fields.publicKeyInfo)
        if let known = revoked[statement] { return RevocationResult(status: known.status, sources: known.sources) }
        let result = RevocationCheck.result(
            for: certificate, issuedBy: issuer, signers: &signers, evidence: evidence, usesStaples: usesStaples,
            at: time, distrusted: distrusted, within: budget)
        uses.combine(with: result.uses)
        if case .revoked = result.status { revoked[statement] = result }
        return result
    }

    private mutating func check(
        _ certificate: ParsedCertificate, _ issuer: ParsedCertificate, _ result: RevocationResult,
        under policy: TrustPolicy.Revocation, isDemanded: Bool
    ) throws(TrustFailure) {
        let isWanted = isDemanded || policy != .whereDemanded
        if case .revoked(let instant, let reason) = result.status {
            throw .revoked(certificate.summary, at: instant, reason: reason)
        }
        guard !budget.isExhausted else {
            throw .budgetExhausted(
                .revocationChecks, allowed: EvaluationBudget.limit, met: EvaluationBudget.limit)
        }
        // A server that staples nothing leaves the question to the responder; one that staples an unsatisfactory
        // response is refused (RFC 6066 section 8), even if the responder gives a better one.
        if isDemanded, case .unusable(let problem) = result.stapled, problem != .budgetExhausted {
            throw .badStaple(certificate.summary, problem)
        }
        switch result.status {
        case .good(let until):
            remarks.append(.notRevoked(certificate.summary, until: until))
            if case .good = result.stapled {
                remarks.append(.stapled(certificate.summary))
            } else if isDemanded {
                remarks.append(.stapleFetched(certificate.summary))
            }
        case .unusable(.budgetExhausted):
            // Evidence left unread may show a revocation, and the server chose the evidence that used up the budget.
            throw .revocationUnknown(certificate.summary, .budgetExhausted)
        case .unusable(let problem):
            try unknown(certificate, issuer, problem, isWanted: isWanted, under: policy, isDemanded: isDemanded)
        case .absent where isWanted:
            try unknown(certificate, issuer, nil, isWanted: isWanted, under: policy, isDemanded: isDemanded)
        case .revoked, .absent:
            break
        }
    }

    private mutating func unknown(
        _ certificate: ParsedCertificate, _ issuer: ParsedCertificate, _ problem: RevocationProblem?, isWanted: Bool,
        under policy: TrustPolicy.Revocation, isDemanded: Bool
    ) throws(TrustFailure) {
        let request = certificate.revocationRequest(issuer: issuer)
        if isWanted, let request, !wanted.contains(request) { wanted.append(request) }
        let problem = problem ?? (request == nil ? .noSource : nil)
        guard !isDemanded, policy != .hardFail else { throw .revocationUnknown(certificate.summary, problem) }
        remarks.append(.revocationUnknown(certificate.summary, problem))
    }
}

/// Finds the signers of revocation lists among the certificates of a search.
struct ListSigners: RevocationListSigners {
    /// The conditions of the path check, which also apply to the paths of signers.
    struct Conditions {
        let evidence: RevocationEvidence
        let time: Date
        let distrusted: Distrust
        let budget: EvaluationBudget
    }

    /// The question of whether a signer may sign lists about a certificate.
    private struct Question: Hashable {
        let candidate: ParsedCertificate
        let subject: ParsedCertificate
        let toRevoke: Bool
    }

    private var pool: CandidatePool?
    private var path: [ParsedCertificate] = []
    private var conditions: Conditions?
    private var known: [Question: Bool] = [:]
    /// The signers whose paths are being searched, to prevent cycles.
    private let pending: [ParsedCertificate]
    /// The number of further path searches allowed in an evaluation.
    private var remaining: Int
    /// The uses of the evidence for the paths of signers.
    private(set) var uses: [EvidenceUse] = []

    /// Whether the path is the server's own, and not that of a signer.
    var isForServer: Bool { pending.isEmpty }

    init() { (pending, remaining) = ([], 4) }

    private init(pending: [ParsedCertificate]) { (self.pending, remaining) = (pending, pending.count > 1 ? 0 : 1) }

    /// Resets the state for another path.
    mutating func begin(_ path: [ParsedCertificate], _ pool: CandidatePool, _ conditions: Conditions) {
        (self.path, self.pool, self.conditions) = (path, pool, conditions)
        known = [:]
    }

    /// Returns the authorities above a certificate in the path, because the certificate itself or a signer below it
    /// could undo its own revocation.
    private func authorities(above subject: RevocationSubject) -> ArraySlice<ParsedCertificate> {
        guard let position = path.firstIndex(of: subject.certificate) else { return [] }
        return path[(position + 1)...]
    }

    mutating func candidates(
        named name: NameKey, key: ArraySlice<UInt8>?, for subject: RevocationSubject, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> [ParsedCertificate] {
        let authorities = authorities(above: subject)
        let isOwnList = name == subject.certificate.issuer
        var found: [ParsedCertificate] = []
        for candidate in pool?.candidates(named: name, key: key).map(\.certificate) ?? [] {
            guard candidate != subject.issuer, candidate.keyUsage.value?.cRLSign == true,
                let conditions, !conditions.distrusted.contains(candidate)
            else { continue }
            if authorities.contains(candidate) {
                found.append(candidate)
                continue
            }
            for authority in authorities where authority.subject == candidate.issuer {
                // Another authority with the same name lists only its own certificates; a new key of this issuer is
                // certified by the old one.
                if isOwnList, candidate.isAuthority, authority != subject.issuer { continue }
                try budget.spend()
                guard candidate.isSigned(by: authority) else { continue }
                found.append(candidate)
                break
            }
        }
        return found
    }

    mutating func isTrusted(
        _ candidate: ParsedCertificate, for subject: RevocationSubject, toRevoke: Bool
    ) throws(RevocationProblem) -> Bool {
        guard let pool, let conditions, let anchor = path.last else { return false }
        if authorities(above: subject).contains(candidate) { return true }
        // The signed bytes are compared, because an ECDSA signature can be changed into another valid one.
        let isSubject = candidate.signedBytes == subject.certificate.signedBytes
        if isSubject || pending.contains(candidate) {
            return isSubject && pending.contains(candidate) && isListedByItself(subject)
        }
        let question = Question(candidate: candidate, subject: subject.certificate, toRevoke: toRevoke)
        if let known = known[question] { return known }
        guard remaining > 0 else { throw .budgetExhausted }
        remaining -= 1
        var requirements = PathRequirements(purposes: [], keyUse: .every(KeyUsage(cRLSign: true)))
        requirements.rules = .privatePKI
        // A weak signer can show that a certificate is revoked, but not that it is good.
        requirements.acceptedWeaknesses =
            toRevoke ? Set(CertificateWeakness.allCases) : conditions.budget.acceptedWeaknesses
        var search = PathSearch(
            pool: CandidatePool(pool, leaf: candidate, anchor: anchor), peers: [], requirements: requirements,
            distrusted: conditions.distrusted.adding(subject.certificate), publicSuffixes: { nil },
            revocation: PathRevocation(
                policy: toRevoke ? .whereDemanded : .hardFail, evidence: conditions.evidence, time: conditions.time,
                signers: ListSigners(pending: pending + [candidate]), within: conditions.budget), time: conditions.time)
        let failures = LeafChecks.failures(of: candidate, [], requirements, at: conditions.time)
        let isGood = failures.allSatisfy { toRevoke && $0.isExpiry }
        let found = isGood ? search.run() : nil
        if let found, !toRevoke {
            conditions.budget.noteAcceptedWeaknesses(AlgorithmCheck.remarks(on: found.path).count)
        }
        let isTrusted = found != nil
        uses.combine(with: search.evidence)
        known[question] = isTrusted
        return isTrusted
    }

    /// Returns whether the distribution points name the certificate's own subject as the only list issuer.
    private func isListedByItself(_ subject: RevocationSubject) -> Bool {
        let name = subject.certificate.subject
        return name != subject.certificate.issuer && !subject.distributionPoints.isEmpty
            && subject.distributionPoints.allSatisfy { $0.isListed(by: name) }
    }
}

extension TrustFailure {
    fileprivate var isExpiry: Bool { if case .expired = self { true } else { false } }
}
