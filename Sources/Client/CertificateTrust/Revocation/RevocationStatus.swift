// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The revocation status of a certificate, from lists and OCSP responses.
package enum RevocationStatus: Hashable, Sendable {
    /// The certificate is not revoked; the statement is valid until the given time.
    case good(until: Date)
    /// The certificate was revoked at the given time.
    case revoked(at: Date, reason: RevocationReason)
    /// There are lists or responses about the certificate, and none of them can be used. Holds a problem of one of them.
    case unusable(RevocationProblem)
    /// None of the given lists and responses is about this certificate.
    case absent

    /// Revoked outdoes good, which outdoes what is unusable; of two good ones the longer counts.
    ///
    /// Where the checks were given up, good is not known to be all.
    func combined(with other: RevocationStatus) -> RevocationStatus {
        switch (self, other) {
        case (.good(let one), .good(let two)): .good(until: max(one, two))
        default: other.weight > weight ? other : self
        }
    }

    private var weight: Int {
        switch self {
        case .absent: 0
        case .unusable(.budgetExhausted): 3
        case .unusable: 1
        case .good: 2
        case .revoked: 4
        }
    }
}
