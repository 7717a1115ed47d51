// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import NIOPosix

/// A credential on its way to one asker, and the state of the scheme that carries it.
struct AuthenticationAttempt {
    let space: ProtectionSpace
    /// The request's own credential, if it had one.
    let own: Credential?
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
        space: ProtectionSpace, own: Credential?, credential: Credential, authenticator: any HTTPAuthenticator,
        scope: SpaceScope, isRemembered: Bool = false, isAsked: Bool = false
    ) {
        (self.space, self.own, self.credential) = (space, own, credential)
        (self.scope, self.isRemembered, self.isAsked) = (scope, isRemembered, isAsked)
        (opening, self.authenticator) = (authenticator, authenticator)
    }

    init(remembered known: CredentialMemory.Accepted) {
        self.init(
            space: known.space, own: known.own, credential: known.credential, authenticator: known.authenticator,
            scope: known.scope, isRemembered: true)
    }

    /// What a connection is that the attempt goes over; `nil` where the scheme authenticates requests.
    var binding: ConnectionBinding? {
        space.method.isConnectionBound ? ConnectionBinding(space: space, own: own, credential: credential) : nil
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

    /// The next answer, made where it holds nobody up.
    mutating func answer(_ request: RequestFacts) async throws -> String {
        hasBegun = true
        do {
            guard authenticator.mayBlock else { return try authenticator.authorization(with: credential, for: request) }
            let (original, credential) = (authenticator, credential)
            let (value, changed) = try await NIOThreadPool.singleton.runIfActive {
                var copy = original
                let value = try copy.authorization(with: credential, for: request)
                return (value, copy)
            }
            authenticator = changed
            return value
        } catch let error as HTTPAuthenticatorError {
            throw SessionError.unanswerableChallenge(space, error)
        }
    }

    /// Takes the next step of an exchange that needs several.
    ///
    /// - Returns: Whether the challenge is one.
    mutating func advance(with challenge: HTTPChallenge) async throws -> Bool {
        do {
            guard authenticator.mayBlock else {
                return try authenticator.advance(with: challenge, credential: credential)
            }
            let (original, credential) = (authenticator, credential)
            let (hasAdvanced, changed) = try await NIOThreadPool.singleton.runIfActive {
                var copy = original
                let hasAdvanced = try copy.advance(with: challenge, credential: credential)
                return (hasAdvanced, copy)
            }
            authenticator = changed
            return hasAdvanced
        } catch let error as HTTPAuthenticatorError {
            throw SessionError.unanswerableChallenge(space, error)
        }
    }
}
