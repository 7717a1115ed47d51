// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME

/// Answers challenges by functions, such as those that run a program which changes a DNS zone.
public struct HookResponder: ChallengeResponder {
    /// The kind of the challenges.
    public let kind: Challenge.Kind
    private let add: @Sendable (ChallengeProof) async throws -> Void
    private let remove: @Sendable (ChallengeProof) async -> Void

    /// Makes a responder of two functions.
    ///
    /// - Parameters:
    ///   - kind: The kind of the challenges.
    ///   - add: Puts a proof in its place, and returns when the authority can find it there.
    ///   - remove: Removes a proof again, even if adding it failed.
    public init(
        _ kind: Challenge.Kind, add: @escaping @Sendable (ChallengeProof) async throws -> Void,
        remove: @escaping @Sendable (ChallengeProof) async -> Void
    ) {
        (self.kind, self.add, self.remove) = (kind, add, remove)
    }

    /// Puts a proof in its place.
    ///
    /// - Parameter proof: The proof.
    /// - Throws: The error of the function that adds proofs.
    public func present(_ proof: ChallengeProof) async throws { try await add(proof) }

    /// Removes a proof again.
    ///
    /// - Parameter proof: The proof.
    public func withdraw(_ proof: ChallengeProof) async { await remove(proof) }
}
