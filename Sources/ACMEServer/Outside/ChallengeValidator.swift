// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME

/// Looks whether a client has answered a challenge.
public protocol ChallengeValidator: Sendable {
    /// The ways that can be looked at here.
    var kinds: Set<Challenge.Kind> { get }

    /// Looks once.
    ///
    /// - Parameter task: What is to be found where.
    /// - Returns: Whether it was there.
    /// - Throws: Where the validator could not look; the challenge then fails with `serverInternal`.
    func validate(_ task: ValidationTask) async throws -> ValidationOutcome
}

/// The answer that a validator is to find.
public struct ValidationTask: Hashable, Sendable {
    /// The kind of the challenge.
    public let kind: Challenge.Kind
    /// The name, without `*.`.
    public let identifier: Identifier
    /// The challenge's token.
    public let token: String
    /// The proof.
    public let authorization: KeyAuthorization

    /// A task by its parts.
    public init(kind: Challenge.Kind, identifier: Identifier, token: String, authorization: KeyAuthorization) {
        (self.kind, self.identifier, self.token) = (kind, identifier, token)
        self.authorization = authorization
    }
}

/// Whether a challenge was answered.
public enum ValidationOutcome: Hashable, Sendable {
    /// The proof was there.
    case valid
    /// It was not. Holds one of `connection`, `dns`, `tls`, `unauthorized`, `incorrectResponse` and `caa`, and what happened, for
    /// the client's owner.
    case invalid(Problem.Kind, String)
}
