// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import X509

/// A depth-first search for a path from a leaf to an anchor, trying anchors before intermediates (RFC 4158).
struct PathSearch {
    /// The bounds on the cost of a hostile chain.
    ///
    /// They grow with the number of certificates in the pool, so that a path that needs each of them is found, and the
    /// work stays proportional to the size of the input.
    private struct Budget {
        let signatureChecks: Int
        let steps: Int
        let depth: Int

        init(certificates count: Int) {
            signatureChecks = 64 + count
            steps = 512 + 4 * count
            depth = 10 + count
        }
    }

    /// The usual number of certificates in a path.
    private static let typicalCount = 4

    /// A path that passed all checks, leaf first, and its profile.
    struct Found {
        let path: [ParsedCertificate]
        let profile: TrustPolicy.Profile
        let certificatePolicies: Set<CertificatePolicyIdentifier>
        /// The broken rules that are not enforced.
        let leniencies: [Verdict.Leniency]
        /// The remarks about the path's revocation check.
        let remarks: [Verdict.Remark]
    }

    private struct Attempt {
        let path: [ParsedCertificate]
        var failure: TrustFailure?
        /// The last link, if a check failed before its signature was verified.
        var unverifiedLink: LinkSignatures.Link?
        var reachesAnchor = false
        /// The revocation answers; `nil` if another check failed before.
        var revocation: [CertificateAnswers]?
    }

    private var pool: CandidatePool
    private let time: Date
    private let requirements: PathRequirements
    private let distrusted: Distrust
    private let peers: [PeerName]
    private let publicSuffixes: () -> PublicSuffixList?
    private var attempts: [Attempt] = []
    /// The certificates for which no issuer was found.
    private var orphans: [ParsedCertificate] = []
    private var signatures = LinkSignatures()
    private let budget: Budget
    private var steps = 0
    private var isTooDeep = false
    private var comparisons = NameConstraintsCheck.Budget()
    private var revocation: PathRevocation
    private let policyInputs: CertificatePolicyInputs
    /// The form rules that the policy does not enforce.
    private let tolerated: FormRules
    private var certificatePolicies: Set<CertificatePolicyIdentifier> = []

    init(
        pool: CandidatePool, peers: [PeerName], requirements: PathRequirements, distrusted: Distrust,
        publicSuffixes: @escaping () -> PublicSuffixList?, revocation: PathRevocation, time: Date,
        policyInputs: CertificatePolicyInputs = CertificatePolicyInputs(), tolerated: FormRules = []
    ) {
        self.tolerated = tolerated
        self.pool = pool
        budget = Budget(certificates: pool.count)
        self.peers = peers
        self.requirements = requirements
        self.distrusted = distrusted
        self.publicSuffixes = publicSuffixes
        self.revocation = revocation
        self.policyInputs = policyInputs
        self.time = time
    }

    private var isExhausted: Bool {
        steps >= budget.steps || signatures.count >= budget.signatureChecks || comparisons.isExhausted
            || revocation.isExhausted
    }

    /// The bound that ended the search; `nil` if none did.
    private var exhaustion: TrustFailure? {
        if comparisons.isExhausted { return comparisons.failure }
        if revocation.isExhausted {
            return .budgetExhausted(
                .revocationChecks, allowed: EvaluationBudget.limit, met: EvaluationBudget.limit)
        }
        if signatures.count >= budget.signatureChecks {
            return .budgetExhausted(.signatureChecks, allowed: budget.signatureChecks, met: signatures.count)
        }
        if steps >= budget.steps { return .budgetExhausted(.candidates, allowed: budget.steps, met: steps) }
        guard isTooDeep else { return nil }
        return .budgetExhausted(.pathLength, allowed: budget.depth + 1, met: budget.depth + 2)
    }

    /// All paths tried, in order.
    var paths: [Verdict.Path] {
        attempts.map {
            .init(parsed: $0.path, failure: $0.failure, endsInAnchor: $0.reachesAnchor, findings: $0.revocation)
        }
    }

    /// The use of each revocation list, and then of each OCSP response.
    var evidence: [EvidenceUse] { revocation.uses }

    /// Returns the missing evidence that could lead to another verdict.
    func wanted(missingIssuers: TrustPolicy.MissingIssuers) -> [EvidenceRequest] {
        guard missingIssuers == .fetched else { return revocation.wanted }
        return orphans.compactMap(\.issuerRequest) + revocation.wanted
    }

    /// Searches for a path.
    mutating func run() -> Found? {
        let leaf = pool.leaf
        var path: [ParsedCertificate] = []
        path.reserveCapacity(Self.typicalCount)
        path.append(leaf.certificate)
        // A leaf that is an anchor needs no issuer.
        if let profile = leaf.profile, complete(path, profile) { return found(path, profile) }
        return extend(path, isAnchored: leaf.profile != nil)
    }

    /// Returns the failures of the paths tried, for a search
    /// without success; a failure of the search itself comes first.
    mutating func failures() -> [TrustFailure] {
        let cutOff = exhaustion
        // All signatures of a path that reaches an anchor are valid,
        // so a forgery can only be of an unrelated certificate.
        let reachesAnchor = attempts.contains(where: \.reachesAnchor)
        if !reachesAnchor { verifySkippedLinks() }
        var explained: [(failure: TrustFailure, isInformative: Bool)] = []
        for attempt in attempts {
            guard let failure = self.explained(attempt), !(reachesAnchor && failure.isForgery) else { continue }
            explained.append((failure, attempt.reachesAnchor || !failure.isRecoverable))
        }
        // A failure of a path that reached an anchor, or a forgery, is more informative than a dead end.
        let isInformative = explained.contains { $0.isInformative }
        let failures = explained.map(\.failure).filter { !isInformative || !$0.isDeadEnd }
        guard let cutOff else { return failures }
        return [cutOff] + failures.filter { $0.rank < cutOff.rank }
    }

    private func found(_ path: [ParsedCertificate], _ profile: TrustPolicy.Profile) -> Found {
        Found(
            path: path, profile: profile, certificatePolicies: certificatePolicies,
            leniencies: leniencies(of: path, profile), remarks: revocation.remarks)
    }

    /// The search for the issuer of the last certificate of a path.
    private struct Level {
        let candidates: [CandidatePool.Candidate]
        /// Whether the certificate is an anchor.
        let isAnchored: Bool
        /// The first authority of the path that is outside its validity period.
        let validityProblem: TrustFailure?
        var next = 0
        var isIssued = false
        var wasTried = false
    }

    /// Extends a path, which may contain an authority outside its validity period, because only a complete path shows
    /// whether that is its only defect.
    ///
    /// A path that ends at an anchor and fails may be extended to another one; if that is impossible, no failure is
    /// added. The levels are an array instead of a recursion, because a server decides on their number.
    private mutating func extend(_ leaf: [ParsedCertificate], isAnchored: Bool) -> Found? {
        var path = leaf
        var levels: [Level] = []
        levels.reserveCapacity(Self.typicalCount)
        if let last = path.last { levels.append(level(above: last, isAnchored: isAnchored, nil)) }
        while let top = levels.indices.last, let last = path.last {
            guard levels[top].next < levels[top].candidates.count else {
                let level = levels.removeLast()
                if !level.isIssued, !level.isAnchored {
                    recordDeadEnd(path, last, wasTried: level.wasTried)
                    if let problem = level.validityProblem { record(path, problem) }
                }
                path.removeLast()
                guard !isExhausted else { return nil }
                continue
            }
            let candidate = levels[top].candidates[levels[top].next]
            levels[top].next += 1
            guard !path.contains(where: { $0 === candidate.certificate }) else { continue }
            steps += 1
            guard !isExhausted else { return nil }
            levels[top].wasTried = true
            guard isAuthority(candidate, above: path, last) else { continue }
            levels[top].isIssued = true
            let problem = levels[top].validityProblem ?? validityFailure(of: candidate.certificate)
            path.append(candidate.certificate)
            if let profile = candidate.profile {
                if let problem {
                    attempts.append(Attempt(path: path, failure: problem, reachesAnchor: true))
                    path.removeLast()
                    continue
                }
                if complete(path, profile) { return found(path, profile) }
                // Only an anchor may lack basic constraints (RFC 5280 section 6.1.4 step k).
                guard candidate.certificate.isAuthority else {
                    path.removeLast()
                    continue
                }
            }
            if path.count <= budget.depth {
                levels.append(level(above: candidate.certificate, isAnchored: candidate.profile != nil, problem))
            } else {
                isTooDeep = true
                path.removeLast()
            }
            guard !isExhausted else { return nil }
        }
        return nil
    }

    private mutating func level(
        above last: ParsedCertificate, isAnchored: Bool, _ problem: TrustFailure?
    ) -> Level {
        Level(candidates: pool.issuers(of: last), isAnchored: isAnchored, validityProblem: problem)
    }

    private func validityFailure(of certificate: ParsedCertificate) -> TrustFailure? {
        do throws(TrustFailure) {
            try ValidityCheck.check(certificate, at: time)
            return nil
        } catch {
            return error
        }
    }

    /// Returns whether an authority may issue the certificate below it, with the cheap checks first.
    private mutating func isAuthority(
        _ candidate: CandidatePool.Candidate, above path: [ParsedCertificate], _ issued: ParsedCertificate
    ) -> Bool {
        let authority = candidate.certificate
        let link = LinkSignatures.Link(issued: issued, issuer: authority)
        do throws(TrustFailure) {
            if distrusted.contains(authority) { throw .distrusted(authority.summary) }
            try AuthorityChecks.check(
                authority, above: path, for: requirements, isAnchor: candidate.profile != nil)
            try AlgorithmCheck.checkSignature(of: issued, for: requirements)
        } catch {
            attempts.append(Attempt(path: path + [authority], failure: error, unverifiedLink: link))
            return false
        }
        if signatures.holds(link) { return true }
        record(path + [authority], .badSignature(issued.summary, issuer: authority.summary))
        return false
    }

    /// Returns whether a complete path passes the remaining checks.
    private mutating func complete(_ path: [ParsedCertificate], _ profile: TrustPolicy.Profile) -> Bool {
        var attempt = Attempt(path: path, failure: nil, reachesAnchor: true)
        defer { attempts.append(attempt) }
        do {
            // The settings of a leaf that is itself an anchor; those of an issuer were checked before.
            if path.count == 1, path[0].trust != nil { try LeafChecks.checkPurpose(path[0], requirements) }
            try NameConstraintsCheck.check(path, budget: &comparisons)
            certificatePolicies = try PolicyCheck.check(path, for: policyInputs)
            try checkForm(path, rules(of: profile))
            defer { attempt.revocation = revocation.findings }
            try revocation.check(path, pool, distrusted: distrusted)
            return true
        } catch {
            attempt.failure = error
            return false
        }
    }

    /// The form rules that are enforced in paths of a profile.
    private func rules(of profile: TrustPolicy.Profile) -> RuleSet {
        (requirements.rules ?? profile.rules).applying(to: requirements.purpose).tolerating(tolerated)
    }

    private func checkForm(_ path: [ParsedCertificate], _ rules: RuleSet) throws(TrustFailure) {
        for (index, certificate) in path.enumerated() {
            let broken = certificate.brokenRules(asLeaf: index == 0).intersection(rules.binding(at: index, of: path))
            if let rule = broken.rules.first { throw .nonconforming(certificate.summary, rule) }
        }
        if rules.rules.contains(.inheritedFeatures) {
            for index in path.indices.dropFirst() where try lacksInheritedFeatures(path[index - 1], of: path[index]) {
                throw .nonconforming(path[index - 1].summary, .inheritedFeatures)
            }
        }
        if rules.rules.contains(.wildcardOnPublicSuffix), let leaf = path.first, isNamedByBroadWildcard(leaf) {
            throw .nonconforming(leaf.summary, .wildcardOnPublicSuffix)
        }
    }

    private func lacksInheritedFeatures(
        _ issued: ParsedCertificate, of issuer: ParsedCertificate
    ) throws(TrustFailure) -> Bool {
        let inherited = try issuer.require(issuer.features)
        let features = try issued.require(issued.features)
        return inherited.map { !$0.isSubset(of: features ?? []) } ?? false
    }

    private func isNamedByBroadWildcard(_ leaf: ParsedCertificate) -> Bool {
        WildcardCheck.isNamedByBroadWildcard(leaf, peers, publicSuffixes)
    }

    /// Returns the rules of the Web profile, and the tolerated ones, that a path breaks although it is accepted.
    private func leniencies(of path: [ParsedCertificate], _ profile: TrustPolicy.Profile) -> [Verdict.Leniency] {
        guard profile != .webPKI || !tolerated.isEmpty else { return [] }
        let enforced = rules(of: profile)
        let webRules = RuleSet.webPKI.applying(to: requirements.purpose)
        var leniencies: [Verdict.Leniency] = []
        for (index, certificate) in path.enumerated() {
            let expected = webRules.binding(at: index, of: path).union(tolerated)
                .subtracting(enforced.binding(at: index, of: path))
            leniencies += certificate.brokenRules(asLeaf: index == 0).intersection(expected).rules
                .map { Verdict.Leniency(certificate: certificate.summary, rule: $0) }
        }
        if tolerated.contains(.inheritedFeatures) {
            for (issued, issuer) in zip(path, path.dropFirst())
            where (try? lacksInheritedFeatures(issued, of: issuer)) ?? true {
                leniencies.append(Verdict.Leniency(certificate: issued.summary, rule: .inheritedFeatures))
            }
        }
        if tolerated.contains(.wildcardOnPublicSuffix), let leaf = path.first, isNamedByBroadWildcard(leaf) {
            leniencies.append(Verdict.Leniency(certificate: leaf.summary, rule: .wildcardOnPublicSuffix))
        }
        return leniencies
    }

    private mutating func recordDeadEnd(_ path: [ParsedCertificate], _ last: ParsedCertificate, wasTried: Bool) {
        if isSelfSigned(last) {
            record(path, path.count == 1 ? .selfSigned(last.summary) : .unknownRoot(last.summary))
            return
        }
        if last.isSelfIssued, let limitation = last.algorithm.limitation {
            // It is not known whether the certificate is self-signed.
            return record(path, .unsupportedSignatureAlgorithm(last.summary, limitation))
        }
        orphans.append(last)
        if !wasTried { record(path, .issuerNotFound(of: last.summary)) }
    }

    private mutating func record(_ path: [ParsedCertificate], _ failure: TrustFailure) {
        attempts.append(Attempt(path: path, failure: failure))
    }

    /// Searches for the real issuer of each certificate with an invalid signature.
    ///
    /// The real issuer may have been rejected before its signature was verified.
    /// Without this search, the verdict would report a forgery.
    private mutating func verifySkippedLinks() {
        let forged = attempts.filter { $0.failure?.isForgery == true }.compactMap { $0.path.dropLast().last }
        for link in attempts.compactMap(\.unverifiedLink) where forged.contains(where: { $0 === link.issued }) {
            guard !isExhausted else { return }
            _ = signatures.holds(link)
        }
    }

    /// Returns the failure of an attempt; `nil` if its authority only shares the name of the real issuer.
    private mutating func explained(_ attempt: Attempt) -> TrustFailure? {
        if let link = attempt.unverifiedLink, signatures.hasVerifiedSignature(link.issued) || isSelfSigned(link.issued),
            !isExhausted, !signatures.holds(link)
        {
            return nil
        }
        if attempt.failure?.isForgery == true, let issued = attempt.path.dropLast().last,
            signatures.hasVerifiedSignature(issued)
        {
            return nil
        }
        return attempt.failure
    }

    private mutating func isSelfSigned(_ certificate: ParsedCertificate) -> Bool {
        certificate.isSelfIssued && !isExhausted
            && signatures.holds(.init(issued: certificate, issuer: certificate))
    }
}
