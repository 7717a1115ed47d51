// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME

/// Answers challenges of one kind.
public protocol ChallengeResponder: Sendable {
    /// The kind.
    var kind: Challenge.Kind { get }

    /// Puts the proof where the authority looks, and returns when it can be seen there.
    ///
    /// - Parameter proof: The proof.
    /// - Throws: Where it cannot; the order is then given up.
    func present(_ proof: ChallengeProof) async throws

    /// Takes the proof away again; called for each that was presented, whatever became of it.
    ///
    /// - Parameter proof: The proof.
    func withdraw(_ proof: ChallengeProof) async
}

/// The answer that an authority is to find.
public struct ChallengeProof: Hashable, Sendable {
    /// The name, without `*.`.
    public let identifier: Identifier
    /// The challenge's token, which is safe in a path.
    public let token: String
    /// The proof.
    public let authorization: KeyAuthorization

    /// A proof by its parts.
    public init(identifier: Identifier, token: String, authorization: KeyAuthorization) {
        (self.identifier, self.token, self.authorization) = (identifier, token, authorization)
    }
}
