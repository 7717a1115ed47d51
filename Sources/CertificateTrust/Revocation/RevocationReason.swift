// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a certificate was revoked (RFC 5280 section 5.3.1).
public enum RevocationReason: String, Hashable, Sendable, Codable, CaseIterable {
    case unspecified
    case keyCompromise = "key-compromise"
    case authorityCompromise = "authority-compromise"
    case affiliationChanged = "affiliation-changed"
    case superseded
    case cessationOfOperation = "cessation-of-operation"
    /// The certificate is suspended; the issuer may lift the hold.
    case certificateHold = "certificate-hold"
    case privilegeWithdrawn = "privilege-withdrawn"
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
