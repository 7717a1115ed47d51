// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME

/// Answers challenges of one kind.
public protocol ChallengeResponder: Sendable {
    /// The kind of the challenges that the responder answers.
    var kind: Challenge.Kind { get }

    /// Puts a proof where the authority looks for it, and returns when the authority can find it there.
    ///
    /// - Parameter proof: The proof.
    /// - Throws: Any error, if that is not possible; ``ACMEAccount/obtain(_:key:answering:profile:replacing:)`` then throws it.
    func present(_ proof: ChallengeProof) async throws

    /// Removes a proof again.
    ///
    /// The client calls this for every proof that it has passed to ``present(_:)``, even if that or the validation failed.
    ///
    /// - Parameter proof: The proof.
    func withdraw(_ proof: ChallengeProof) async
}

/// The answer to a challenge, which the authority looks for.
public struct ChallengeProof: Hashable, Sendable {
    /// The name, without `*.`.
    public let identifier: Identifier
    /// The token of the challenge, in base64url, which is safe in a path.
    public let token: String
    /// The token with the thumbprint of the account's key, from which the answer is made.
    public let authorization: KeyAuthorization

    /// A proof by its parts.
    public init(identifier: Identifier, token: String, authorization: KeyAuthorization) {
        (self.identifier, self.token, self.authorization) = (identifier, token, authorization)
    }
}
