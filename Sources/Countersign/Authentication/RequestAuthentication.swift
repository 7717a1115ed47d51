// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes

/// Carries one request through the challenges of one challenger: what was sent, what was rejected, what to try next.
final class RequestAuthentication {
    let challenger: Challenger
    let core: SessionCore
    /// The authentication methods by which the challenger may be answered.
    let allowed: AllowedMethods
    var lookup: CredentialLookup
    var target: String
    var attempt: AuthenticationAttempt?
    var rejections: Rejections
    var lastWasStale = false
    /// Whether the last request went without an answer, though there is one.
    var isSilent = false
    /// Whether that was because its connection was authenticated before.
    var reliesOnConnection = false
    /// Whether this challenger was found not to let requests through for the sake of their connection.
    var distrustsConnections = false
    /// Whether the challenger let the request through though its answer was not complete.
    private var isUnasked = false

    /// The methods of the last challenge, as offered.
    var offeredMethods: [AuthenticationMethod] = []
    /// What the challenger accepted, if it asked.
    var acceptedCredential: Credential?
    /// How far the connection is that the last request went over.
    var progress = ConnectionBinding.Progress.none
    /// Whether the last challenge offered none of the methods that are allowed.
    var offersNoneAllowed = false
    /// Why a challenge was not answered, for a proxy, whose challenge is not the resource's.
    var refusal: SessionError {
        offersNoneAllowed
            ? .methodsNotAllowed(challenger.endpoint, offered: offeredMethods, allowed: allowed)
            : .proxyAuthenticationRequired(challenger.endpoint, offeredMethods)
    }

    /// What was accepted, until it is kept.
    var accepted: (space: ProtectionSpace, credential: Credential)?

    /// What a proxy of SOCKS is given when it asks, once that was found.
    var login: Credential?

    /// Begins with nothing said; the target is what a challenge will be about, in origin-form.
    ///
    /// The answers are counted together with those that the same request gives elsewhere.
    init(
        challenger: Challenger, core: SessionCore, own: OwnCredential?, allowed: AllowedMethods,
        proposedUser: String? = nil,
        target: String, answers: ChallengeResponseBudget
    ) {
        self.challenger = challenger
        self.allowed = allowed
        self.core = core
        lookup = CredentialLookup(core: core, own: own, proposedUser: proposedUser, answers: answers)
        rejections = Rejections(preference: core.preference)
        self.target = target
    }

    // MARK: Sending

    /// The value of the credential field for the next request: the answer to the last challenge, or one sent before it is asked for.
    ///
    /// - Parameters:
    ///   - request: What the answer is for.
    ///   - binding: Whose connection it goes over already, if anybody's.
    ///   - mayExchange: Whether an exchange that takes several requests can begin with this one.
    /// - Returns: `nil` where nothing needs to be said.
    /// - Throws: ``SessionError/unanswerableChallenge(_:_:)``.
    func authorization(
        for request: RequestFacts, over binding: ConnectionBinding?, mayExchange: Bool = true
    ) async throws -> String? {
        progress = .none
        isSilent = false
        reliesOnConnection = false
        if attempt?.isRemembered ?? true, let value = try beginUnasked(for: request) { return value }
        guard var attempt else { return nil }
        if let needed = self.binding(of: attempt), !attempt.hasBegun {
            reliesOnConnection = needed == binding && !distrustsConnections
            isSilent = reliesOnConnection || !mayExchange
            guard !isSilent else { return nil }
            if attempt.isRemembered, challenger.role == .origin, request.body?.isEmpty != true {
                // Where nobody asks after all, a message without its body would be taken for the request.
                self.attempt = nil
                return nil
            }
        }
        let value = try await attempt.answer(request)
        if attempt.isRemembered {
            core.report(.preempted(attempt.space))
            attempt.isRemembered = false
        }
        self.attempt = attempt
        if attempt.isConnectionBound { progress = .exchanging }
        return value
    }

    /// Begins with what is remembered, or with what the request brings to be sent before anyone asks.
    ///
    /// - Returns: The value to send, where the memory makes it.
    private func beginUnasked(for request: RequestFacts) throws -> String? {
        attempt = nil
        guard mayGuess else { return nil }
        guard let known = core.memory.preemptive(for: challenger, own: own, request: request) else {
            attempt = try unaskedAttempt()
            return nil
        }
        attempt = AuthenticationAttempt(remembered: known.accepted)
        distrustsConnections = distrustsConnections || known.accepted.asksEachTime
        if known.value != nil { core.report(.preempted(known.accepted.space)) }
        return known.value
    }

    /// Whether what was accepted before is sent before it is asked for: not to whoever has rejected something, or asked for nothing.
    private var mayGuess: Bool { (rejections.isEmpty || acceptedCredential != nil) && !isUnasked }

    /// The method by which the challenger accepted the request's own credential, if it did.
    var acceptedOwnMethod: AuthenticationMethod? {
        acceptedCredential != nil && acceptedCredential == own ? attempt?.space.method : nil
    }

    private func unaskedAttempt() throws -> AuthenticationAttempt? {
        guard let method = lookup.own?.unasked, allowed.contains(method),
            let (credential, challenge) = lookup.takeUnasked()
        else { return nil }
        let space = challenger.space(for: challenge)
        guard let authenticator = try authenticator(for: challenge, in: space) else { return nil }
        core.report(.preempted(space))
        return AuthenticationAttempt(
            space: space, credential: credential, authenticator: authenticator,
            scope: SpaceScope(of: challenge, challengedTarget: target, origin: challenger.origin))
    }

    var own: Credential? { lookup.own?.credential }

    /// Whose the connection is that the last answer went over; `nil` where that is nobody's.
    var binding: ConnectionBinding? { progress == .none ? nil : attempt.flatMap { binding(of: $0) } }

    /// What the connection becomes that an attempt goes over; `nil` where the scheme authenticates requests.
    private func binding(of attempt: AuthenticationAttempt) -> ConnectionBinding? {
        attempt.isConnectionBound
            ? ConnectionBinding(space: attempt.space, own: own, credential: attempt.credential) : nil
    }

    /// Whether what is said next authenticates a connection, as far as that is known before it is said.
    var needsOwnConnection: Bool {
        if let attempt { return attempt.isConnectionBound }
        return lookup.own?.unasked.map { $0.isConnectionBound && allowed.contains($0) } ?? false
    }

    /// Whether the answer made last is never accepted as it is, so that the body can wait for the next.
    var withholdsBody: Bool { progress == .exchanging && attempt?.authenticator.withholdsBody == true }

    /// Whether a connection that is somebody's is one that the next request may go over.
    func mayUse(_ binding: ConnectionBinding) -> Bool {
        guard challenger.asks(in: binding.space), binding.own == own else { return false }
        if let attempt, !attempt.isRemembered { return self.binding(of: attempt) == binding }
        guard mayGuess, let known = core.memory.match(for: challenger, own: own, target: target) else { return false }
        return known.space == binding.space && known.credential == binding.credential
    }

    /// What was sent came to nothing for another's fault, and begins anew.
    func restart() {
        guard let attempt else { return }
        progress = progress == .exchanging ? .refused : .none
        if attempt.isConnectionBound { self.attempt?.beginAnew() }
    }

    /// Keeps what was accepted for good, where that was asked for.
    func keepAccepted() async {
        guard let (space, credential) = accepted else { return }
        accepted = nil
        await lookup.keep(credential, in: space)
    }

    // MARK: Accepted

    /// Whether what comes with these fields has to be read whole, because the challenger vouches for it.
    func checksBody(with fields: HTTPFields) -> Bool {
        attempt?.authenticator.checksResponseBody == true && challenger.hasInformation(in: fields)
    }

    /// The challenger let the request through; what it says of itself is checked, and what it says of the next request kept.
    ///
    /// - Throws: ``SessionError/serverNotProven(_:_:)``; the credential is forgotten then.
    func accept(_ fields: HTTPFields, body: [UInt8]? = nil) throws {
        guard var attempt, !isSilent else { return }
        let lastStep = attempt.isConnectionBound ? challenger.lastStep(of: attempt.space.method, in: fields) : nil
        guard !attempt.isConnectionBound || attempt.isAsked || lastStep != nil else {
            // Nothing was proven, because nothing was asked.
            self.attempt = nil
            isUnasked = true
            return progress = .established
        }
        let isChanged: Bool
        do {
            isChanged = try attempt.authenticator.receive(
                AcceptedResponse(
                    information: information(for: attempt, in: fields), challenge: lastStep, body: body),
                with: attempt.credential)
        } catch let error as HTTPAuthenticatorError {
            core.memory.forget(attempt.credential, in: attempt.space, own: own)
            progress = .refused
            throw SessionError.serverNotProven(attempt.space, error)
        }
        acceptedCredential = attempt.credential
        lookup.noteAcceptance(in: attempt.space)
        if attempt.isConnectionBound {
            attempt.beginAnew()
            progress = .established
        }
        remember(attempt, isChanged: isChanged)
        attempt.isRemembered = attempt.credential.persistence != .none
        self.attempt = attempt
    }

    private func remember(_ attempt: AuthenticationAttempt, isChanged: Bool) {
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

    /// What makes no sense is an error only where it would have meant something.
    private func information(
        for attempt: AuthenticationAttempt, in fields: HTTPFields
    ) throws -> HTTPAuthenticationInfo? {
        guard attempt.authenticator.readsAuthenticationInfo else {
            return try? challenger.information(in: fields)
        }
        return try challenger.information(in: fields)
    }
}
