// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

/// Carries one request through the challenges of one asker: what was sent, what was rejected, what to try next.
struct AuthenticationRounds {
    private struct Attempt {
        let space: ProtectionSpace
        let credential: Credential
        var authenticator: any HTTPAuthenticator
        var scope: SpaceScope
        /// Whether the memory keeps the authenticator, and counts for it.
        var isRemembered: Bool
    }

    let asker: Asker
    private let core: SessionCore
    private var target: String
    private var attempt: Attempt?
    private var rejected: [ProtectionSpace: [Credential]] = [:]
    private var declined: Set<ProtectionSpace> = []
    private var lastWasStale = false

    /// The methods of the last challenge, as offered.
    private(set) var offeredMethods: [AuthenticationMethod] = []
    /// What the asker accepted, if it asked.
    private(set) var acceptedCredential: Credential?

    /// Begins with nothing said; the target is what a challenge will be about, in origin-form.
    init(asker: Asker, core: SessionCore, target: String) {
        self.asker = asker
        self.core = core
        self.target = target
    }

    /// The value of the credential field for the next request: the answer to the last challenge, or one sent before it is asked for.
    mutating func authorization(method: String, target: String) throws -> String? {
        if var attempt, !attempt.isRemembered {
            defer { self.attempt = attempt }
            do {
                return try attempt.authenticator.authorization(
                    with: attempt.credential, method: method, target: target)
            } catch {
                throw SessionError.unanswerableChallenge(attempt.space, error)
            }
        }
        guard rejected.isEmpty, let (known, value) = core.memory.preemptive(for: asker, method: method, target: target)
        else { return nil }
        attempt = Attempt(
            space: known.space, credential: known.credential, authenticator: known.authenticator, scope: known.scope,
            isRemembered: true)
        core.report(.preempted(known.space))
        return value
    }

    /// The asker let the request through.
    mutating func accept() {
        guard let attempt else { return }
        acceptedCredential = attempt.credential
        guard !attempt.isRemembered else { return }
        core.memory.remember(
            .init(
                space: attempt.space, credential: attempt.credential, authenticator: attempt.authenticator,
                scope: attempt.scope))
    }

    /// The asker challenged the request.
    ///
    /// - Returns: Whether there is an answer to send; if not, its response stands.
    mutating func receive(_ fields: HTTPFields) async throws -> Bool {
        let challenges = try parse(fields)
        offeredMethods = challenges.map(\.method)
        if try renewNonce(challenges) { return true }
        reject()
        for challenge in HTTPChallenge.strongestFirst(challenges) {
            let space = asker.space(for: challenge)
            guard !declined.contains(space), let authenticator = try authenticator(for: challenge, in: space)
            else { continue }
            let answer = try await answer(challenge, in: space)
            switch answer {
            case .used(let credential):
                attempt = Attempt(
                    space: space, credential: credential, authenticator: authenticator,
                    scope: SpaceScope(of: challenge, challengedTarget: target, origin: asker.origin),
                    isRemembered: false)
                return true
            case .rejectedProtectionSpace:
                declined.insert(space)
            case .cancelled:
                throw SessionError.challengeCancelled(space)
            default:
                return false
            }
        }
        return false
    }

    private func parse(_ fields: HTTPFields) throws -> [HTTPChallenge] {
        do {
            return try HTTPChallenge.parse(fields[values: asker.role == .proxy ? .proxyAuthenticate : .wwwAuthenticate])
        } catch {
            throw SessionError.malformedChallenge(asker.endpoint, error)
        }
    }

    private func authenticator(
        for challenge: HTTPChallenge, in space: ProtectionSpace
    ) throws -> (any HTTPAuthenticator)? {
        do {
            return try HTTPAuthenticators.authenticator(for: challenge)
        } catch {
            throw SessionError.unanswerableChallenge(space, error)
        }
    }

    /// A stale nonce earns the same credential one more try (RFC 7616 section 3.3): the password was right.
    ///
    /// So does a credential that was accepted before: servers forget nonces, when they restart, without calling them stale.
    private mutating func renewNonce(_ challenges: [HTTPChallenge]) throws -> Bool {
        guard let sent = attempt, !lastWasStale,
            let fresh = challenges.first(where: { isRenewal($0, of: sent) }),
            let authenticator = try authenticator(for: fresh, in: sent.space)
        else {
            lastWasStale = false
            return false
        }
        lastWasStale = true
        attempt = Attempt(
            space: sent.space, credential: sent.credential, authenticator: authenticator, scope: sent.scope,
            isRemembered: false)
        return true
    }

    private func isRenewal(_ challenge: HTTPChallenge, of sent: Attempt) -> Bool {
        guard asker.space(for: challenge) == sent.space, challenge.method == .digest else { return false }
        return challenge.isStale || sent.isRemembered
    }

    private mutating func reject() {
        guard let sent = attempt else { return }
        rejected[sent.space, default: []].append(sent.credential)
        core.memory.forget(sent.credential, in: sent.space)
        attempt = nil
    }

    private func answer(_ challenge: HTTPChallenge, in space: ProtectionSpace) async throws -> SessionEvent.Answer {
        let failures = rejected[space] ?? []
        let known = core.memory.credential(in: space).flatMap { failures.contains($0) ? nil : $0 }
        let question = Challenge(
            space: space, failureCount: failures.count, proposedCredential: known ?? failures.last,
            statement: .http(challenge))
        var answer: SessionEvent.Answer =
            if let known { .used(known) } else { try await core.ask(question) }
        if case .used(let credential) = answer, failures.contains(credential) {
            answer = .repeatedRejectedCredential
        }
        core.report(.challenged(question, answer))
        return answer
    }
}
