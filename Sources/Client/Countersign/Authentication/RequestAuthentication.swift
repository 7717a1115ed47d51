// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes
import NIOPosix

/// Authenticates one request to one challenger, by performing the actions of its state machine.
///
/// The pipeline stages, the proxy tunnel and the choice of a connection share one instance, which is confined to the
/// request's task.
final class RequestAuthentication {
    private(set) var machine: AuthenticationStateMachine
    private let context: RequestContext
    private var lookup: CredentialLookup
    /// The unanswered challenges that were reported.
    private var reported: Set<SkippedChallenge> = []
    /// The credential that was accepted, until it is saved.
    private(set) var accepted: (space: ProtectionSpace, credential: Credential)?
    /// Whether the last request had an answer, or used a connection that is authenticated.
    private(set) var sentCredential = false
    /// The credential for the login to a SOCKS proxy, once it is found.
    private(set) var login: Credential?

    /// Creates the authentication in its initial state.
    ///
    /// The target is the request target of later challenges, in origin-form.
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

    /// Returns the value of the `Authorization` or `Proxy-Authorization` field for the next request: the answer to the
    /// last challenge, or a preemptive one.
    ///
    /// - Parameters:
    ///   - request: The request that the answer is for. Its host is replaced by the challenger's.
    ///   - binding: The user that the connection is authenticated as; `nil` if it is not authenticated.
    ///   - mayExchange: Whether an exchange that takes several requests can begin with this one.
    /// - Returns: `nil` if the request needs no answer.
    /// - Throws: ``SessionError`` of ``HTTPAuthenticationError/unanswerableChallenge(_:_:)``.
    func authorization(
        for request: RequestFacts, over binding: BoundUser?, mayExchange: Bool = true
    ) async throws -> String? {
        var request = request
        request.host = machine.challenger.endpoint.host.description
        var value = machine.beginRequest() ? try preemptiveAnswer(request) : nil
        if value == nil, machine.attempt != nil {
            value = try await answer(request, over: binding, mayExchange: mayExchange)
        }
        sentCredential = value != nil || machine.usesAuthenticatedConnection
        return value
    }

    /// Returns the preemptive answer, if it is known already; an attempt that has yet to compute its answer is left in
    /// the machine.
    private func preemptiveAnswer(_ request: RequestFacts) throws -> String? {
        if let known = core.memory.preemptive(for: machine.challenger, own: own, request: request) {
            machine.recall(known.accepted)
            if known.value != nil { context.report(.preempted(known.accepted.space)) }
            return known.value
        }
        guard let (credential, challenge) = machine.takePreemptive() else { return nil }
        let space = machine.challenger.space(for: challenge)
        guard traits(of: space.method).carries(credential.kind), !forbidsNTLM(in: space) else { return nil }
        if let authenticator = try authenticator(for: challenge, in: space) {
            context.report(.preempted(space))
            machine.answer(challenge, with: credential, by: authenticator, isChallenged: false)
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
        if attempt.isRemembered { context.report(.preempted(attempt.space)) }
        machine.noteAnswer(of: attempt)
        return value
    }

    /// Returns whether NTLM would answer Negotiate in this space although one of them is not allowed; Negotiate alone is
    /// allowed for its tickets.
    private func forbidsNTLM(in space: ProtectionSpace) -> Bool {
        space.method == .negotiate && core.configuration.authenticators.negotiatesNTLM
            && !(machine.allowed.contains(.ntlm) && core.preference.order.contains(.negotiate))
    }

    private func traits(of method: AuthenticationMethod) -> SchemeTraits {
        core.configuration.authenticators.traits(of: method)
    }

    private func authenticator(
        for challenge: HTTPChallenge, in space: ProtectionSpace
    ) throws -> (any HTTPAuthenticator)? {
        do {
            if traits(of: challenge.method).needsTLS, !space.isEncrypted, !core.configuration.allowsNTLMOverPlainHTTP {
                throw HTTPAuthenticatorError.needsTLS
            }
            return try core.configuration.authenticators.authenticator(
                for: challenge, nonceCounts: core.memory.nonceCounts(of: machine.challenger),
                scramIterationLimit: core.configuration.scramIterationLimit)
        } catch let error as HTTPAuthenticatorError {
            throw SessionError.authentication(.unanswerableChallenge(space, error))
        }
    }

    /// Returns whether the next request may use a connection that is authenticated as this user.
    func mayUse(_ binding: BoundUser) -> Bool {
        let remembered = core.memory.match(for: machine.challenger, own: own, target: machine.target)
        return machine.mayUse(binding, remembered: remembered)
    }

    /// Whether a connection may be authenticated as the user of the next request.
    var mayUseAuthenticatedConnection: Bool {
        if let attempt = machine.attempt, !attempt.isRemembered { return attempt.isConnectionBound }
        let remembered = core.memory.match(for: machine.challenger, own: own, target: machine.target)
        return remembered?.space.method.isConnectionBound ?? false
    }

    // A request that meets no challenge reads one property of the machine here; a call would copy the machine.

    /// The user that the last answer authenticates the connection as; `nil` if the scheme authenticates requests.
    var binding: BoundUser? { machine.progress == .none ? nil : machine.binding }

    /// Whether the last answer is only an intermediate step of an exchange, so that the body is sent with a later one.
    var withholdsBody: Bool {
        machine.progress == .exchanging && machine.attempt?.authenticator.withholdsBody == true
    }

    /// Returns whether the entire body of a response with these fields must be read, because the challenger
    /// authenticates it.
    func checksBody(with fields: HTTPFields) -> Bool {
        machine.attempt?.authenticator.checksResponseBody == true && machine.challenger.hasInformation(in: fields)
    }

    /// The method by which the challenger accepted the request's own credential, if it did.
    var acceptedOwnMethod: AuthenticationMethod? {
        guard let accepted = machine.acceptedCredential, accepted == machine.own?.credential else { return nil }
        return machine.attempt?.space.method
    }

    /// Restarts a connection-bound attempt after the request failed for another reason, such as a lost connection.
    func restart() { machine.restart() }

    // MARK: Challenged

    /// Handles a response that challenges the request.
    ///
    /// - Returns: Whether there is an answer to send; if not, the response is delivered to the caller.
    func receive(_ fields: HTTPFields) async throws -> Bool {
        var action = machine.receive(machine.challenger.challenges(in: fields))
        defer { reportSkipped() }
        while true {
            switch action {
            case .advance(let attempt, let challenges):
                action = try await advance(attempt, with: challenges)
            case .noteChallengesEachRequest(let attempt):
                core.memory.noteChallengesEachRequest(in: attempt.space, for: attempt.credential, own: own)
                action = machine.sendOmittedAnswer()
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
                    context.report(
                        .methodsNotAllowed(
                            machine.challenger.endpoint, offered: machine.offeredMethods, allowed: machine.allowed))
                }
                return false
            case .fail(let error): throw error
            }
        }
    }

    private func advance(
        _ attempt: AuthenticationAttempt, with challenges: [HTTPChallenge]
    ) async throws -> AuthenticationStateMachine.Action {
        do {
            return machine.advance(to: try await attempt.advanced(with: challenges))
        } catch SessionError.authentication(.unanswerableChallenge(let space, let error))
            where space.method == .negotiate && error.showsNoNTLM
        {
            // The first message has no proof of the password, so nothing was rejected.
            return machine.abandonAttempt(because: .unanswerable(error))
        }
    }

    private func findCredential(
        for challenge: HTTPChallenge, in space: ProtectionSpace
    ) async throws -> AuthenticationStateMachine.Action {
        let negotiatesNTLM = space.method == .negotiate && core.configuration.authenticators.negotiatesNTLM
        if forbidsNTLM(in: space) { return machine.skip(challenge, because: .notAllowed) }
        let isAnswerable = await lookup.isAnswerable(space, rejected: machine.rejected)
        if negotiatesNTLM, !isAnswerable { return machine.skip(challenge, because: .unsupportedScheme) }
        // The defect of a challenge is the reason even if no credential is known for it. The missing TLS is the reason
        // only if a credential is known.
        guard isAnswerable || !traits(of: space.method).needsTLS else {
            return machine.skip(challenge, because: .noHandler)
        }
        let result: (any HTTPAuthenticator)?
        do {
            result = try authenticator(for: challenge, in: space)
        } catch SessionError.authentication(.unanswerableChallenge(_, let error)) {
            return machine.skip(challenge, because: .unanswerable(error))
        }
        guard let scheme = result else {
            let isSupported = core.configuration.authenticators.supports(space.method)
            return machine.skip(challenge, because: isSupported ? .unsupportedForm : .unsupportedScheme)
        }
        guard isAnswerable else { return machine.skip(challenge, because: .noHandler) }
        let (question, answer) = try await lookup.answer(.http(challenge), in: space, rejected: machine.rejected)
        // An answer that is not sent is not reported.
        if case .used(let credential) = answer, negotiatesNTLM, !traits(of: space.method).carries(credential.kind) {
            return machine.skip(challenge, because: .unsupportedScheme)
        }
        context.report(.challenged(question, answer))
        return machine.receive(answer, to: challenge, by: scheme)
    }

    /// Returns the reason why no challenge of the last response, a client error, was answered, why a credential was not
    /// sent, or that one was refused without a challenge; `nil` if there was none of these.
    func unansweredChallenge(
        for status: HTTPResponse.Status, of request: SessionRequest
    ) -> UnansweredChallenge? {
        let challenges = status == .unauthorized ? machine.unanswered : []
        let isUnsent =
            own != nil && !sentCredential && status != .proxyAuthenticationRequired
            && request.explicitFields[.authorization] == nil
        let isRefused = sentCredential && status == .unauthorized
        let withheldOrigin = own == nil && !sentCredential ? request.withheldOrigin : nil
        guard isUnsent || isRefused || withheldOrigin != nil || !challenges.isEmpty else { return nil }
        return UnansweredChallenge(
            challenges, of: machine.challenger.endpoint, at: machine.challenger.origin, sentCredential: sentCredential,
            withheldFrom: withheldOrigin)
    }

    /// Reports the challenges that were not answered, equal ones once for the request.
    private func reportSkipped() {
        for challenge in machine.skipped where reported.insert(challenge).inserted {
            // One event lists the methods of a server that offers no allowed one.
            if challenge.reason == .notAllowed, machine.offersNoneAllowed { continue }
            context.report(.notAnswered(machine.challenger.peer, challenge.method, challenge.reason))
        }
    }

    // MARK: Accepted

    /// Handles a response that is not a challenge: verifies the challenger's authentication information, and remembers
    /// the state for the next request.
    ///
    /// - Throws: ``SessionError`` of ``HTTPAuthenticationError/serverNotProven(_:_:)``; the credential is forgotten then.
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

    /// Saves an accepted credential in the permanent store, if its persistence requires that.
    func saveAccepted() async {
        guard let (space, credential) = accepted else { return }
        accepted = nil
        await lookup.keep(credential, in: space)
    }

    // MARK: SOCKS proxies, which authenticate while the connection opens (RFC 1929)

    /// Finds the user name and the password for the login, and asks again only after they are rejected.
    ///
    /// - Throws: ``SessionError`` of ``ProxyError/authenticationRequired(_:_:)``,
    ///   ``ProxyError/credentialRejected(_:_:)``, ``Cancellation/challenge(_:)``,
    ///   ``ProxyError/methodsNotAllowed(_:offered:allowed:)``.
    func findLogin() async throws -> Credential {
        if let login { return login }
        let space = machine.challenger.socksSpace
        try machine.receiveLoginRequest()
        let (question, answer) = try await lookup.answer(.socksLogin, in: space, rejected: machine.rejected)
        context.report(.challenged(question, answer))
        switch answer {
        case .used(let credential):
            login = credential
            return credential
        case .cancelled: throw SessionError.cancelled(.challenge(space))
        default: throw machine.refusal
        }
    }

    /// Records that the proxy accepted the login.
    func acceptLogin() {
        guard let login else { return }
        let space = machine.challenger.socksSpace
        context.noteAcceptance(in: space)
        accepted = (space, login)
        core.memory.remember(login: login, in: space, own: own)
    }

    /// Records that the proxy rejected the login, and finds the next one.
    ///
    /// - Throws: Any error that ``findLogin()`` throws.
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

/// A credential for one challenger, and the state of the scheme that carries it.
struct AuthenticationAttempt {
    let space: ProtectionSpace
    let credential: Credential
    /// The authenticator created from the challenge, with which an exchange restarts on another connection.
    let opening: any HTTPAuthenticator
    var authenticator: any HTTPAuthenticator
    /// Whether an answer has been computed since the exchange began or restarted.
    private(set) var hasStarted = false
    var scope: SpaceScope
    /// Whether the session's memory holds the authenticator, and counts its nonces.
    var isRemembered: Bool
    /// Whether the attempt answers a challenge of this request, instead of being preemptive.
    var isChallenged: Bool

    init(
        space: ProtectionSpace, credential: Credential, authenticator: any HTTPAuthenticator, scope: SpaceScope,
        isRemembered: Bool = false, isChallenged: Bool = false
    ) {
        (self.space, self.credential) = (space, credential)
        (self.scope, self.isRemembered, self.isChallenged) = (scope, isRemembered, isChallenged)
        (opening, self.authenticator) = (authenticator, authenticator)
    }

    init(remembered known: CredentialMemory.Accepted) {
        self.init(
            space: known.space, credential: known.credential, authenticator: known.authenticator, scope: known.scope,
            isRemembered: true)
    }

    var isConnectionBound: Bool { space.method.isConnectionBound }

    /// Returns the user that the attempt authenticates its connection as.
    ///
    /// - Parameter own: The request's own credential, if it had one.
    /// - Returns: `nil` if the scheme authenticates requests.
    func binding(own: Credential?) -> BoundUser? {
        isConnectionBound ? BoundUser(space: space, own: own, credential: credential) : nil
    }

    /// Returns whether a challenge rejects this attempt.
    ///
    /// An attempt without a realm matches any realm of its method.
    func isRejected(by space: ProtectionSpace) -> Bool {
        self.space == space || self.space.realm == nil && self.space.method == space.method
    }

    /// Resets the authenticator to its initial state, for another connection.
    mutating func reset() {
        authenticator = opening
        hasStarted = false
    }

    /// Computes the next answer.
    mutating func answer(_ request: RequestFacts) async throws -> String {
        hasStarted = true
        return try await step { try $0.authorization(with: $1, for: request) }
    }

    /// Takes the next step of an exchange that needs several.
    ///
    /// - Returns: The attempt after that step; `nil` if no challenge continues the exchange.
    func advanced(with challenges: [HTTPChallenge]) async throws -> Self? {
        var attempt = self
        for challenge in challenges {
            if try await attempt.step({ try $0.advance(with: challenge, credential: $1) }) { return attempt }
        }
        return nil
    }

    /// Runs the authenticator, on the thread pool if it may block.
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

/// The user that a connection is authenticated as, for schemes that authenticate connections instead of requests.
///
/// A request with another credential never uses the connection.
struct BoundUser: Hashable, Sendable {
    let space: ProtectionSpace
    /// The request's own credential, if it had one.
    ///
    /// A request with another credential, or with none, cannot use the connection.
    let own: Credential?
    let credential: Credential

    /// The progress of a request in authenticating the connection that carried it.
    enum Progress: Hashable, Sendable {
        /// The request did not authenticate the connection.
        case none
        /// The next message of the exchange needs the same connection.
        case exchanging
        case established
        case refused
    }
}

extension HTTPAuthenticatorError {
    /// Whether the server answered the first message of NTLM as one that does not support it.
    fileprivate var showsNoNTLM: Bool {
        switch self {
        case .ntlm(.missingChallenge), .ntlm(.notAChallenge), .ntlm(.malformedToken): true
        default: false
        }
    }
}
