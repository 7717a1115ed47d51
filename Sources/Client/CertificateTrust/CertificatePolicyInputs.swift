// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The requirements of a path's certificate policies (RFC 5280 section 6.1.1, inputs c to g).
///
/// The defaults accept every path.
public struct CertificatePolicyInputs: Hashable, Sendable, Codable {
    /// The policies that are accepted, the user-initial-policy-set; `nil` accepts all.
    ///
    /// They bind where a policy is required, by ``isRequired`` or by a certificate of the path.
    public var acceptable: Set<CertificatePolicyIdentifier>?
    /// Whether a path must be good for an accepted policy: initial-explicit-policy.
    public var isRequired: Bool
    /// Whether an authority may declare another's policy equal to its own: not initial-policy-mapping-inhibit.
    public var allowsMapping: Bool
    /// Whether the policy anyPolicy counts as every policy: not initial-any-policy-inhibit.
    public var allowsAnyPolicy: Bool

    /// Makes inputs; the defaults accept every path, and `acceptable` with ``CertificatePolicyIdentifier/any`` in it accepts all policies.
    public init(
        acceptable: Set<CertificatePolicyIdentifier>? = nil, isRequired: Bool = false, allowsMapping: Bool = true,
        allowsAnyPolicy: Bool = true
    ) {
        self.acceptable = acceptable?.contains(.any) == true ? nil : acceptable
        self.isRequired = isRequired
        (self.allowsMapping, self.allowsAnyPolicy) = (allowsMapping, allowsAnyPolicy)
    }
}
