// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME

/// Checks whether a client has answered a challenge (RFC 8555 section 8).
public protocol ChallengeValidator: Sendable {
    /// The kinds of challenges that the validator can check; the server offers no others.
    var kinds: Set<Challenge.Kind> { get }

    /// Checks once for the answer to a challenge.
    ///
    /// - Parameter task: The challenge, and the proof that answers it.
    /// - Returns: Whether the proof was found.
    /// - Throws: Any error, if the validator could not check; the challenge then fails with `serverInternal`.
    func validate(_ task: ValidationTask) async throws -> ValidationOutcome
}

/// A challenge for a validator to check, with the answer that it expects.
public struct ValidationTask: Hashable, Sendable {
    /// The kind of the challenge.
    public let kind: Challenge.Kind
    /// The name, without `*.`.
    public let identifier: Identifier
    /// The token of the challenge.
    public let token: String
    /// The proof that the validator must find.
    public let authorization: KeyAuthorization

    /// A task by its parts.
    public init(kind: Challenge.Kind, identifier: Identifier, token: String, authorization: KeyAuthorization) {
        (self.kind, self.identifier, self.token) = (kind, identifier, token)
        self.authorization = authorization
    }
}

/// Whether a challenge was answered.
public enum ValidationOutcome: Hashable, Sendable {
    /// The validator found the proof.
    case valid
    /// The validator did not find the proof. Holds one of the kinds `connection`, `dns`, `tls`, `unauthorized`, `incorrectResponse` and
    /// `caa`, and a description of what happened, which the client gets.
    case invalid(Problem.Kind, String)
}
