// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a certificate was revoked (RFC 5280 section 5.3.1).
public enum RevocationReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The issuer gave no reason.
    case unspecified
    /// The private key is known to others, or is thought to be.
    case keyCompromise = "key-compromise"
    /// The private key of an authority is known to others, or is thought to be.
    case authorityCompromise = "authority-compromise"
    /// The names in the certificate are no longer right.
    case affiliationChanged = "affiliation-changed"
    /// Another certificate has replaced it.
    case superseded
    /// The certificate is no longer needed for its purpose.
    case cessationOfOperation = "cessation-of-operation"
    /// The certificate is suspended; the issuer may lift the hold.
    case certificateHold = "certificate-hold"
    /// The owner no longer has a right that the certificate states.
    case privilegeWithdrawn = "privilege-withdrawn"
    /// The private key of an attribute authority is known to others, or is thought to be.
    case attributeAuthorityCompromise = "attribute-authority-compromise"

    /// Reads the number that lists and responses have.
    package init?(code: UInt8) {
        guard let reason = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = reason
    }

    /// The number that lists and responses have.
    package var code: UInt8 {
        switch self {
        case .unspecified: 0
        case .keyCompromise: 1
        case .authorityCompromise: 2
        case .affiliationChanged: 3
        case .superseded: 4
        case .cessationOfOperation: 5
        case .certificateHold: 6
        case .privilegeWithdrawn: 9
        case .attributeAuthorityCompromise: 10
        }
    }
}
