// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
