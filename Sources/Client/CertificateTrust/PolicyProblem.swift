// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a path is good for no certificate policy.
@nonexhaustive
public enum PolicyProblem: Hashable, Sendable {
    /// A certificate names none of the policies that the authorities above it allow.
    ///
    /// `found` are the policies that the certificate names, `allowed` those that it could have named. Both are sorted, and empty for none.
    /// A failure keeps the first 20 of each, because a certificate can name thousands.
    case notAllowed(found: [CertificatePolicyIdentifier], allowed: [CertificatePolicyIdentifier])
    /// The path is good for the policies `found`, and the caller accepts other policies (``CertificatePolicyInputs/acceptable``).
    case notAccepted(found: [CertificatePolicyIdentifier], acceptable: [CertificatePolicyIdentifier])

    static let limit = 20
}
