// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

/// Carries one request through the challenges of one asker: what was sent, what was rejected, what to try next.
struct AuthenticationRounds {
    let asker: Asker
    private let core: SessionCore
    private var lookup: CredentialLookup
    private var target: String
    private var attempt: AuthenticationAttempt?
    private var rejections: Rejections
    private var lastWasStale = false
    /// Whether the last request went without an answer, because its connection was authenticated before.
    private var reliesOnConnection = false
    /// Whether this asker was found not to let requests through for the sake of their connection.
    private var distrustsConnections = false
    /// Whether the asker let the request through though its answer was not complete.
    private var isUnasked = false

    /// The methods of the last challenge, as offered.
    private(set) var offeredMethods: [AuthenticationMethod] = []
    /// What the asker accepted, if it asked.
    private(set) var acceptedCredential: Credential?
    /// How far the connection is that the last request went over.
    private(set) var progress = ConnectionBinding.Progress.none
    /// What was accepted, until it is kept.
    private var accepted: (space: ProtectionSpace, credential: Credential)?

    /// Begins with nothing said; the target is what a challenge will be about, in origin-form.
    init(asker: Asker, core: SessionCore, own: OwnCredential?, target: String) {
        self.asker = asker
        self.core = core
        lookup = CredentialLookup(core: core, own: own)
        rejections = Rejections(preference: core.preference)
        self.target = target
    }

    // MARK: Sending

    /// The value of the credential field for the next request: the answer to the last challenge, or one sent before it is asked for.
    ///
    /// - Parameters:
    ///   - request: What the answer is for.
    ///   - binding: Whose connection it goes over already, if anybody's.
    /// - Returns: `nil` where nothing needs to be said.
    /// - Throws: ``SessionError/unanswerableChallenge(_:_:)``.
    mutating func authorization(for request: RequestFacts, over binding: ConnectionBinding?) async throws -> String? {
        progress = .none
        reliesOnConnection = false
        if attempt?.isRemembered ?? true, let value = try beginUnasked(for: request) { return value }
        guard var attempt else { return nil }
        if let own = attempt.binding, own == binding, !attempt.hasBegun, !distrustsConnections {
            reliesOnConnection = true
            return nil
        }
        let value = try await attempt.answer(request)
        if attempt.isRemembered {
            core.report(.preempted(attempt.space))
            attempt.isRemembered = false
        }
        self.attempt = attempt
        if attempt.binding != nil { progress = .exchanging }
        return value
    }

    /// Begins with what is remembered, or with what the request brings to be sent before anyone asks.
    ///
    /// - Returns: The value to send, where the memory makes it.
    private mutating func beginUnasked(for request: RequestFacts) throws -> String? {
        attempt = nil
        guard rejections.isEmpty, !isUnasked else { return nil }
        guard let known = core.memory.preemptive(for: asker, own: own, request: request) else {
            attempt = try unaskedAttempt()
            return nil
        }
        attempt = AuthenticationAttempt(remembered: known.accepted)
        distrustsConnections = distrustsConnections || known.accepted.asksEachTime
        if known.value != nil { core.report(.preempted(known.accepted.space)) }
        return known.value
    }

    /// The method by which the asker accepted the request's own credential, if it did.
    var acceptedOwnMethod: AuthenticationMethod? {
        acceptedCredential != nil && acceptedCredential == own ? attempt?.space.method : nil
    }

    private mutating func unaskedAttempt() throws -> AuthenticationAttempt? {
        guard let (credential, challenge) = lookup.takeUnasked() else { return nil }
        let space = asker.space(for: challenge)
        guard let authenticator = try authenticator(for: challenge, in: space) else { return nil }
        core.report(.preempted(space))
        return AuthenticationAttempt(
            space: space, own: own, credential: credential, authenticator: authenticator,
            scope: SpaceScope(of: challenge, challengedTarget: target, origin: asker.origin))
    }

    /// What was sent unasked is given the space that is now named; where its method is not asked for, nothing was rejected.
    private mutating func nameSpace(of challenges: [HTTPChallenge]) {
        guard let sent = attempt, sent.space.realm == nil else { return }
        core.memory.forget(sent.credential, in: sent.space, own: own)
        attempt = challenges.first { $0.method == sent.space.method }.map {
            AuthenticationAttempt(
                space: asker.space(for: $0), own: own, credential: sent.credential, authenticator: sent.authenticator,
                scope: sent.scope, isRemembered: sent.isRemembered)
        }
    }

    private var own: Credential? { lookup.own?.credential }

    /// Whose the connection is that the last answer went over; `nil` where that is nobody's.
    var binding: ConnectionBinding? { progress == .none ? nil : attempt?.binding }

    /// Whether the answer made last is never accepted as it is, so that the body can wait for the next.
    var withholdsBody: Bool { progress == .exchanging && attempt?.authenticator.withholdsBody == true }

    /// Whether a connection that is somebody's is one that the next request may go over.
    func mayUse(_ binding: ConnectionBinding) -> Bool {
        guard asker.asks(in: binding.space), binding.own == own else { return false }
        if let attempt, !attempt.isRemembered { return attempt.binding == binding }
        return rejections.isEmpty && core.memory.credential(in: binding.space, own: own) == binding.credential
    }

    /// What was sent came to nothing for another's fault, and begins anew.
    mutating func restart() {
        guard let attempt else { return }
        progress = .none
        if attempt.binding != nil { self.attempt?.beginAnew() }
    }

    /// Keeps what was accepted for good, where that was asked for.
    mutating func keepAccepted() async {
        guard let (space, credential) = accepted else { return }
        accepted = nil
        await lookup.keep(credential, in: space)
    }

    // MARK: Accepted

    /// Whether what comes with these fields has to be read whole, because the asker vouches for it.
    func checksBody(with fields: HTTPFields) -> Bool {
        attempt?.authenticator.checksResponseBody == true && asker.hasInformation(in: fields)
    }

    /// The asker let the request through; what it says of itself is checked, and what it says of the next request kept.
    ///
    /// - Throws: ``SessionError/serverNotProven(_:_:)``; the credential is forgotten then.
    mutating func accept(_ fields: HTTPFields, body: [UInt8]? = nil) throws {
        guard var attempt, !reliesOnConnection else { return }
        guard !withholdsBody else {
            // Nothing was proven, because nothing was asked.
            self.attempt = nil
            isUnasked = true
            return progress = .established
        }
        let isChanged: Bool
        do {
            isChanged = try attempt.authenticator.receive(
                AcceptedResponse(
                    information: asker.information(in: fields),
                    challenge: attempt.binding.flatMap { asker.lastStep(of: $0.space.method, in: fields) }, body: body),
                with: attempt.credential)
        } catch let error as HTTPAuthenticatorError {
            core.memory.forget(attempt.credential, in: attempt.space, own: own)
            progress = .refused
            throw SessionError.serverNotProven(attempt.space, error)
        }
        acceptedCredential = attempt.credential
        if attempt.binding != nil {
            attempt.beginAnew()
            progress = .established
        }
        remember(attempt, isChanged: isChanged)
        attempt.isRemembered = attempt.credential.persistence != .none
        self.attempt = attempt
    }

    private mutating func remember(_ attempt: AuthenticationAttempt, isChanged: Bool) {
        if !attempt.isRemembered {
            accepted = (attempt.space, attempt.credential)
            core.memory.remember(
                .init(
                    space: attempt.space, own: own, credential: attempt.credential,
                    authenticator: attempt.authenticator, scope: attempt.scope, asksEachTime: distrustsConnections))
        } else if isChanged {
            core.memory.update(attempt.authenticator, for: attempt.credential, in: attempt.space, own: own)
        }
    }

    // MARK: Challenged

    /// The asker challenged the request.
    ///
    /// - Returns: Whether there is an answer to send; if not, its response stands.
    mutating func receive(_ fields: HTTPFields) async throws -> Bool {
        let challenges = try asker.challenges(in: fields)
        offeredMethods = challenges.map(\.method)
        if try await advance(challenges) { return true }
        if try beginAgain(challenges) || renewNonce(challenges) { return true }
        if progress == .exchanging { progress = .refused }
        nameSpace(of: challenges)
        await reject()
        var firstError: (any Error)?
        for challenge in core.preference.sorted(challenges) {
            let space = asker.space(for: challenge)
            guard rejections.permit(space) else { continue }
            do {
                let isAnswerable = await lookup.isAnswerable(space, rejected: rejections.credentials)
                // A broken challenge is an error whoever would answer it; one that may not be answered is none if nobody would.
                guard isAnswerable || space.method != .ntlm,
                    let authenticator = try authenticator(for: challenge, in: space), isAnswerable
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
            attempt = AuthenticationAttempt(
                space: space, own: own, credential: credential, authenticator: authenticator,
                scope: SpaceScope(of: challenge, challengedTarget: target, origin: asker.origin))
            return true
        case .rejectedProtectionSpace:
            rejections.decline(space)
            return nil
        case .cancelled:
            throw SessionError.challengeCancelled(space)
        default:
            return rejections.leaveTheNextMethod(after: space) ? nil : false
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
    private mutating func advance(_ challenges: [HTTPChallenge]) async throws -> Bool {
        guard var attempt, !reliesOnConnection else { return false }
        for challenge in challenges where challenge.method == attempt.space.method {
            guard try await attempt.advance(with: challenge) else { continue }
            attempt.isRemembered = false
            self.attempt = attempt
            return true
        }
        return false
    }

    /// A connection need not be authenticated for as long as it lives: then each request brings its own proof.
    private mutating func beginAgain(_ challenges: [HTTPChallenge]) -> Bool {
        guard reliesOnConnection, let attempt else { return false }
        distrustsConnections = true
        // NTLM knows no other way: there the server has only forgotten this connection.
        if attempt.space.method != .ntlm {
            core.memory.noteThatEachRequestIsAsked(in: attempt.space, for: attempt.credential, own: own)
        }
        self.attempt?.isRemembered = false
        guard challenges.contains(where: { asker.space(for: $0) == attempt.space }) else {
            self.attempt = nil
            return false
        }
        return true
    }

    /// A stale nonce earns the same credential one more try (RFC 7616 section 3.3): the password was right.
    ///
    /// So does a credential that was accepted before: servers forget nonces, when they restart, without calling them stale.
    private mutating func renewNonce(_ challenges: [HTTPChallenge]) throws -> Bool {
        guard let sent = attempt, !lastWasStale,
            let fresh = core.preference.sorted(challenges).first(where: { isRenewal($0, of: sent) }),
            let authenticator = try authenticator(for: fresh, in: sent.space)
        else {
            lastWasStale = false
            return false
        }
        lastWasStale = true
        attempt = AuthenticationAttempt(
            space: sent.space, own: own, credential: sent.credential, authenticator: authenticator, scope: sent.scope)
        return true
    }

    private func isRenewal(_ challenge: HTTPChallenge, of sent: AuthenticationAttempt) -> Bool {
        guard asker.space(for: challenge) == sent.space, challenge.method == .digest else { return false }
        return challenge.isStale || sent.isRemembered
    }

    private mutating func reject() async {
        guard let sent = attempt else { return }
        rejections.add(sent.credential, in: sent.space)
        core.memory.forget(sent.credential, in: sent.space, own: own)
        attempt = nil
        await lookup.drop(sent.credential, in: sent.space)
    }

    private mutating func answer(
        _ challenge: HTTPChallenge, in space: ProtectionSpace
    ) async throws -> SessionEvent.Answer {
        let (question, answer) = try await lookup.answer(challenge, in: space, rejected: rejections.credentials)
        core.report(.challenged(question, answer))
        return answer
    }
}
