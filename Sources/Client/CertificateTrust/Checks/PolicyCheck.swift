// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The check of certificate policies along a path (RFC 5280 section 6.1, updated by RFC 9618).
///
/// The valid policies form a graph instead of a tree, so that mappings cannot make it grow exponentially (RFC 9618).
struct PolicyCheck {
    private typealias Policy = PolicyExtensions.Policy

    /// A valid policy at one depth.
    private struct Node {
        /// The policies at the previous depth from which this policy follows.
        var parents: Set<Policy>
        /// The policies by which the next certificate may assert this one.
        var expected: Set<Policy>
    }

    private let wanted: CertificatePolicyInputs
    private var explicitPolicy: Int
    private var policyMapping: Int
    private var inhibitAnyPolicy: Int
    /// The nodes of each depth, starting at the anchor; the last depth is empty if no policy is valid any more.
    private var graph: [[Policy: Node]] = [
        [PolicyExtensions.anyPolicy: Node(parents: [], expected: [PolicyExtensions.anyPolicy])]
    ]
    /// The certificate at which the last valid policy was lost, the policies it asserts, and its depth in the graph.
    private var loss: (certificate: ParsedCertificate, asserted: Set<Policy>, depth: Int)?
    /// The certificate that first requires a policy; `nil` if the caller requires one.
    private var requiringCertificate: CertificateSummary?

    /// Checks a path that begins with the leaf and ends with the anchor.
    ///
    /// - Returns: The policies for which the path is valid and that the caller accepts (section 6.1.6).
    @discardableResult
    static func check(
        _ path: [ParsedCertificate], for wanted: CertificatePolicyInputs = CertificatePolicyInputs()
    ) throws(TrustFailure) -> Set<CertificatePolicyIdentifier> {
        let issued = path.dropLast()
        var asksForPolicies = wanted.isRequired
        for certificate in issued {
            let policies = certificate.policies
            if try certificate.require(policies.constraints)?.requireExplicitPolicy != nil { asksForPolicies = true }
            _ = try certificate.require(policies.inhibitAnyPolicy)
            _ = try certificate.require(policies.mappings)
            if policies.policies.isCritical == true { _ = try certificate.require(policies.policies) }
        }
        // Without asserted or required policies, the result is empty, and the path passes.
        guard asksForPolicies || issued.contains(where: { $0.policies.policies.isPresent }) else { return [] }
        var check = PolicyCheck(count: issued.count, wanted)
        for (position, certificate) in issued.enumerated().reversed() {
            let asserted =
                try asksForPolicies
                ? certificate.require(certificate.policies.policies) : certificate.policies.policies.value
            try check.process(certificate, asserted ?? [], isLeaf: position == 0)
        }
        guard let leaf = issued.first else {
            // A path that consists of an anchor only has no policies.
            guard let anchor = path.first, wanted.isRequired else { return [] }
            throw .noValidPolicy(anchor.summary, .notAllowed(found: [], allowed: []), requiredBy: nil)
        }
        let valid = check.validPolicies()
        let accepted = check.accepted(of: valid)
        if check.explicitPolicy == 0, accepted.isEmpty {
            let problem = PolicyProblem.notAccepted(
                found: Self.sorted(valid), acceptable: Self.sorted(wanted.acceptable ?? []))
            throw .noValidPolicy(leaf.summary, problem, requiredBy: check.requiringCertificate)
        }
        return accepted
    }

    private init(count: Int, _ wanted: CertificatePolicyInputs) {
        self.wanted = wanted
        explicitPolicy = wanted.isRequired ? 0 : count + 1
        policyMapping = wanted.allowsMapping ? count + 1 : 0
        inhibitAnyPolicy = wanted.allowsAnyPolicy ? count + 1 : 0
    }

    private mutating func process(
        _ certificate: ParsedCertificate, _ asserted: Set<Policy>, isLeaf: Bool
    ) throws(TrustFailure) {
        let allowsAny = inhibitAnyPolicy > 0 || (!isLeaf && certificate.isSelfIssued)
        extend(asserted, allowsAny: allowsAny)
        if loss == nil, graph.last?.isEmpty != false {
            loss = (certificate, asserted, graph.count - 1)
        }
        try requireValidPolicy()
        if isLeaf {
            explicitPolicy = max(0, explicitPolicy - 1)
            if certificate.policies.constraints.value?.requireExplicitPolicy == 0 {
                if explicitPolicy > 0 { requiringCertificate = certificate.summary }
                explicitPolicy = 0
            }
            try requireValidPolicy()
        } else {
            prepare(after: certificate)
        }
    }

    /// Throws if a policy is required and none is valid (section 6.1.3 step f).
    private func requireValidPolicy() throws(TrustFailure) {
        guard explicitPolicy == 0, let loss else { return }
        let allowed = graph[loss.depth - 1].values.reduce(into: Set<Policy>()) { $0.formUnion($1.expected) }
        let problem = PolicyProblem.notAllowed(found: named(loss.asserted), allowed: named(allowed))
        throw .noValidPolicy(loss.certificate.summary, problem, requiredBy: requiringCertificate)
    }

    /// Adds a depth to the graph (section 6.1.3 steps d and e).
    private mutating func extend(_ asserted: Set<Policy>, allowsAny: Bool) {
        let before = graph.last ?? [:]
        var parents: [Policy: Set<Policy>] = [:]
        for (policy, node) in before {
            for expected in node.expected { parents[expected, default: []].insert(policy) }
        }
        var nodes: [Policy: Node] = [:]
        for policy in asserted where policy != PolicyExtensions.anyPolicy {
            if let parents = parents[policy] {
                nodes[policy] = Node(parents: parents, expected: [policy])
            } else if before[PolicyExtensions.anyPolicy] != nil {
                nodes[policy] = Node(parents: [PolicyExtensions.anyPolicy], expected: [policy])
            }
        }
        if allowsAny, asserted.contains(PolicyExtensions.anyPolicy) {
            for (policy, parents) in parents where nodes[policy] == nil {
                nodes[policy] = Node(parents: parents, expected: [policy])
            }
        }
        graph.append(nodes)
    }

    /// Prepares for the next certificate (section 6.1.4 steps a, b, h, i and j).
    private mutating func prepare(after certificate: ParsedCertificate) {
        map(certificate.policies.mappings.value ?? [])
        if !certificate.isSelfIssued { countDown() }
        let constraints = certificate.policies.constraints.value
        if let required = constraints?.requireExplicitPolicy, required < explicitPolicy {
            (explicitPolicy, requiringCertificate) = (required, certificate.summary)
        }
        policyMapping = min(policyMapping, constraints?.inhibitPolicyMapping ?? .max)
        inhibitAnyPolicy = min(inhibitAnyPolicy, certificate.policies.inhibitAnyPolicy.value ?? .max)
    }

    private mutating func map(_ mappings: [PolicyExtensions.Mapping]) {
        guard var nodes = graph.popLast() else { return }
        for (policy, mapped) in Dictionary(grouping: mappings, by: \.issuerDomain) {
            guard policyMapping > 0 else {
                nodes[policy] = nil
                continue
            }
            let expected = Set(mapped.map(\.subjectDomain))
            if nodes[policy] != nil {
                nodes[policy]?.expected = expected
            } else if let any = nodes[PolicyExtensions.anyPolicy] {
                nodes[policy] = Node(parents: any.parents, expected: expected)
            }
        }
        graph.append(nodes)
    }

    private mutating func countDown() {
        explicitPolicy = max(0, explicitPolicy - 1)
        policyMapping = max(0, policyMapping - 1)
        inhibitAnyPolicy = max(0, inhibitAnyPolicy - 1)
    }

    /// Returns the valid policies in the anchor's policy domain (section 6.1.5 step g).
    private func validPolicies() -> Set<CertificatePolicyIdentifier> {
        var found: Set<Policy> = []
        // Starting at the last depth, follow the parents of the remaining policies upwards.
        var live = Set((graph.last ?? [:]).keys)
        if live.contains(PolicyExtensions.anyPolicy) { found.insert(PolicyExtensions.anyPolicy) }
        for nodes in graph.dropFirst().reversed() {
            var above: Set<Policy> = []
            for policy in live {
                guard let parents = nodes[policy]?.parents else { continue }
                above.formUnion(parents)
                if policy != PolicyExtensions.anyPolicy, parents == [PolicyExtensions.anyPolicy] {
                    found.insert(policy)
                }
            }
            live = above
        }
        return Set(found.map(CertificatePolicyIdentifier.init(encoded:)))
    }

    /// Returns the policies that the caller accepts, with the caller's names.
    private func accepted(of policies: Set<CertificatePolicyIdentifier>) -> Set<CertificatePolicyIdentifier> {
        guard let acceptable = wanted.acceptable, !acceptable.contains(.any) else { return policies }
        return policies.contains(.any) ? acceptable : acceptable.filter(policies.contains)
    }

    /// Returns the policies sorted, with the caller's names.
    private func named(_ policies: Set<Policy>) -> [CertificatePolicyIdentifier] {
        let policies = Set(policies.map(CertificatePolicyIdentifier.init(encoded:)))
        let known: Set<CertificatePolicyIdentifier> = wanted.acceptable?.filter(policies.contains) ?? []
        return Self.sorted(known.union(policies))
    }

    private static func sorted(_ policies: Set<CertificatePolicyIdentifier>) -> [CertificatePolicyIdentifier] {
        Array(policies.sorted { $0.precedes($1) }.prefix(PolicyProblem.limit))
    }
}
