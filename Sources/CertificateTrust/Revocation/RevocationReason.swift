// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a certificate was revoked (RFC 5280 section 5.3.1).
public enum RevocationReason: String, Hashable, Sendable, Codable {
    case unspecified
    case keyCompromise = "key-compromise"
    case authorityCompromise = "authority-compromise"
    case affiliationChanged = "affiliation-changed"
    case superseded
    case cessationOfOperation = "cessation-of-operation"
    /// Not for good; the certificate may come back.
    case certificateHold = "certificate-hold"
    case privilegeWithdrawn = "privilege-withdrawn"
    case attributeAuthorityCompromise = "attribute-authority-compromise"

    /// Reads the number that lists and responses have.
    init?(code: UInt8) {
        switch code {
        case 0: self = .unspecified
        case 1: self = .keyCompromise
        case 2: self = .authorityCompromise
        case 3: self = .affiliationChanged
        case 4: self = .superseded
        case 5: self = .cessationOfOperation
        case 6: self = .certificateHold
        case 9: self = .privilegeWithdrawn
        case 10: self = .attributeAuthorityCompromise
        default: return nil
        }
    }
}
