// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
import X509

/// Decides whether a chain is valid for a host, and explains the verdict.
///
/// Reuse one evaluator for many chains, because it parses each anchor once.
public struct TrustEvaluator: Sendable {
    private let policy: TrustPolicy
    private let anchors: [CandidatePool.Anchors]
    private let distrust: Distrust
    private let publicSuffixes: @Sendable () -> PublicSuffixList?

    /// Makes an evaluator.
    ///
    /// - Parameters:
    ///   - policy: The requirements of chains.
    ///   - systemAnchors: The anchors of ``TrustPolicy/Anchors/system``; unused if the policy names all anchors itself.
    ///   - publicSuffixes: The domains directly below which ``TrustPolicy/Profile/webPKI`` rejects a wildcard, computed
    ///     only if the host matches only a wildcard of the leaf; `nil` disables the check of wildcards.
    public init(
        policy: TrustPolicy, systemAnchors: AnchorStore,
        publicSuffixes: @autoclosure @escaping @Sendable () -> PublicSuffixList? = nil
    ) {
        self.publicSuffixes = publicSuffixes
        self.policy = policy
        distrust = Distrust(policy.distrusted)
        func given(_ certificates: [CertificateSummary]) -> CandidatePool.Anchors {
            .init(store: AnchorStore(summaries: certificates), profile: policy.profile ?? .privatePKI)
        }
        let system = CandidatePool.Anchors(store: systemAnchors, profile: policy.profile ?? .webPKI)
        anchors =
            switch policy.anchors {
            case .system: [system]
            case .systemAnd(let added): [given(added), system]
            case .only(let certificates): [given(certificates)]
            }
    }

    /// Searches for a path from a server's chain to an anchor (RFC 5280 section 6.1, RFC 4158).
    ///
    /// The chain must be suitable for the ``TrustPolicy/purpose`` of the policy, which is
    /// ``TrustPolicy/Purpose/server`` by default.
    ///
    /// - Parameters:
    ///   - chain: The chain that the server presented.
    ///   - host: The name of the server that the client connected to, matched as in RFC 9525 section 6.
    ///   - time: The instant at which the chain, pins, and evidence must be valid.
    ///   - evidence: The evidence fetched for ``Verdict/wanted`` of an earlier verdict; empty for the first evaluation.
    /// - Returns: The verdict, with every path tried and the check that each failed.
    public func evaluate(
        _ chain: PresentedChain, for host: HostName, at time: Date, with evidence: TrustEvidence = TrustEvidence()
    ) -> Verdict {
        evaluate(
            chain, for: [.host(host)], requirements: PathRequirements(for: policy.purpose), at: time, with: evidence)
    }

    /// Searches for a path from the chain of any holder to an anchor, for the ``TrustPolicy/purpose`` of the policy (RFC
    /// 5280 section 6.1).
    ///
    /// Certificate Transparency, and the form rules for servers, are checked only for ``TrustPolicy/Purpose/server``.
    ///
    /// - Parameters:
    ///   - chain: The chain of the holder.
    ///   - name: The DNS name, IP address, or email address that the certificate must contain; `nil` skips the check of
    ///     names, as for the signers of software and timestamps.
    ///   - time: The instant at which the chain, pins, and evidence must be valid.
    ///   - evidence: The evidence fetched for ``Verdict/wanted`` of an earlier verdict; empty for the first evaluation.
    /// - Returns: The verdict, with every path tried and the check that each failed.
    /// - Throws: `HostNameError` if a name without an at sign is neither a DNS name nor an address.
    public func evaluate(
        _ chain: PresentedChain, named name: String?, at time: Date, with evidence: TrustEvidence = TrustEvidence()
    ) throws(HostNameError) -> Verdict {
        let peers = if let name { [try PeerName(name)] } else { [PeerName]() }
        return evaluate(
            chain, for: peers, requirements: PathRequirements(for: policy.purpose), at: time, with: evidence)
    }

    /// Searches for a path from a client's chain to an anchor (RFC 5280 section 6.1).
    ///
    /// Extended key usages in the path must allow client authentication (RFC 5280 section 4.2.1.12), unless the policy's
    /// purpose is ``TrustPolicy/Purpose/any``. Certificate Transparency is not checked.
    ///
    /// - Parameters:
    ///   - chain: The chain that the client presented.
    ///   - name: The DNS name, IP address, or email address that the
    ///     certificate must contain; `nil` skips the check of names.
    ///   - time: The instant at which the chain, pins, and evidence must be valid.
    ///   - evidence: The evidence fetched for ``Verdict/wanted`` of an earlier verdict; empty for the first evaluation.
    /// - Returns: The verdict, with every path tried and the check that each failed.
    /// - Throws: `HostNameError` if a name without an at sign is neither a DNS name nor an address.
    public func evaluate(
        client chain: PresentedChain, named name: String? = nil, at time: Date,
        with evidence: TrustEvidence = TrustEvidence()
    ) throws(HostNameError) -> Verdict {
        let peers = if let name { [try PeerName(name)] } else { [PeerName]?.none }
        return evaluate(client: chain, withAny: peers, at: time, with: evidence)
    }

    /// Searches for a path from the chain of a client that must have one of several names; `nil` skips the check of
    /// names.
    package func evaluate(
        client chain: PresentedChain, withAny peers: [PeerName]?, at time: Date, with evidence: TrustEvidence
    ) -> Verdict {
        let names = chain.parsedLeaf.alternativeNames.value ?? []
        // The verdict is about the name that the client has, if it has one.
        let peer = peers.map { peers in peers.first { HostNameMatching.matches(names, $0) } ?? .anyOf(peers) }
        return evaluate(
            chain, for: [peer].compactMap(\.self),
            requirements: PathRequirements(for: policy.purpose == .any ? .any : .client), at: time, with: evidence)
    }

    /// Searches for a path that meets the given requirements.
    ///
    /// - Parameters:
    ///   - chain: The chain that the peer presented.
    ///   - peers: The names that the leaf must match, all of them; an empty list skips the check of names.
    ///   - requirements: The requirements of the path.
    ///   - time: The instant at which the chain, pins, and evidence must be valid.
    ///   - evidence: The evidence fetched for ``Verdict/wanted`` of an earlier verdict; empty for the first evaluation.
    /// - Returns: The verdict, with every path tried and the check that each failed.
    package func evaluate(
        _ chain: PresentedChain, for peers: [PeerName], requirements: PathRequirements, at time: Date,
        with evidence: TrustEvidence = TrustEvidence()
    ) -> Verdict {
        var requirements = requirements
        requirements.acceptedWeaknesses = policy.acceptedWeaknesses
        let name = peers.count == 1 ? peers[0].text : peers.map(\.text).joined(separator: ", ")
        var verdict = Verdict(host: name, validation: policy.validation, purpose: requirements.purpose)
        verdict.unread = chain.unread + evidence.unread
        guard chain.parsedLeaf.problem == nil else {
            verdict.refuseUnreadableLeaf(chain.parsedLeaf)
            return verdict
        }
        switch policy.validation {
        case .full:
            validate(chain, peers, requirements, time, evidence, into: &verdict)
        case .firstUse:
            let isFound = validate(chain, peers, requirements, time, evidence, into: &verdict)
            if !isFound { comparePins([chain.parsedLeaf], time, into: &verdict) }
            verdict.decideByKey(of: chain.parsedLeaf, remembered: evidence.remembered, at: time)
        case .dangerouslyDisabled:
            comparePins([chain.parsedLeaf], time, into: &verdict)
        }
        if distrust.contains(chain.parsedLeaf) { verdict.fail([.distrusted(chain.parsedLeaf.summary)]) }
        return verdict
    }

    /// - Returns: Whether a path was found.
    @discardableResult
    private func validate(
        _ chain: PresentedChain, _ peers: [PeerName], _ requirements: PathRequirements, _ time: Date,
        _ evidence: TrustEvidence, into verdict: inout Verdict
    ) -> Bool {
        let pool = CandidatePool(chain, fetched: evidence.parsedIssuers, anchors: anchors)
        var search = PathSearch(
            pool: pool, peers: peers, requirements: requirements, distrusted: distrust,
            publicSuffixes: publicSuffixes,
            revocation: PathRevocation(
                policy: policy.revocation, scope: policy.revocationScope, evidence: evidence.revocation, time: time,
                within: EvaluationBudget(acceptedWeaknesses: policy.acceptedWeaknesses)),
            time: time, policyInputs: policy.certificatePolicies, tolerated: FormRules(policy.toleratedRules))
        let found = search.run()
        var failures = LeafChecks.failures(of: chain.parsedLeaf, peers, requirements, at: time)
        // A chain with an unrecoverable failure needs no revocation check.
        let isUnrecoverable = failures.contains { !$0.isRecoverable }
        if let found {
            verdict.profile = found.profile
            verdict.certificatePolicies = found.certificatePolicies
            verdict.leniencies = found.leniencies
            verdict.remarks = found.remarks
            if !policy.acceptedWeaknesses.isEmpty { verdict.remarks += AlgorithmCheck.remarks(on: found.path) }
            if let transparency = policy.transparency, requirements.purposes.contains(.serverAuth) {
                check(transparency, of: found.path, evidence, time, into: &verdict)
            }
            comparePins(found.path, time, into: &verdict)
        } else {
            failures += search.failures()
            if chain.omittedCount > 0 {
                let count = chain.parsedIssuers.count
                failures.append(.budgetExhausted(.certificates, allowed: count, met: count + chain.omittedCount))
            }
            // A search without a path must never count as success, even if it reports no failure.
            if failures.isEmpty { failures = [.issuerNotFound(of: chain.parsedLeaf.summary)] }
        }
        if !isUnrecoverable {
            verdict.wanted = search.wanted(missingIssuers: found == nil ? policy.missingIssuers : .notFetched)
        }
        verdict.paths = search.paths
        verdict.evidence = search.evidence
        verdict.fail(failures)
        return found != nil
    }

    private func check(
        _ transparency: CertificateTransparency, of path: [ParsedCertificate], _ evidence: TrustEvidence, _ time: Date,
        into verdict: inout Verdict
    ) {
        guard let leaf = path.first,
            let check = TransparencyCheck(transparency, path, evidence, at: time)
        else { return }
        verdict.timestamps = check.findings
        if let shortfall = check.shortfall { verdict.fail([.transparencyInsufficient(leaf.summary, shortfall)]) }
        if let made = transparency.logs.time, time > made + CertificateTransparency.listLifetime {
            verdict.remarks.append(.logListOutdated(made))
        }
    }

    /// Compares the pins; if no path was found, only the leaf's key
    /// can satisfy a pin, because only its possession was proved.
    private func comparePins(_ path: [ParsedCertificate], _ time: Date, into verdict: inout Verdict) {
        let (failure, remark) = policy.pins.check(path, at: time)
        if let failure { verdict.fail([failure]) }
        if let remark { verdict.remarks.append(remark) }
    }
}
