// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME

/// Answers challenges by functions, such as those that run a program which changes a DNS zone.
public struct HookResponder: ChallengeResponder {
    /// The kind of the challenges.
    public let kind: Challenge.Kind
    private let add: @Sendable (ChallengeProof) async throws -> Void
    private let remove: @Sendable (ChallengeProof) async -> Void

    /// A responder.
    ///
    /// - Parameters:
    ///   - kind: The kind of challenge.
    ///   - add: Puts a proof in its place, and returns when it can be seen there.
    ///   - remove: Takes it away again.
    public init(
        _ kind: Challenge.Kind, add: @escaping @Sendable (ChallengeProof) async throws -> Void,
        remove: @escaping @Sendable (ChallengeProof) async -> Void
    ) {
        (self.kind, self.add, self.remove) = (kind, add, remove)
    }

    /// Puts the proof in its place.
    public func present(_ proof: ChallengeProof) async throws { try await add(proof) }

    /// Takes the proof away again.
    public func withdraw(_ proof: ChallengeProof) async { await remove(proof) }
}
