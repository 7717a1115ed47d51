// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Certificate policies (RFC 5280 section 6.1), for callers to whom every policy is as good.
///
/// Then nothing of the policy graph is needed but the policies that are valid at the depth reached, so that no chain
/// can make it grow (RFC 9618 tells how others' did).
struct PolicyCheck {
    private var explicitPolicy: Int
    private var policyMapping: Int
    private var inhibitAnyPolicy: Int
    /// The policies that the next certificate may assert.
    private var expected: Set<PolicyExtensions.Policy> = [PolicyExtensions.anyPolicy]

    // The path is leaf first, anchor last.
    static func check(_ path: [ParsedCertificate]) throws(TrustFailure) {
        let issued = path.dropLast()
        var asksForPolicies = false
        for certificate in issued {
            let policies = certificate.policies
            if try certificate.require(policies.constraints)?.requireExplicitPolicy != nil { asksForPolicies = true }
            _ = try certificate.require(policies.inhibitAnyPolicy)
            _ = try certificate.require(policies.mappings)
            if policies.policies.isCritical == true { _ = try certificate.require(policies.policies) }
        }
        guard asksForPolicies else { return }
        var check = PolicyCheck(count: issued.count)
        for (position, certificate) in issued.enumerated().reversed() {
            try check.process(certificate, isLeaf: position == 0)
        }
    }

    private init(count: Int) {
        (explicitPolicy, policyMapping, inhibitAnyPolicy) = (count + 1, count + 1, count + 1)
    }

    private mutating func process(_ certificate: ParsedCertificate, isLeaf: Bool) throws(TrustFailure) {
        // Section 6.1.3 steps d to f.
        let asserted = try certificate.require(certificate.policies.policies) ?? []
        let allowsAny = inhibitAnyPolicy > 0 || (!isLeaf && certificate.isSelfIssued)
        let passesAll = asserted.contains(PolicyExtensions.anyPolicy) && allowsAny
        let passed =
            expected.contains(PolicyExtensions.anyPolicy)
            ? asserted.subtracting([PolicyExtensions.anyPolicy]) : asserted.intersection(expected)
        expected = passesAll ? passed.union(expected) : passed
        if isLeaf {
            wrapUp(certificate)
        } else if explicitPolicy > 0 || !expected.isEmpty {
            return prepare(after: certificate)
        }
        guard explicitPolicy > 0 || !expected.isEmpty else { throw .noValidPolicy(certificate.summary) }
    }

    /// Section 6.1.4 steps a, b, h, i and j.
    private mutating func prepare(after certificate: ParsedCertificate) {
        map(certificate.policies.mappings.value ?? [])
        if !certificate.isSelfIssued { countDown() }
        let constraints = certificate.policies.constraints.value
        explicitPolicy = min(explicitPolicy, constraints?.requireExplicitPolicy ?? .max)
        policyMapping = min(policyMapping, constraints?.inhibitPolicyMapping ?? .max)
        inhibitAnyPolicy = min(inhibitAnyPolicy, certificate.policies.inhibitAnyPolicy.value ?? .max)
    }

    private mutating func map(_ mappings: [PolicyExtensions.Mapping]) {
        let valid = expected
        expected.subtract(mappings.map(\.issuerDomain))
        guard policyMapping > 0 else { return }
        for mapping in mappings
        where valid.contains(mapping.issuerDomain) || valid.contains(PolicyExtensions.anyPolicy) {
            expected.insert(mapping.subjectDomain)
        }
    }

    private mutating func countDown() {
        explicitPolicy = max(0, explicitPolicy - 1)
        policyMapping = max(0, policyMapping - 1)
        inhibitAnyPolicy = max(0, inhibitAnyPolicy - 1)
    }

    /// Section 6.1.5 steps a and b.
    private mutating func wrapUp(_ leaf: ParsedCertificate) {
        explicitPolicy = max(0, explicitPolicy - 1)
        if leaf.policies.constraints.value?.requireExplicitPolicy == 0 { explicitPolicy = 0 }
    }
}
