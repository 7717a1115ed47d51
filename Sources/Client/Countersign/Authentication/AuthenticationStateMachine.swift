// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes

/// Decides how one request authenticates to one challenger: what is sent unasked, which challenge is answered, when an answer was
/// rejected, and when a challenge stands.
///
/// ``RequestAuthentication`` finds credentials and lets schemes compute answers, as the actions say.
struct AuthenticationStateMachine {
    /// Why a request goes without an answer, though there is one.
    private enum Silence {
        /// Its connection was authenticated before.
        case authenticatedConnection
        /// The connection carries an exchange with the other challenger.
        case otherExchange
    }

    let challenger: Challenger
    /// What the request, or the configuration of the proxy, brings to answer with.
    let own: OwnCredential?
    let allowed: AllowedMethods
    private let preference: MethodPreference
    /// What a challenge is about, in origin-form.
    let target: String

    /// What the next request is answered with, or the last one was.
    private(set) var attempt: AuthenticationAttempt?
    /// The answers that the challenger rejected.
    private(set) var rejected: [ProtectionSpace: [Credential]] = [:]
    /// The methods of the last challenge, as offered.
    private(set) var offeredMethods: [AuthenticationMethod] = []
    /// What the challenger accepted, if it asked.
    private(set) var acceptedCredential: Credential?
    /// How far the connection is that the last request went over.
    private(set) var progress = BoundUser.Progress.none
    private var silence: Silence?
    private var hasTakenUnasked = false
    /// Whether this challenger was found not to let requests through for the sake of their connection.
    private var distrustsConnections = false
    /// Whether the challenger let the request through though its answer was not complete.
    private var isUnasked = false
    private var lastWasStale = false
    /// The spaces for which a handler wants the next method tried.
    private var declined: Set<ProtectionSpace> = []
    /// What came with the last response.
    private var challenges: [HTTPChallenge] = []
    /// Those of them that are still to be tried, the preferred one first.
    private var candidates: ArraySlice<HTTPChallenge> = []
    private var firstFlaw: SessionError?

    /// Begins with nothing said.
    init(
        challenger: Challenger, own: OwnCredential?, allowed: AllowedMethods, preference: MethodPreference,
        target: String
    ) {
        (self.challenger, self.own, self.allowed) = (challenger, own, allowed)
        (self.preference, self.target) = (preference, target)
    }

    // MARK: Sending

    /// Begins a request.
    ///
    /// - Returns: Whether an answer may be sent before it is asked for: ``recall(_:)``, ``takeUnasked()``.
    mutating func beginRequest() -> Bool {
        (progress, silence) = (.none, nil)
        guard attempt?.isRemembered ?? true else { return false }
        attempt = nil
        return mayGuess
    }

    /// Whether the request sends a remembered answer before it is challenged: not to a challenger that has rejected an answer, and not to
    /// one that let an incomplete answer pass.
    var mayGuess: Bool { (rejected.isEmpty || acceptedCredential != nil) && !isUnasked }

    /// The session remembers what the challenger accepted from an earlier request.
    mutating func recall(_ accepted: CredentialMemory.Accepted) {
        attempt = AuthenticationAttempt(remembered: accepted)
        distrustsConnections = distrustsConnections || accepted.asksEachTime
    }

    /// Takes what the request brings to be sent unasked, with the challenge that it answers in advance; once.
    mutating func takeUnasked() -> (Credential, HTTPChallenge)? {
        guard !hasTakenUnasked, let own, let method = own.unasked, allowed.contains(method), own.suits(method),
            method.traits.needsNoChallenge
        else { return nil }
        hasTakenUnasked = true
        return (own.credential, HTTPChallenge(method: method))
    }

    /// Answers a challenge with the next request: one that was received, or one that ``takeUnasked()`` has made up.
    mutating func answer(
        _ challenge: HTTPChallenge, with credential: Credential, by authenticator: any HTTPAuthenticator, isAsked: Bool
    ) {
        attempt = AuthenticationAttempt(
            space: challenger.space(for: challenge), credential: credential, authenticator: authenticator,
            scope: SpaceScope(of: challenge, challengedTarget: target, origin: challenger.origin), isAsked: isAsked)
    }

    /// Decides whether the request carries an answer; it is made by the attempt, and then ``noteAnswer(of:)`` is called.
    ///
    /// - Parameters:
    ///   - binding: The user that the connection is authenticated as; `nil` where it is not authenticated.
    ///   - mayExchange: Whether an exchange that takes several requests can begin with this one.
    ///   - hasBody: Whether the request has a body.
    /// - Returns: `nil` where nothing needs to be said.
    mutating func takeAttempt(
        over binding: BoundUser?, mayExchange: Bool, hasBody: Bool
    ) -> AuthenticationAttempt? {
        guard let attempt, !attempt.hasBegun, let needed = attempt.binding(own: own?.credential) else { return attempt }
        if needed == binding, !distrustsConnections {
            silence = .authenticatedConnection
        } else if !mayExchange {
            silence = .otherExchange
        }
        guard silence == nil else { return nil }
        if attempt.isRemembered, challenger.role == .origin, hasBody {
            // An origin that does not challenge would take the first message, which has no body, for the whole request.
            self.attempt = nil
        }
        return self.attempt
    }

    /// The attempt has made its answer.
    mutating func noteAnswer(of attempt: AuthenticationAttempt) {
        self.attempt = attempt
        self.attempt?.isRemembered = false
        if attempt.isConnectionBound { progress = .exchanging }
    }

    // MARK: Connections

    /// The user that the last answer authenticates the connection as; `nil` where the scheme authenticates requests.
    var binding: BoundUser? { progress == .none ? nil : attempt?.binding(own: own?.credential) }

    /// Whether the next answer authenticates a connection, as far as that is known beforehand.
    var needsOwnConnection: Bool {
        if let attempt { return attempt.isConnectionBound }
        return own?.unasked.map { $0.isConnectionBound && allowed.contains($0) } ?? false
    }

    /// Whether the next request may use a connection that is authenticated as this user; `remembered` is what it would send unasked.
    func mayUse(_ binding: BoundUser, remembered: CredentialMemory.Accepted?) -> Bool {
        guard challenger.asks(in: binding.space), binding.own == own?.credential else { return false }
        if let attempt, !attempt.isRemembered { return attempt.binding(own: own?.credential) == binding }
        guard mayGuess, let remembered else { return false }
        return remembered.space == binding.space && remembered.credential == binding.credential
    }

    /// What was sent came to nothing for another's fault, and begins anew.
    mutating func restart() {
        guard let attempt else { return }
        progress = progress == .exchanging ? .refused : .none
        if attempt.isConnectionBound { self.attempt?.beginAnew() }
    }

    // MARK: Challenged

    /// What is to be done about a challenge.
    enum Action {
        /// The scheme is asked whether a challenge is the next step of its exchange, then ``advance(to:)``.
        case advance(AuthenticationAttempt, with: [HTTPChallenge])
        /// The memory notes that authenticated connections spare requests no answer, then ``answerAfterSilence()``.
        case noteThatEachRequestIsAsked(AuthenticationAttempt)
        /// An authenticator is made for a new nonce, then ``renew(by:)``.
        case renew(HTTPChallenge, in: ProtectionSpace)
        /// The memory forgets the attempt's credential, and the store the same one in `space`, then ``chooseChallenge()``.
        case forget(AuthenticationAttempt, rejectedIn: ProtectionSpace)
        /// A credential is looked for, then ``receive(_:to:by:)`` or ``skip(because:)``.
        case findCredential(HTTPChallenge, in: ProtectionSpace)
        /// The request is sent again, with the answer of the attempt.
        case sendAgain
        /// The response stands.
        case deliver
        case fail(SessionError)
    }

    /// The challenger challenged the request.
    mutating func receive(_ challenges: [HTTPChallenge]) -> Action {
        (self.challenges, offeredMethods, firstFlaw) = (challenges, challenges.map(\.method), nil)
        guard let attempt, silence == nil else { return advance(to: nil) }
        let steps = challenges.filter { $0.method == attempt.space.method }
        return steps.isEmpty ? advance(to: nil) : .advance(attempt, with: steps)
    }

    /// The scheme took the next step of its exchange; `nil` where no challenge was one.
    mutating func advance(to next: AuthenticationAttempt?) -> Action {
        if let next {
            attempt = next
            return answerAsked()
        }
        guard silence != nil, let silent = attempt else { return renew() }
        guard silence == .authenticatedConnection else { return answerAfterSilence() }
        distrustsConnections = true
        // Otherwise the server has only forgotten this connection.
        return silent.space.method.traits.mayAskEachRequest
            ? .noteThatEachRequestIsAsked(silent) : answerAfterSilence()
    }

    /// Sends the answer that was left out: a connection need not stay authenticated for as long as it lives.
    mutating func answerAfterSilence() -> Action {
        if let attempt, challenges.contains(where: { challenger.space(for: $0) == attempt.space }) {
            return answerAsked()
        }
        attempt = nil
        return renew()
    }

    private mutating func answerAsked() -> Action {
        attempt?.isRemembered = false
        attempt?.isAsked = true
        return .sendAgain
    }

    /// A stale nonce earns the same credential one more try (RFC 7616 section 3.3): the password was right.
    ///
    /// So does a credential that was accepted before: servers forget nonces, when they restart, without calling them stale.
    private mutating func renew() -> Action {
        guard let sent = attempt, !lastWasStale,
            let fresh = preference.sorted(challenges).first(where: { isRenewal($0, of: sent) })
        else { return renew(by: nil) }
        return .renew(fresh, in: sent.space)
    }

    private func isRenewal(_ challenge: HTTPChallenge, of sent: AuthenticationAttempt) -> Bool {
        challenger.space(for: challenge) == sent.space && sent.authenticator.isRenewed(by: challenge)
            && (challenge.isStale || sent.isRemembered)
    }

    /// An authenticator was made for the new nonce; `nil` where there is none.
    mutating func renew(by authenticator: (any HTTPAuthenticator)?) -> Action {
        lastWasStale = authenticator != nil
        guard let sent = attempt, let authenticator else { return rejectAttempt() }
        attempt = AuthenticationAttempt(
            space: sent.space, credential: sent.credential, authenticator: authenticator, scope: sent.scope,
            isAsked: true)
        return .sendAgain
    }

    /// A challenge rejects an answer that was sent unasked only where it names the answer's protection space.
    private mutating func rejectAttempt() -> Action {
        if progress == .exchanging { progress = .refused }
        candidates = preference.sorted(challenges).filter { allowed.contains($0.method) }[...]
        guard let sent = attempt else { return chooseChallenge() }
        attempt = nil
        let space = sent.isAsked ? sent.space : challenges.map(challenger.space).first { sent.isMeant(by: $0) }
        guard let space else { return chooseChallenge() }
        reject(sent.credential, in: space)
        return .forget(sent, rejectedIn: space)
    }

    /// The challenger rejected a credential.
    mutating func reject(_ credential: Credential, in space: ProtectionSpace) {
        rejected[space, default: []].append(credential)
    }

    /// Chooses the next challenge that may be answered.
    mutating func chooseChallenge() -> Action {
        while let challenge = candidates.popFirst() {
            let space = challenger.space(for: challenge)
            if permits(space) { return .findCredential(challenge, in: space) }
        }
        return firstFlaw.map { .fail($0) } ?? .deliver
    }

    /// After a strong method's answer was rejected, the session answers no weaker method, unless the configuration allows it or a handler
    /// declined the strong one.
    private func permits(_ space: ProtectionSpace) -> Bool {
        guard !declined.contains(space) else { return false }
        return preference.allowsWeakerMethodAfterRejection
            || rejected.keys.allSatisfy {
                declined.contains($0) || !preference.isWeaker(space.method, than: $0.method)
            }
    }

    /// A credential was found for a challenge, or none.
    mutating func receive(
        _ answer: SessionEvent.Answer, to challenge: HTTPChallenge, by authenticator: any HTTPAuthenticator
    ) -> Action {
        let space = challenger.space(for: challenge)
        switch answer {
        case .used(let credential):
            self.answer(challenge, with: credential, by: authenticator, isAsked: true)
            return .sendAgain
        case .rejectedProtectionSpace:
            declined.insert(space)
            return chooseChallenge()
        case .cancelled: return .fail(.cancelled(.challenge(space)))
        case .trusted, .performedDefault, .repeatedRejectedCredential, .limitReached:
            return rejected[space] != nil && preference.allowsWeakerMethodAfterRejection ? chooseChallenge() : .deliver
        }
    }

    /// A challenge cannot be answered; where none can, the first flaw is the error.
    mutating func skip(because flaw: SessionError? = nil) -> Action {
        firstFlaw = firstFlaw ?? flaw
        return chooseChallenge()
    }

    /// Whether the last challenge offered none of the methods that are allowed.
    var offersNoneAllowed: Bool { !offeredMethods.isEmpty && !offeredMethods.contains(where: allowed.contains) }

    /// Why a challenge was not answered, for a proxy, whose challenge is not the resource's.
    var refusal: SessionError {
        offersNoneAllowed
            ? .proxy(.methodsNotAllowed(challenger.endpoint, offered: offeredMethods, allowed: allowed))
            : .proxy(.authenticationRequired(challenger.endpoint, offeredMethods))
    }

    /// A proxy of SOCKS asks for a user and a password.
    ///
    /// - Throws: ``SessionError`` of ``ProxyError/methodsNotAllowed(_:offered:allowed:)``.
    mutating func receiveLoginRequest() throws(SessionError) {
        offeredMethods = [.socksPassword]
        if offersNoneAllowed { throw refusal }
    }

    // MARK: Accepted

    /// What is to be done once the challenger let the request through.
    enum Acceptance {
        /// Nothing was said that could have been accepted.
        case none
        /// The session remembers what was accepted for the first time.
        case remember(CredentialMemory.Accepted)
        /// What is remembered was accepted again; `isChanged` where the state of its scheme is another one now.
        case update(AuthenticationAttempt, isChanged: Bool)
        /// The credential is forgotten, because the server did not prove that it knows it.
        case refuse(AuthenticationAttempt, HTTPAuthenticatorError)
    }

    /// The challenger let the request through; what it says of itself is checked.
    ///
    /// - Throws: ``SessionError`` of ``AuthenticationError/malformedChallenge(_:_:)``.
    mutating func accept(_ fields: HTTPFields, body: [UInt8]?) throws -> Acceptance {
        guard var attempt, silence == nil else { return .none }
        let lastStep = attempt.isConnectionBound ? challenger.lastStep(of: attempt.space.method, in: fields) : nil
        guard !attempt.isConnectionBound || attempt.isAsked || lastStep != nil else {
            // Nothing was proven, because nothing was asked.
            (self.attempt, isUnasked, progress) = (nil, true, .established)
            return .none
        }
        // What makes no sense is an error only where it would have meant something.
        let information =
            attempt.authenticator.readsAuthenticationInfo
            ? try challenger.information(in: fields) : try? challenger.information(in: fields)
        let isChanged: Bool
        do throws(HTTPAuthenticatorError) {
            isChanged = try attempt.authenticator.receive(
                AcceptedResponse(information: information, challenge: lastStep, body: body), with: attempt.credential)
        } catch {
            progress = .refused
            return .refuse(attempt, error)
        }
        acceptedCredential = attempt.credential
        if attempt.isConnectionBound {
            attempt.beginAnew()
            progress = .established
        }
        let wasRemembered = attempt.isRemembered
        attempt.isRemembered = attempt.credential.persistence != .none
        self.attempt = attempt
        guard !wasRemembered else { return .update(attempt, isChanged: isChanged) }
        return .remember(
            .init(
                space: attempt.space, own: own?.credential, credential: attempt.credential,
                authenticator: attempt.authenticator, scope: attempt.scope, asksEachTime: distrustsConnections))
    }
}
