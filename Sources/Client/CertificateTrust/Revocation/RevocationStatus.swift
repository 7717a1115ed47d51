// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
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

/// The status of a certificate by one list, or by one answer of a responder, and when it was issued.
struct RevocationStatement {
    let status: RevocationStatus
    var issued = Date.distantPast
}

extension [RevocationStatement] {
    /// All of them together: any that shows the certificate revoked decides.
    ///
    /// The exception is a hold, the one revocation that ends (RFC 5280 section 5.3.1): a later statement that the certificate is good has
    /// released it.
    var status: RevocationStatus {
        let good = filter { if case .good = $0.status { true } else { false } }.map(\.issued).max()
        return reduce(.absent) { status, one in
            if case .revoked(_, .certificateHold) = one.status, let good, one.issued < good { return status }
            return status.combined(with: one.status)
        }
    }
}

/// The answer to the question whether a certificate of a path is revoked.
@nonexhaustive
public enum RevocationAnswer: Hashable, Sendable {
    /// The issuer states that the certificate is not revoked. The statement is valid until the given time.
    case good(until: Date)
    /// The issuer has revoked the certificate.
    case revoked(at: Date, reason: RevocationReason)
    /// The question was asked, and not answered; `nil` where no answer came.
    case unknown(RevocationProblem?)
    /// The policy does not ask, and no list or response at hand is about the certificate.
    case notAsked
}

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
