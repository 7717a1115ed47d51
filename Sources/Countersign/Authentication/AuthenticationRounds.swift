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
    private var lookup: CredentialLookup
    private var target: String
    private var attempt: Attempt?
    private var rejected: [ProtectionSpace: [Credential]] = [:]
    private var declined: Set<ProtectionSpace> = []
    private var lastWasStale = false

    /// The methods of the last challenge, as offered.
    private(set) var offeredMethods: [AuthenticationMethod] = []
    /// What the asker accepted, if it asked.
    private(set) var acceptedCredential: Credential?
    /// The same, until it is kept.
    private var accepted: (space: ProtectionSpace, credential: Credential)?

    /// Begins with nothing said; the target is what a challenge will be about, in origin-form.
    init(asker: Asker, core: SessionCore, own: OwnCredential?, target: String) {
        self.asker = asker
        self.core = core
        lookup = CredentialLookup(core: core, own: own)
        self.target = target
    }

    /// The value of the credential field for the next request: the answer to the last challenge, or one sent before it is asked for.
    mutating func authorization(for request: RequestFacts) throws -> String? {
        if var attempt, !attempt.isRemembered {
            defer { self.attempt = attempt }
            do {
                return try attempt.authenticator.authorization(with: attempt.credential, for: request)
            } catch {
                throw SessionError.unanswerableChallenge(attempt.space, error)
            }
        }
        guard rejected.isEmpty else { return nil }
        guard let (known, value) = core.memory.preemptive(for: asker, own: own, request: request)
        else { return try sendUnasked(for: request) }
        attempt = Attempt(
            space: known.space, credential: known.credential, authenticator: known.authenticator, scope: known.scope,
            isRemembered: true)
        core.report(.preempted(known.space))
        return value
    }

    /// The method by which the asker accepted the request's own credential, if it did.
    var acceptedOwnMethod: AuthenticationMethod? {
        acceptedCredential != nil && acceptedCredential == own ? attempt?.space.method : nil
    }

    private var own: Credential? { lookup.own?.credential }

    /// Begins with the request's own credential where it is to be sent before anyone asks.
    private mutating func sendUnasked(for request: RequestFacts) throws -> String? {
        guard let (credential, challenge) = lookup.takeUnasked() else { return nil }
        let space = asker.space(for: challenge)
        guard let authenticator = try authenticator(for: challenge, in: space) else { return nil }
        attempt = Attempt(
            space: space, credential: credential, authenticator: authenticator,
            scope: SpaceScope(of: challenge, challengedTarget: target, origin: asker.origin), isRemembered: false)
        core.report(.preempted(space))
        return try authorization(for: request)
    }

    /// What was sent unasked is given the space that is now named; where its method is not asked for, nothing was rejected.
    private mutating func nameSpace(of challenges: [HTTPChallenge]) {
        guard let sent = attempt, sent.space.realm == nil else { return }
        core.memory.forget(sent.credential, in: sent.space, own: own)
        attempt = challenges.first { $0.method == sent.space.method }.map {
            Attempt(
                space: asker.space(for: $0), credential: sent.credential, authenticator: sent.authenticator,
                scope: sent.scope, isRemembered: sent.isRemembered)
        }
    }

    /// Keeps what was accepted for good, where that was asked for.
    mutating func keepAccepted() async {
        guard let (space, credential) = accepted else { return }
        accepted = nil
        await lookup.keep(credential, in: space)
    }

    /// Whether what comes with these fields has to be read whole, because the asker vouches for it.
    func checksBody(with fields: HTTPFields) -> Bool {
        attempt?.authenticator.checksResponseBody == true && !fields[values: informationField].isEmpty
    }

    /// The asker let the request through; what it says of itself is checked, and what it says of the next request kept.
    ///
    /// - Throws: ``SessionError/serverNotProven(_:_:)``; the credential is forgotten then.
    mutating func accept(_ fields: HTTPFields, body: [UInt8]? = nil) throws {
        guard var attempt else { return }
        let isChanged: Bool
        do {
            isChanged = try attempt.authenticator.receive(
                AcceptedResponse(information: information(in: fields), body: body), with: attempt.credential)
        } catch let error as HTTPAuthenticatorError {
            core.memory.forget(attempt.credential, in: attempt.space, own: own)
            throw SessionError.serverNotProven(attempt.space, error)
        }
        acceptedCredential = attempt.credential
        if !attempt.isRemembered {
            accepted = (attempt.space, attempt.credential)
            core.memory.remember(
                .init(
                    space: attempt.space, own: own, credential: attempt.credential,
                    authenticator: attempt.authenticator, scope: attempt.scope))
        } else if isChanged {
            core.memory.update(attempt.authenticator, for: attempt.credential, in: attempt.space, own: own)
        }
        attempt.isRemembered = attempt.credential.persistence != .none
        self.attempt = attempt
    }

    private var informationField: HTTPField.Name {
        asker.role == .proxy ? .proxyAuthenticationInfo : .authenticationInfo
    }

    private func information(in fields: HTTPFields) throws -> HTTPAuthenticationInfo? {
        do {
            return try HTTPAuthenticationInfo(fields[values: informationField])
        } catch {
            throw SessionError.malformedChallenge(asker.endpoint, error)
        }
    }

    /// The asker challenged the request.
    ///
    /// - Returns: Whether there is an answer to send; if not, its response stands.
    mutating func receive(_ fields: HTTPFields) async throws -> Bool {
        let challenges = try parse(fields)
        offeredMethods = challenges.map(\.method)
        if try advance(challenges) || renewNonce(challenges) { return true }
        nameSpace(of: challenges)
        await reject()
        var firstError: (any Error)?
        for challenge in preference.sorted(challenges) {
            let space = asker.space(for: challenge)
            guard !declined.contains(space), mayFollowRejections(space.method) else { continue }
            do {
                guard let authenticator = try authenticator(for: challenge, in: space),
                    await lookup.isAnswerable(space, rejected: rejected)
                else { continue }
                guard let isAnswered = try await put(challenge, in: space, to: authenticator) else { continue }
                return isAnswered
            } catch SessionError.unanswerableChallenge(let space, let error) {
                firstError = firstError ?? SessionError.unanswerableChallenge(space, error)
            }
        }
        if let firstError { throw firstError }
        return false
    }

    /// Asks for a credential.
    ///
    /// - Returns: Whether there is an answer to send; `nil` where the next challenge is to be tried.
    private mutating func put(
        _ challenge: HTTPChallenge, in space: ProtectionSpace, to authenticator: any HTTPAuthenticator
    ) async throws -> Bool? {
        switch try await answer(challenge, in: space) {
        case .used(let credential):
            attempt = Attempt(
                space: space, credential: credential, authenticator: authenticator,
                scope: SpaceScope(of: challenge, challengedTarget: target, origin: asker.origin), isRemembered: false)
            return true
        case .rejectedProtectionSpace:
            declined.insert(space)
            return nil
        case .cancelled:
            throw SessionError.challengeCancelled(space)
        default:
            return rejected[space] != nil && preference.allowsWeakerMethodAfterRejection ? nil : false
        }
    }

    private var preference: MethodPreference { core.preference }

    /// Whoever rejects the answer of a strong method is not given that of a weaker one, unless that was allowed or asked for.
    private func mayFollowRejections(_ method: AuthenticationMethod) -> Bool {
        preference.allowsWeakerMethodAfterRejection
            || rejected.keys.allSatisfy { declined.contains($0) || !preference.isWeaker(method, than: $0.method) }
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
            if challenge.method == .ntlm, !space.isEncrypted, !core.configuration.allowsNTLMOverPlainHTTP {
                throw HTTPAuthenticatorError.needsTLS
            }
            return try core.configuration.schemes.authenticator(
                for: challenge, nonceCounts: core.memory.nonceCounts(of: asker))
        } catch let error as HTTPAuthenticatorError {
            throw SessionError.unanswerableChallenge(space, error)
        }
    }

    /// Takes the next step of an exchange that needs several.
    private mutating func advance(_ challenges: [HTTPChallenge]) throws -> Bool {
        guard var attempt else { return false }
        for challenge in challenges where challenge.method == attempt.space.method {
            do {
                guard try attempt.authenticator.advance(with: challenge, credential: attempt.credential)
                else { continue }
            } catch {
                throw SessionError.unanswerableChallenge(attempt.space, error)
            }
            attempt.isRemembered = false
            self.attempt = attempt
            return true
        }
        return false
    }

    /// A stale nonce earns the same credential one more try (RFC 7616 section 3.3): the password was right.
    ///
    /// So does a credential that was accepted before: servers forget nonces, when they restart, without calling them stale.
    private mutating func renewNonce(_ challenges: [HTTPChallenge]) throws -> Bool {
        guard let sent = attempt, !lastWasStale,
            let fresh = preference.sorted(challenges).first(where: { isRenewal($0, of: sent) }),
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

    private mutating func reject() async {
        guard let sent = attempt else { return }
        rejected[sent.space, default: []].append(sent.credential)
        core.memory.forget(sent.credential, in: sent.space, own: own)
        attempt = nil
        await lookup.drop(sent.credential, in: sent.space)
    }

    private mutating func answer(
        _ challenge: HTTPChallenge, in space: ProtectionSpace
    ) async throws -> SessionEvent.Answer {
        let (question, answer) = try await lookup.answer(challenge, in: space, rejected: rejected)
        core.report(.challenged(question, answer))
        return answer
    }
}
