// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

extension PolicyReader {
    mutating func readDomains(
        _ node: PolicyNode, into policies: inout DomainPolicies
    ) throws(PolicyFileError) {
        var places: [HostName: PolicyFilePlace] = [:]
        for entry in try node.entries() {
            let domain = try domain(entry)
            guard places.updateValue(entry.name.place, forKey: domain) == nil else {
                throw entry.name.error(.duplicateDomain(domain))
            }
            let mapping = try PolicyMapping(entry.value, keys: Self.serverKeys + ["subdomains"])
            let includesSubdomains = try subdomains(mapping, of: domain)
            let policy = try serverPolicy(mapping, over: policies.fallback)
            policies.set(.init(domain: domain, includesSubdomains: includesSubdomains, policy: policy))
        }
        for entry in policies.entries {
            guard let above = policies.entryAbove(entry.domain), entry.policy.isWeaker(than: above.policy),
                let place = places[entry.domain]
            else { continue }
            warn(.weakerThan(above.domain), at: place)
        }
    }

    private func domain(_ entry: PolicyNode.Entry) throws(PolicyFileError) -> HostName {
        do {
            return try HostName(entry.text)
        } catch {
            throw entry.name.error(.domain(error))
        }
    }

    private func subdomains(_ mapping: PolicyMapping, of domain: HostName) throws(PolicyFileError) -> Bool {
        guard let node = mapping["subdomains"], try node.boolean() else { return false }
        guard !domain.isAddress else { throw node.error(.subdomainsOfAddress(domain)) }
        return true
    }
}

extension ServerPolicy {
    /// Whether it lets something through that the other would not, as far as that shows without knowing the server.
    fileprivate func isWeaker(than other: ServerPolicy) -> Bool {
        trust.pins.isEmpty && !other.trust.pins.isEmpty
            || trust.validation != .full && other.trust.validation == .full
            || minimumTLSVersion < other.minimumTLSVersion
            || allowsPlainHTTP && !other.allowsPlainHTTP
            || !methods.isSubset(of: other.methods)
            || trust.localEvidence == .allowed && other.trust.localEvidence != .allowed
            || trust.transparency == nil && other.trust.transparency != nil
            || other.trust.revocation == .hardFail && trust.revocation != .hardFail
            || trust.certificatePolicies.isWeaker(than: other.trust.certificatePolicies)
    }
}

extension CertificatePolicyInputs {
    fileprivate func isWeaker(than other: CertificatePolicyInputs) -> Bool {
        guard other.isRequired else { return false }
        let acceptsMore = other.acceptable.map { acceptable?.isSubset(of: $0) != true } ?? false
        return !isRequired || acceptsMore || allowsMapping && !other.allowsMapping
            || allowsAnyPolicy && !other.allowsAnyPolicy
    }
}
