// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import NIOPosix

/// A credential on its way to one challenger, and the state of the scheme that carries it.
struct AuthenticationAttempt {
    let space: ProtectionSpace
    let credential: Credential
    /// As made from the challenge: where an exchange begins anew, with another connection.
    let opening: any HTTPAuthenticator
    var authenticator: any HTTPAuthenticator
    /// Whether an answer was made since the opening.
    private(set) var hasBegun = false
    var scope: SpaceScope
    /// Whether the memory keeps the authenticator, and counts for it.
    var isRemembered: Bool
    /// Whether it answers a challenge of this request, and is no guess.
    var isAsked: Bool

    init(
        space: ProtectionSpace, credential: Credential, authenticator: any HTTPAuthenticator, scope: SpaceScope,
        isRemembered: Bool = false, isAsked: Bool = false
    ) {
        (self.space, self.credential) = (space, credential)
        (self.scope, self.isRemembered, self.isAsked) = (scope, isRemembered, isAsked)
        (opening, self.authenticator) = (authenticator, authenticator)
    }

    init(remembered known: CredentialMemory.Accepted) {
        self.init(
            space: known.space, credential: known.credential, authenticator: known.authenticator, scope: known.scope,
            isRemembered: true)
    }

    var isConnectionBound: Bool { space.method.isConnectionBound }

    /// What the connection becomes that it goes over.
    ///
    /// - Parameter own: The request's own credential, if it had one.
    /// - Returns: `nil` where the scheme authenticates requests.
    func binding(own: Credential?) -> ConnectionBinding? {
        isConnectionBound ? ConnectionBinding(space: space, own: own, credential: credential) : nil
    }

    /// Whether a challenge speaks of what was sent; before any challenge no realm was known.
    func isMeant(by space: ProtectionSpace) -> Bool {
        self.space == space || self.space.realm == nil && self.space.method == space.method
    }

    /// Goes back to the opening, for another connection.
    mutating func beginAnew() {
        authenticator = opening
        hasBegun = false
    }

    /// The next answer.
    mutating func answer(_ request: RequestFacts) async throws -> String {
        hasBegun = true
        return try await step { try $0.authorization(with: $1, for: request) }
    }

    /// Takes the next step of an exchange that needs several.
    ///
    /// - Returns: The attempt after that step; `nil` where none of the challenges is one.
    func advanced(with challenges: [HTTPChallenge]) async throws -> Self? {
        var attempt = self
        for challenge in challenges {
            if try await attempt.step({ try $0.advance(with: challenge, credential: $1) }) { return attempt }
        }
        return nil
    }

    /// Runs the authenticator on a thread that may block, off the event loops.
    private mutating func step<Result: Sendable>(
        _ work: @escaping @Sendable (inout any HTTPAuthenticator, Credential) throws -> Result
    ) async throws -> Result {
        do {
            guard authenticator.mayBlock else { return try work(&authenticator, credential) }
            let (original, credential) = (authenticator, credential)
            let (result, changed) = try await NIOThreadPool.singleton.runIfActive {
                var copy = original
                let result = try work(&copy, credential)
                return (result, copy)
            }
            authenticator = changed
            return result
        } catch let error as HTTPAuthenticatorError {
            throw SessionError.authentication(.unanswerableChallenge(space, error))
        }
    }
}
