// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

extension PolicyReader {
    /// `any`, or a mapping of what the certificate policies of a path must be.
    ///
    /// A mapping requires a policy unless it says otherwise: policies that are listed and do not bind would be a surprise.
    func certificatePolicies(_ node: PolicyNode) throws(PolicyFileError) -> CertificatePolicyInputs {
        if node.isText { return try node.choice(PolicyWords.certificatePolicies) }
        let mapping = try PolicyMapping(node, keys: ["acceptable", "required", "mapping", "any-policy"])
        var inputs = CertificatePolicyInputs(
            acceptable: try mapping["acceptable"].map(acceptable),
            isRequired: try mapping["required"]?.boolean() ?? true)
        if let node = mapping["mapping"] { inputs.allowsMapping = try node.choice(PolicyWords.inhibition) }
        if let node = mapping["any-policy"] { inputs.allowsAnyPolicy = try node.choice(PolicyWords.inhibition) }
        return inputs
    }

    private func acceptable(_ node: PolicyNode) throws(PolicyFileError) -> Set<CertificatePolicyIdentifier> {
        var policies: Set<CertificatePolicyIdentifier> = []
        for element in try node.list() { policies.insert(try identifier(element)) }
        return policies
    }

    /// A name of ``PolicyWords/certificatePolicy``, or an object identifier, which an organization's name for it may follow.
    private func identifier(_ node: PolicyNode) throws(PolicyFileError) -> CertificatePolicyIdentifier {
        let text = try node.text()
        if let known = PolicyWords.certificatePolicy.first(where: { $0.key == text }) { return known.value }
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts.dropFirst().first { !$0.isEmpty }
        guard let policy = CertificatePolicyIdentifier(parts.first ?? "", name: name) else {
            throw node.error(.certificatePolicy(text))
        }
        return policy
    }
}
