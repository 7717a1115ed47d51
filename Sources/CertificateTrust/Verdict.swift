// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What came of evaluating a server's chain.
public struct Verdict: Hashable, Sendable, Codable {
    public let isTrusted: Bool
    /// The most informative failure; `nil` when trusted.
    public let failure: TrustFailure?

    /// Whether a person may decide to go on all the same.
    public var isRecoverable: Bool { !isTrusted }
}

public enum TrustFailure: Error, Hashable, Sendable, Codable {
    case unknownIssuer
}
