// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Answers challenges with a closure.
public struct ClosureHandler: ChallengeHandler {
    private let body: @Sendable (Challenge) async throws -> Disposition

    /// Makes a handler from a closure, which may take as long as a person needs.
    ///
    /// The request fails with what the closure throws.
    public init(_ body: @escaping @Sendable (Challenge) async throws -> Disposition) {
        self.body = body
    }

    /// Returns the decision of the closure.
    ///
    /// - Throws: What the closure throws.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        try await body(challenge)
    }
}

extension ChallengeHandler where Self == ClosureHandler {
    /// Answers challenges with a closure, which may take as long as a person needs.
    public static func closure(_ body: @escaping @Sendable (Challenge) async throws -> Disposition) -> Self {
        ClosureHandler(body)
    }
}
