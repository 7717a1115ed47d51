// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes
import NIOPosix

/// Carries one request through the challenges of one challenger: does what its state machine decides.
///
/// The stages, the tunnel and the choice of a connection share it; it belongs to the task of the request alone.
final class RequestAuthentication {
    private(set) var machine: AuthenticationStateMachine
    private let context: RequestContext
    private var lookup: CredentialLookup
    /// What was accepted, until it is kept.
    private(set) var accepted: (space: ProtectionSpace, credential: Credential)?
    /// What a proxy of SOCKS is given when it asks, once that was found.
    private(set) var login: Credential?

    /// Begins with nothing said; the target is what a challenge will be about, in origin-form.
    init(
        challenger: Challenger, context: RequestContext, own: OwnCredential?, allowed: AllowedMethods,
        proposedUser: String? = nil, target: String
    ) {
        self.context = context
        machine = AuthenticationStateMachine(
            challenger: challenger, own: own, allowed: allowed, preference: context.core.preference, target: target)
        lookup = CredentialLookup(context: context, own: own, proposedUser: proposedUser)
    }

    private var core: SessionCore { context.core }

    private var own: Credential? { machine.own?.credential }

    /// The value of the credential field for the next request: the answer to the last challenge, or one sent before it is asked for.
    ///
    /// - Parameters:
    ///   - request: What the answer is for; the host is the challenger's, whatever stands there.
    ///   - binding: The user that the connection is authenticated as; `nil` where it is not authenticated.
    ///   - mayExchange: Whether an exchange that takes several requests can begin with this one.
    /// - Returns: `nil` where nothing needs to be said.
    /// - Throws: ``SessionError`` of ``AuthenticationError/unanswerableChallenge(_:_:)``.
    func authorization(
        for request: RequestFacts, over binding: BoundUser?, mayExchange: Bool = true
    ) async throws -> String? {
        var request = request
        request.host = machine.challenger.endpoint.host.description
        if machine.beginRequest(), let value = try answerInAdvance(request) { return value }
        guard machine.attempt != nil else { return nil }
        return try await answer(request, over: binding, mayExchange: mayExchange)
    }

    /// The answer that is known before the challenger has asked; an attempt that has yet to make its answer is left in the machine.
    private func answerInAdvance(_ request: RequestFacts) throws -> String? {
        if let known = core.memory.preemptive(for: machine.challenger, own: own, request: request) {
            machine.recall(known.accepted)
            if known.value != nil { core.report(.preempted(known.accepted.space)) }
            return known.value
        }
        guard let (credential, challenge) = machine.takeUnasked() else { return nil }
        let space = machine.challenger.space(for: challenge)
        if let authenticator = try authenticator(for: challenge, in: space) {
            core.report(.preempted(space))
            machine.answer(challenge, with: credential, by: authenticator, isAsked: false)
        }
        return nil
    }

    private func answer(
        _ request: RequestFacts, over binding: BoundUser?, mayExchange: Bool
    ) async throws -> String? {
        let hasBody = request.body?.isEmpty != true
        guard var attempt = machine.takeAttempt(over: binding, mayExchange: mayExchange, hasBody: hasBody) else {
            return nil
        }
        let value = try await attempt.answer(request)
        if attempt.isRemembered { core.report(.preempted(attempt.space)) }
        machine.noteAnswer(of: attempt)
        return value
    }

    private func authenticator(
        for challenge: HTTPChallenge, in space: ProtectionSpace
    ) throws -> (any HTTPAuthenticator)? {
        do {
            if challenge.method.traits.needsTLS, !space.isEncrypted, !core.configuration.allowsNTLMOverPlainHTTP {
                throw HTTPAuthenticatorError.needsTLS
            }
            return try core.configuration.authenticators.authenticator(
                for: challenge, nonceCounts: core.memory.nonceCounts(of: machine.challenger),
                scramIterationLimit: core.configuration.scramIterationLimit)
        } catch let error as HTTPAuthenticatorError {
            throw SessionError.authentication(.unanswerableChallenge(space, error))
        }
    }

    /// Whether the next request may use a connection that is authenticated as this user.
    func mayUse(_ binding: BoundUser) -> Bool {
        let remembered = core.memory.match(for: machine.challenger, own: own, target: machine.target)
        return machine.mayUse(binding, remembered: remembered)
    }

    // A request that meets no challenge reads one property of the machine here; a call would copy the machine.

    /// The user that the last answer authenticates the connection as; `nil` where the scheme authenticates requests.
    var binding: BoundUser? { machine.progress == .none ? nil : machine.binding }

    /// Whether the answer made last is never accepted as it is, so that the body can wait for the next.
    var withholdsBody: Bool {
        machine.progress == .exchanging && machine.attempt?.authenticator.withholdsBody == true
    }

    /// Whether what comes with these fields has to be read whole, because the challenger vouches for it.
    func checksBody(with fields: HTTPFields) -> Bool {
        machine.attempt?.authenticator.checksResponseBody == true && machine.challenger.hasInformation(in: fields)
    }

    /// The method by which the challenger accepted the request's own credential, if it did.
    var acceptedOwnMethod: AuthenticationMethod? {
        guard let accepted = machine.acceptedCredential, accepted == machine.own?.credential else { return nil }
        return machine.attempt?.space.method
    }

    /// What was sent came to nothing for another's fault, and begins anew.
    func restart() { machine.restart() }

    // MARK: Challenged

    /// The challenger challenged the request.
    ///
    /// - Returns: Whether there is an answer to send; if not, its response stands.
    func receive(_ fields: HTTPFields) async throws -> Bool {
        var action = machine.receive(try machine.challenger.challenges(in: fields))
        while true {
            switch action {
            case .advance(let attempt, let challenges):
                action = machine.advance(to: try await attempt.advanced(with: challenges))
            case .noteThatEachRequestIsAsked(let attempt):
                core.memory.noteThatEachRequestIsAsked(in: attempt.space, for: attempt.credential, own: own)
                action = machine.answerAfterSilence()
            case .renew(let challenge, let space):
                action = machine.renew(by: try authenticator(for: challenge, in: space))
            case .forget(let attempt, let space):
                core.memory.forget(attempt.credential, in: attempt.space, own: own)
                await lookup.drop(attempt.credential, in: space)
                action = machine.chooseChallenge()
            case .findCredential(let challenge, let space):
                action = try await findCredential(for: challenge, in: space)
            case .sendAgain: return true
            case .deliver:
                if machine.offersNoneAllowed, machine.challenger.role == .origin {
                    core.report(
                        .methodsNotAllowed(
                            machine.challenger.endpoint, offered: machine.offeredMethods, allowed: machine.allowed))
                }
                return false
            case .fail(let error): throw error
            }
        }
    }

    private func findCredential(
        for challenge: HTTPChallenge, in space: ProtectionSpace
    ) async throws -> AuthenticationStateMachine.Action {
        do {
            let isAnswerable = await lookup.isAnswerable(space, rejected: machine.rejected)
            // A malformed challenge is an error even where no credential is known for it. A challenge that needs TLS is an error only
            // where a credential is known for it.
            guard isAnswerable || !space.method.traits.needsTLS,
                let authenticator = try authenticator(for: challenge, in: space), isAnswerable
            else { return machine.skip() }
            let answer = try await answer(.http(challenge), in: space)
            return machine.receive(answer, to: challenge, by: authenticator)
        } catch SessionError.authentication(.unanswerableChallenge(let flawed, let error)) {
            return machine.skip(because: .authentication(.unanswerableChallenge(flawed, error)))
        }
    }

    private func answer(
        _ statement: Challenge.Statement, in space: ProtectionSpace
    ) async throws -> SessionEvent.Answer {
        let (question, answer) = try await lookup.answer(statement, in: space, rejected: machine.rejected)
        core.report(.challenged(question, answer))
        return answer
    }

    // MARK: Accepted

    /// The challenger let the request through; what it says of itself is checked, and what it says of the next request kept.
    ///
    /// - Throws: ``SessionError`` of ``AuthenticationError/serverNotProven(_:_:)``; the credential is forgotten then.
    func accept(_ fields: HTTPFields, body: [UInt8]? = nil) throws {
        switch try machine.accept(fields, body: body) {
        case .none: break
        case .remember(let new):
            context.noteAcceptance(in: new.space)
            accepted = (new.space, new.credential)
            core.memory.remember(new)
        case .update(let attempt, let isChanged):
            context.noteAcceptance(in: attempt.space)
            guard isChanged else { return }
            core.memory.update(attempt.authenticator, for: attempt.credential, in: attempt.space, own: own)
        case .refuse(let attempt, let error):
            core.memory.forget(attempt.credential, in: attempt.space, own: own)
            throw SessionError.authentication(.serverNotProven(attempt.space, error))
        }
    }

    /// Keeps what was accepted for good, where that was asked for.
    func keepAccepted() async {
        guard let (space, credential) = accepted else { return }
        accepted = nil
        await lookup.keep(credential, in: space)
    }

    // MARK: A proxy of SOCKS, which asks while its connection opens (RFC 1929)

    /// Finds the user and the password to log in with; asks once for as long as they are not rejected.
    ///
    /// - Throws: ``SessionError`` of ``ProxyError/authenticationRequired(_:_:)``, ``Cancellation/challenge(_:)``,
    ///   ``ProxyError/methodsNotAllowed(_:offered:allowed:)``.
    func findLogin() async throws -> Credential {
        if let login { return login }
        let space = machine.challenger.socksSpace
        try machine.receiveLoginRequest()
        switch try await answer(.socksLogin, in: space) {
        case .used(let credential):
            login = credential
            return credential
        case .cancelled: throw SessionError.cancelled(.challenge(space))
        default: throw machine.refusal
        }
    }

    /// The proxy let the login in.
    func acceptLogin() {
        guard let login else { return }
        let space = machine.challenger.socksSpace
        context.noteAcceptance(in: space)
        accepted = (space, login)
        core.memory.remember(login: login, in: space, own: own)
    }

    /// The proxy did not let the login in; finds the next one.
    ///
    /// - Throws: What ``findLogin()`` throws.
    func rejectLogin() async throws {
        guard let login else { return }
        let space = machine.challenger.socksSpace
        machine.reject(login, in: space)
        core.memory.forget(login, in: space, own: own)
        await lookup.drop(login, in: space)
        self.login = nil
        _ = try await findLogin()
    }
}

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
    func binding(own: Credential?) -> BoundUser? {
        isConnectionBound ? BoundUser(space: space, own: own, credential: credential) : nil
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

/// The credential that a connection belongs to, where a scheme authenticates the connection and not the request.
///
/// No other credential's request goes over it.
struct BoundUser: Hashable, Sendable {
    let space: ProtectionSpace
    /// The request's own credential, if it had one: without it the connection is a stranger's.
    let own: Credential?
    let credential: Credential

    /// How far a request came in authenticating the connection that it went over.
    enum Progress: Hashable, Sendable {
        /// The request needed nothing of the kind.
        case none
        /// The next message belongs to the same connection.
        case exchanging
        case established
        case refused
    }
}
