// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import X509

/// A depth-first search for a path from a leaf to an anchor, trying anchors before intermediates (RFC 4158).
struct PathSearch {
    /// The limits on the cost of a hostile chain.
    ///
    /// Real chains need a handful of each.
    private enum Budget {
        static let signatureChecks = 64
        static let steps = 512
        static let depth = 10
    }

    /// The usual number of certificates in a path.
    private static let typicalCount = 4

    /// A path that passed all checks, leaf first, and its profile.
    struct Found {
        let path: [ParsedCertificate]
        let profile: TrustPolicy.Profile
        let certificatePolicies: Set<CertificatePolicyIdentifier>
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
        var revocation: [RevocationAnswer]?
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
    private var steps = 0
    private var isTooDeep = false
    private var comparisons = NameConstraintsCheck.Budget()
    private var revocation: PathRevocation
    private let policyInputs: CertificatePolicyInputs
    private var certificatePolicies: Set<CertificatePolicyIdentifier> = []

    init(
        pool: CandidatePool, peers: [PeerName], requirements: PathRequirements, distrusted: Distrust,
        publicSuffixes: @escaping () -> PublicSuffixList?, revocation: PathRevocation, time: Date,
        policyInputs: CertificatePolicyInputs = CertificatePolicyInputs()
    ) {
        self.pool = pool
        self.peers = peers
        self.requirements = requirements
        self.distrusted = distrusted
        self.publicSuffixes = publicSuffixes
        self.revocation = revocation
        self.policyInputs = policyInputs
        self.time = time
    }

    private var isExhausted: Bool {
        steps >= Budget.steps || signatures.count >= Budget.signatureChecks || comparisons.isExhausted
            || revocation.isExhausted
    }

    /// All paths tried, in order.
    var paths: [Verdict.Path] {
        attempts.map {
            .init(parsed: $0.path, failure: $0.failure, endsInAnchor: $0.reachesAnchor, answers: $0.revocation)
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
        return extend(&path, isAnchored: leaf.profile != nil)
    }

    /// Returns the failures of the paths tried, for a search
    /// without success; a failure of the search itself comes first.
    mutating func failures() -> [TrustFailure] {
        let isCutOff = isExhausted || isTooDeep
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
        guard isCutOff else { return failures }
        let cutOff = TrustFailure.budgetExhausted(signatureChecks: signatures.count)
        return [cutOff] + failures.filter { $0.rank < cutOff.rank }
    }

    private func found(_ path: [ParsedCertificate], _ profile: TrustPolicy.Profile) -> Found {
        Found(path: path, profile: profile, certificatePolicies: certificatePolicies, remarks: revocation.remarks)
    }

    /// Extends a path, which may contain an authority outside its validity period, because only a complete path shows
    /// whether that is its only defect.
    ///
    /// A path that ends at an anchor and fails may be extended to
    /// another one; if that is impossible, no failure is added.
    ///
    /// Restores the path if no extension succeeds.
    private mutating func extend(
        _ path: inout [ParsedCertificate], isAnchored: Bool, validityProblem: TrustFailure? = nil
    ) -> Found? {
        guard let last = path.last else { return nil }
        guard path.count <= Budget.depth else {
            isTooDeep = true
            return nil
        }
        var (isIssued, wasTried) = (false, false)
        for candidate in pool.issuers(of: last) where !path.contains(where: { $0 === candidate.certificate }) {
            steps += 1
            guard !isExhausted else { return nil }
            wasTried = true
            guard isAuthority(candidate.certificate, above: path, last) else { continue }
            isIssued = true
            let validityProblem = validityProblem ?? validityFailure(of: candidate.certificate)
            path.append(candidate.certificate)
            if let profile = candidate.profile {
                if let validityProblem {
                    attempts.append(Attempt(path: path, failure: validityProblem, reachesAnchor: true))
                    path.removeLast()
                    continue
                }
                if complete(path, profile) { return found(path, profile) }
            }
            if let found = extend(&path, isAnchored: candidate.profile != nil, validityProblem: validityProblem) {
                return found
            }
            path.removeLast()
            guard !isExhausted else { return nil }
        }
        if !isIssued, !isAnchored {
            recordDeadEnd(path, last, wasTried: wasTried)
            if let validityProblem { record(path, validityProblem) }
        }
        return nil
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
        _ authority: ParsedCertificate, above path: [ParsedCertificate], _ issued: ParsedCertificate
    ) -> Bool {
        let link = LinkSignatures.Link(issued: issued, issuer: authority)
        do throws(TrustFailure) {
            if distrusted.contains(authority) { throw .distrusted(authority.summary) }
            try AuthorityChecks.check(authority, above: path, for: requirements)
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
            try NameConstraintsCheck.check(path, budget: &comparisons)
            certificatePolicies = try PolicyCheck.check(path, for: policyInputs)
            try checkForm(path, requirements.rules ?? profile.rules)
            defer { attempt.revocation = revocation.answers }
            try revocation.check(path, pool, distrusted: distrusted)
            return true
        } catch {
            attempt.failure = error
            return false
        }
    }

    private func checkForm(_ path: [ParsedCertificate], _ rules: RuleSet) throws(TrustFailure) {
        for (index, certificate) in path.enumerated() {
            let binding = index > 0 && index == path.count - 1 ? rules.anchorRules : rules.rules
            let broken = certificate.brokenRules(asLeaf: index == 0).intersection(binding)
            if let rule = broken.rules.first { throw .nonconforming(certificate.summary, rule) }
        }
        if rules.rules.contains(.inheritedFeatures) {
            for index in path.indices.dropFirst() {
                let (issued, issuer) = (path[index - 1], path[index])
                let inherited = try issuer.require(issuer.features)
                let features = try issued.require(issued.features)
                guard inherited?.isSubset(of: features ?? []) ?? true else {
                    throw .nonconforming(issued.summary, .inheritedFeatures)
                }
            }
        }
        if rules.rules.contains(.wildcardOnPublicSuffix), let leaf = path.first,
            WildcardCheck.isNamedByBroadWildcard(leaf, peers, publicSuffixes)
        {
            throw .nonconforming(leaf.summary, .wildcardOnPublicSuffix)
        }
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
