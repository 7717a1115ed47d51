// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The signers of revocation lists among the certificates that a search has to do with.
struct ListSigners: RevocationListSigners {
    /// What holds for the path holds for those of the signers too.
    struct Conditions {
        let evidence: RevocationEvidence
        let time: Date
        let distrusted: Distrust
        let budget: EvaluationBudget
    }

    /// Whether a signer is good for what lists say of a certificate.
    private struct Question: Hashable {
        let candidate: ParsedCertificate
        let subject: ParsedCertificate
        let toRevoke: Bool
    }

    private var pool: CandidatePool?
    private var path: [ParsedCertificate] = []
    private var conditions: Conditions?
    private var known: [Question: Bool] = [:]
    /// The signers whose own paths are being looked for, so that no search leads to itself.
    private let pending: [ParsedCertificate]
    /// How many more paths are looked for in an evaluation.
    private var remaining: Int
    /// The use of the evidence for the paths of signers.
    private(set) var uses: [EvidenceUse] = []

    init() { (pending, remaining) = ([], 4) }

    private init(pending: [ParsedCertificate]) { (self.pending, remaining) = (pending, pending.count > 1 ? 0 : 1) }

    /// Begins with another path.
    mutating func begin(_ path: [ParsedCertificate], _ pool: CandidatePool, _ conditions: Conditions) {
        (self.path, self.pool, self.conditions) = (path, pool, conditions)
        known = [:]
    }

    /// The authorities of the path above a certificate: a signer below it, or the certificate itself, could take back its own revocation.
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
                // Another authority of the same name lists its own certificates, not these. A new key of the same one is vouched for by the old one.
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
        // Not by the whole certificate: an ECDSA signature can be changed into another valid one.
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
        var search = PathSearch(
            pool: CandidatePool(pool, leaf: candidate, anchor: anchor), peers: [], requirements: requirements,
            distrusted: conditions.distrusted.adding(subject.certificate), publicSuffixes: { nil },
            revocation: PathRevocation(
                policy: toRevoke ? .whereDemanded : .hardFail, evidence: conditions.evidence, time: conditions.time,
                signers: ListSigners(pending: pending + [candidate]), within: conditions.budget), time: conditions.time)
        let failures = LeafChecks.failures(of: candidate, [], requirements, at: conditions.time)
        let isGood = failures.allSatisfy { toRevoke && $0.isExpiry }
        let isTrusted = isGood && search.run() != nil
        uses.combine(with: search.evidence)
        known[question] = isTrusted
        return isTrusted
    }

    /// Whether a certificate's issuer says that the certificate's own subject lists it, and no one else.
    private func isListedByItself(_ subject: RevocationSubject) -> Bool {
        let name = subject.certificate.subject
        return name != subject.certificate.issuer && !subject.distributionPoints.isEmpty
            && subject.distributionPoints.allSatisfy { $0.isListed(by: name) }
    }
}

extension TrustFailure {
    fileprivate var isExpiry: Bool { if case .expired = self { true } else { false } }
}
