// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

extension RequestAuthentication {
    /// The challenger challenged the request.
    ///
    /// - Returns: Whether there is an answer to send; if not, its response stands.
    func receive(_ fields: HTTPFields) async throws -> Bool {
        let challenges = try challenger.challenges(in: fields)
        offeredMethods = challenges.map(\.method)
        if try await advance(challenges) { return true }
        if try beginAgain(challenges) || renewNonce(challenges) { return true }
        if progress == .exchanging { progress = .refused }
        await reject(by: challenges)
        var firstError: (any Error)?
        noteWhetherAllowed()
        for challenge in core.preference.sorted(challenges) where allowed.contains(challenge.method) {
            let space = challenger.space(for: challenge)
            guard rejections.permit(space) else { continue }
            do {
                let isAnswerable = await lookup.isAnswerable(space, rejected: rejections.credentials)
                // A broken challenge is an error whoever would answer it; one that may not be answered is none if nobody would.
                guard isAnswerable || !space.method.traits.needsTLS,
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

    /// Notes, and reports for an origin, that no method is offered that is allowed.
    private func noteWhetherAllowed() {
        offersNoneAllowed = !offeredMethods.isEmpty && !offeredMethods.contains(where: allowed.contains)
        guard offersNoneAllowed, challenger.role == .origin else { return }
        core.report(.methodsNotAllowed(challenger.endpoint, offered: offeredMethods, allowed: allowed))
    }

    /// Asks for a credential.
    ///
    /// - Returns: Whether there is an answer to send; `nil` where the next challenge is to be tried.
    private func put(
        _ challenge: HTTPChallenge, in space: ProtectionSpace, to authenticator: any HTTPAuthenticator
    ) async throws -> Bool? {
        switch try await answer(challenge, in: space) {
        case .used(let credential):
            attempt = AuthenticationAttempt(
                space: space, credential: credential, authenticator: authenticator,
                scope: SpaceScope(of: challenge, challengedTarget: target, origin: challenger.origin), isAsked: true)
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

    func authenticator(
        for challenge: HTTPChallenge, in space: ProtectionSpace
    ) throws -> (any HTTPAuthenticator)? {
        do {
            if challenge.method.traits.needsTLS, !space.isEncrypted, !core.configuration.allowsNTLMOverPlainHTTP {
                throw HTTPAuthenticatorError.needsTLS
            }
            return try core.configuration.authenticators.authenticator(
                for: challenge, nonceCounts: core.memory.nonceCounts(of: challenger),
                scramIterationLimit: core.configuration.scramIterationLimit)
        } catch let error as HTTPAuthenticatorError {
            throw SessionError.unanswerableChallenge(space, error)
        }
    }

    /// Takes the next step of an exchange that needs several.
    private func advance(_ challenges: [HTTPChallenge]) async throws -> Bool {
        guard var attempt, !isSilent else { return false }
        for challenge in challenges where challenge.method == attempt.space.method {
            guard try await attempt.advance(with: challenge) else { continue }
            attempt.isRemembered = false
            attempt.isAsked = true
            self.attempt = attempt
            return true
        }
        return false
    }

    /// What was not said is said now: a connection need not be authenticated for as long as it lives.
    private func beginAgain(_ challenges: [HTTPChallenge]) -> Bool {
        guard isSilent, let silent = attempt else { return false }
        if reliesOnConnection {
            distrustsConnections = true
            // Otherwise the server has only forgotten this connection.
            if silent.space.method.traits.mayAskEachRequest {
                core.memory.noteThatEachRequestIsAsked(in: silent.space, for: silent.credential, own: own)
            }
        }
        guard challenges.contains(where: { challenger.space(for: $0) == silent.space }) else {
            attempt = nil
            return false
        }
        attempt?.isRemembered = false
        attempt?.isAsked = true
        return true
    }

    /// A stale nonce earns the same credential one more try (RFC 7616 section 3.3): the password was right.
    ///
    /// So does a credential that was accepted before: servers forget nonces, when they restart, without calling them stale.
    private func renewNonce(_ challenges: [HTTPChallenge]) throws -> Bool {
        guard let sent = attempt, !lastWasStale,
            let fresh = core.preference.sorted(challenges).first(where: { isRenewal($0, of: sent) }),
            let authenticator = try authenticator(for: fresh, in: sent.space)
        else {
            lastWasStale = false
            return false
        }
        lastWasStale = true
        attempt = AuthenticationAttempt(
            space: sent.space, credential: sent.credential, authenticator: authenticator, scope: sent.scope,
            isAsked: true)
        return true
    }

    private func isRenewal(_ challenge: HTTPChallenge, of sent: AuthenticationAttempt) -> Bool {
        guard challenger.space(for: challenge) == sent.space,
            sent.authenticator.isRenewed(by: challenge)
        else { return false }
        return challenge.isStale || sent.isRemembered
    }

    /// What nobody asked for is rejected only by whoever names its space; another space's challenge says nothing of it.
    private func reject(by challenges: [HTTPChallenge]) async {
        guard let sent = attempt else { return }
        attempt = nil
        var space = sent.space
        if !sent.isAsked {
            let named = challenges.map { challenger.space(for: $0) }.first { sent.isMeant(by: $0) }
            guard let named else { return }
            space = named
        }
        rejections.add(sent.credential, in: space)
        core.memory.forget(sent.credential, in: sent.space, own: own)
        await lookup.drop(sent.credential, in: space)
    }

    private func answer(
        _ challenge: HTTPChallenge, in space: ProtectionSpace
    ) async throws -> SessionEvent.Answer {
        let (question, answer) = try await lookup.answer(.http(challenge), in: space, rejected: rejections.credentials)
        core.report(.challenged(question, answer))
        return answer
    }
}
