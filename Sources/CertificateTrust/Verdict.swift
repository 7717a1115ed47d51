// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What came of evaluating a server's chain: a value that explains itself.
public struct Verdict: Hashable, Sendable, Codable {
    /// One way from the leaf towards an anchor.
    public struct Path: Hashable, Sendable, Codable {
        /// Leaf first; the last is an anchor where the path is complete.
        public let certificates: [CertificateSummary]
        /// The check that failed first; `nil` where none did.
        public let failure: TrustFailure?
    }

    /// The host that the chain was evaluated for.
    public let host: String
    /// Whether chain and name were checked at all.
    public let validation: TrustPolicy.Validation
    /// Every path tried, in order; the last is the trusted one where there is one.
    public let paths: [Path]
    /// Every check that failed, the most telling first.
    public let failures: [TrustFailure]

    /// Whether the policy is satisfied.
    public var isTrusted: Bool { failures.isEmpty }

    /// The most telling failure; `nil` when trusted.
    public var failure: TrustFailure? { failures.first }

    /// Whether a person may decide to go on all the same.
    public var isRecoverable: Bool { !isTrusted && failures.allSatisfy(\.isRecoverable) }

    /// The trusted path, leaf first; `nil` when distrusted or not validated.
    public var path: [CertificateSummary]? {
        guard isTrusted, let last = paths.last, last.failure == nil else { return nil }
        return last.certificates
    }

    /// What it means, in sentences for a person.
    public var explanation: String {
        guard let failure else {
            return switch validation {
            case .full: "\(host) proved that it is \(host)."
            case .dangerouslyDisabled: "\(host) was not asked to prove who it is: validation is switched off."
            }
        }
        return """
            The server could not prove that it is \(host). Someone may be posing as it, and could read and change \
            whatever you send or receive. \(failure.explanation)
            """
    }
}
