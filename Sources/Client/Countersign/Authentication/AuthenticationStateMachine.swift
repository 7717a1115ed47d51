// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes

/// Decides how one request authenticates to one challenger: which answer is sent preemptively, which challenge is
/// answered, when an answer was rejected, and when a challenge is delivered to the caller.
///
/// ``RequestAuthentication`` performs the actions: it finds credentials, and runs the schemes that compute the answers.
struct AuthenticationStateMachine {
    /// The reason for which a request carries no answer although one is available.
    private enum OmissionReason {
        /// The connection of the request is already authenticated.
        case authenticatedConnection
        /// The connection carries an exchange with the other challenger.
        case otherExchange
    }

    let challenger: Challenger
    /// The credential that the request, or the proxy's configuration, provides.
    let own: OwnCredential?
    let allowed: AllowedMethods
    private let preference: MethodPreference
    /// The request target to which challenges apply, in origin-form.
    let target: String

    /// The attempt for the next request, or the attempt of the last one.
    private(set) var attempt: AuthenticationAttempt?
    /// The credentials that the challenger rejected, by protection space.
    private(set) var rejected: [ProtectionSpace: [Credential]] = [:]
    /// The methods that the last challenge offered.
    private(set) var offeredMethods: [AuthenticationMethod] = []
    /// The challenges of the last response that were not answered, in the order in which they were skipped.
    private(set) var skipped: [SkippedChallenge] = []
    /// The credential that the challenger accepted, if it challenged the request.
    private(set) var acceptedCredential: Credential?
    /// The authentication state of the connection that carried the last request.
    private(set) var progress = BoundUser.Progress.none
    private var omissionReason: OmissionReason?
    private var hasTakenPreemptive = false
    /// Whether the challenger was found to challenge requests on a connection that is already authenticated.
    private var challengesEachRequest = false
    /// Whether the challenger accepted the request although its answer was incomplete.
    private var acceptedIncompleteAnswer = false
    private var lastWasStale = false
    /// The protection spaces that a handler rejected, or whose scheme the challenger does not use as the session does, so
    /// that the next method is tried, and the reasons.
    private var declined: [ProtectionSpace: UnansweredReason] = [:]
    /// The challenges of the last response.
    private var challenges: [HTTPChallenge] = []
    /// The challenges of the last response that are still to be tried, the preferred one first.
    private var candidates: ArraySlice<HTTPChallenge> = []
    private var firstError: SessionError?

    /// Creates the state machine in its initial state.
    init(
        challenger: Challenger, own: OwnCredential?, allowed: AllowedMethods, preference: MethodPreference,
        target: String
    ) {
        (self.challenger, self.own, self.allowed) = (challenger, own, allowed)
        (self.preference, self.target) = (preference, target)
    }

    // MARK: Sending

    /// Prepares for the next request.
    ///
    /// - Returns: Whether a preemptive answer may be sent, by ``recall(_:)`` or ``takePreemptive()``.
    mutating func beginRequest() -> Bool {
        (progress, omissionReason) = (.none, nil)
        guard attempt?.isRemembered ?? true else { return false }
        attempt = nil
        return maySendPreemptively
    }

    /// Whether the request may send a remembered answer preemptively.
    ///
    /// It may not if the challenger has rejected an answer, or has accepted an incomplete one.
    var maySendPreemptively: Bool { (rejected.isEmpty || acceptedCredential != nil) && !acceptedIncompleteAnswer }

    /// Starts an attempt from an acceptance that the session remembers from an earlier request.
    mutating func recall(_ accepted: CredentialMemory.Accepted) {
        attempt = AuthenticationAttempt(remembered: accepted)
        challengesEachRequest = challengesEachRequest || accepted.challengesEachRequest
    }

    /// Returns the request's own credential for a preemptive answer, with a synthesized challenge; `nil` after the
    /// first call.
    mutating func takePreemptive() -> (Credential, HTTPChallenge)? {
        guard !hasTakenPreemptive, let own, let method = own.preemptiveMethod, allowed.contains(method),
            own.suits(method),
            method.traits.allowsPreemptiveUse
        else { return nil }
        hasTakenPreemptive = true
        return (own.credential, HTTPChallenge(method: method))
    }

    /// Starts an attempt that answers a challenge: a received one, or the one that ``takePreemptive()`` synthesized.
    mutating func answer(
        _ challenge: HTTPChallenge, with credential: Credential, by authenticator: any HTTPAuthenticator,
        isChallenged: Bool
    ) {
        attempt = AuthenticationAttempt(
            space: challenger.space(for: challenge), credential: credential, authenticator: authenticator,
            scope: SpaceScope(of: challenge, challengedTarget: target, origin: challenger.origin),
            isChallenged: isChallenged)
    }

    /// Returns the attempt that computes the answer of the request, after which ``noteAnswer(of:)`` is called.
    ///
    /// - Parameters:
    ///   - binding: The user that the connection is authenticated as; `nil` if it is not authenticated.
    ///   - mayExchange: Whether an exchange that takes several requests can begin with this one.
    ///   - hasBody: Whether the request has a body.
    /// - Returns: `nil` if the request needs no answer.
    mutating func takeAttempt(
        over binding: BoundUser?, mayExchange: Bool, hasBody: Bool
    ) -> AuthenticationAttempt? {
        guard let attempt, !attempt.hasStarted, let needed = attempt.binding(own: own?.credential) else {
            return attempt
        }
        if needed == binding, !challengesEachRequest {
            omissionReason = .authenticatedConnection
        } else if !mayExchange {
            omissionReason = .otherExchange
        }
        guard omissionReason == nil else { return nil }
        if attempt.isRemembered, challenger.role == .origin, hasBody {
            // An origin that does not challenge would process the first message, which has no body, as the complete
            // request.
            self.attempt = nil
        }
        return self.attempt
    }

    /// Stores the attempt after it has computed its answer.
    mutating func noteAnswer(of attempt: AuthenticationAttempt) {
        self.attempt = attempt
        self.attempt?.isRemembered = false
        if attempt.isConnectionBound { progress = .exchanging }
    }

    /// Whether the last request had no answer because its connection is authenticated.
    var usesAuthenticatedConnection: Bool { omissionReason == .authenticatedConnection }

    // MARK: Connections

    /// The user that the last answer authenticates the connection as; `nil` if the scheme authenticates requests.
    var binding: BoundUser? { progress == .none ? nil : attempt?.binding(own: own?.credential) }

    /// Whether the next answer authenticates a connection, as far as is known before a challenge.
    var needsOwnConnection: Bool {
        if let attempt { return attempt.isConnectionBound }
        return own?.preemptiveMethod.map { $0.isConnectionBound && allowed.contains($0) } ?? false
    }

    /// Returns whether the next request may use a connection that is authenticated as this user; `remembered` is the
    /// acceptance that a preemptive answer would use.
    func mayUse(_ binding: BoundUser, remembered: CredentialMemory.Accepted?) -> Bool {
        guard challenger.asks(in: binding.space), binding.own == own?.credential else { return false }
        if let attempt, !attempt.isRemembered { return attempt.binding(own: own?.credential) == binding }
        guard maySendPreemptively, let remembered else { return false }
        return remembered.space == binding.space && remembered.credential == binding.credential
    }

    /// Restarts a connection-bound attempt after the request failed for another reason, such as a lost connection.
    mutating func restart() {
        guard let attempt else { return }
        progress = progress == .exchanging ? .refused : .none
        if attempt.isConnectionBound { self.attempt?.reset() }
    }

    // MARK: Challenged

    /// The next step in handling a challenge.
    enum Action {
        /// Ask the scheme whether a challenge continues its exchange, then call ``advance(to:)``.
        case advance(AuthenticationAttempt, with: [HTTPChallenge])
        /// Record in the memory that each request on an authenticated connection is challenged, then call
        /// ``sendOmittedAnswer()``.
        case noteChallengesEachRequest(AuthenticationAttempt)
        /// Create an authenticator for a new nonce, then call ``renew(by:)``.
        case renew(HTTPChallenge, in: ProtectionSpace)
        /// Remove the attempt's credential from the memory, and from the store if the store holds the same credential
        /// for the protection space, then call ``chooseChallenge()``.
        case forget(AuthenticationAttempt, rejectedIn: ProtectionSpace)
        /// Find a credential, then call ``receive(_:to:by:)`` or ``skip(because:)``.
        case findCredential(HTTPChallenge, in: ProtectionSpace)
        /// Send the request again with the answer of the attempt.
        case sendAgain
        /// Deliver the response to the caller.
        case deliver
        case fail(SessionError)
    }

    /// Handles the challenges of a response.
    ///
    /// An origin's challenge that cannot be read or answered is skipped, because the body of the response is for the
    /// caller. For a proxy it is an error if there is no other challenge.
    mutating func receive(_ reading: HTTPChallenge.Reading) -> Action {
        (challenges, firstError) = (reading.challenges, nil)
        offeredMethods = challenges.map(\.method)
        // Basic can be answered even if its parameters cannot be read.
        let hasBasic = offeredMethods.contains(.basic)
        skipped = reading.problems.filter { $0.method != .basic || !hasBasic }.map {
            SkippedChallenge(method: $0.method, reason: .unreadable($0.error))
        }
        if challenger.role == .proxy, challenges.isEmpty, let problem = reading.problems.first {
            return .fail(.authentication(.malformedChallenge(challenger.peer, problem.error)))
        }
        guard let attempt, omissionReason == nil else { return advance(to: nil) }
        let steps = challenges.filter { $0.method == attempt.space.method }
        return steps.isEmpty ? advance(to: nil) : .advance(attempt, with: steps)
    }

    /// Continues with the next step of the scheme's exchange; `nil` if no challenge continues it.
    mutating func advance(to next: AuthenticationAttempt?) -> Action {
        if let next {
            attempt = next
            return answerAsked()
        }
        guard omissionReason != nil, let silent = attempt else { return renew() }
        guard omissionReason == .authenticatedConnection else { return sendOmittedAnswer() }
        challengesEachRequest = true
        // For other methods, the challenge only means that the server no longer considers this connection
        // authenticated.
        return silent.space.method.traits.mayChallengeEachRequest
            ? .noteChallengesEachRequest(silent) : sendOmittedAnswer()
    }

    /// Sends the answer that was left out: a server may end the authentication of a connection at any time.
    mutating func sendOmittedAnswer() -> Action {
        if let attempt, challenges.contains(where: { challenger.space(for: $0) == attempt.space }) {
            return answerAsked()
        }
        attempt = nil
        return renew()
    }

    private mutating func answerAsked() -> Action {
        attempt?.isRemembered = false
        attempt?.isChallenged = true
        return .sendAgain
    }

    /// Retries the same credential once after a stale nonce (RFC 7616 section 3.3), because the password was right.
    ///
    /// A credential that was accepted before is retried too: servers that restart forget nonces without calling them
    /// stale.
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

    /// Continues with the authenticator for the new nonce; `nil` if there is none.
    mutating func renew(by authenticator: (any HTTPAuthenticator)?) -> Action {
        lastWasStale = authenticator != nil
        guard let sent = attempt, let authenticator else { return rejectAttempt() }
        attempt = AuthenticationAttempt(
            space: sent.space, credential: sent.credential, authenticator: authenticator, scope: sent.scope,
            isChallenged: true)
        return .sendAgain
    }

    /// Records the rejection of the attempt.
    ///
    /// A preemptive answer counts as rejected only if a challenge names its protection space.
    private mutating func rejectAttempt() -> Action {
        if progress == .exchanging { progress = .refused }
        candidates = preference.sorted(challenges).filter { allowed.contains($0.method) }[...]
        for challenge in challenges where !candidates.contains(challenge) {
            let isKnown = (preference.order + MethodPreference.strongestFirst).contains(challenge.method)
            note(challenge, isKnown ? .notAllowed : .unsupportedScheme)
        }
        guard let sent = attempt else { return chooseChallenge() }
        attempt = nil
        let space = sent.isChallenged ? sent.space : challenges.map(challenger.space).first { sent.isRejected(by: $0) }
        guard let space else { return chooseChallenge() }
        reject(sent.credential, in: space)
        return .forget(sent, rejectedIn: space)
    }

    /// Ends an attempt in which the credential was not sent, and chooses the next challenge.
    mutating func abandonAttempt(because reason: UnansweredReason) -> Action {
        if let attempt { declined[attempt.space] = reason }
        attempt = nil
        return rejectAttempt()
    }

    /// Records that the challenger rejected a credential.
    mutating func reject(_ credential: Credential, in space: ProtectionSpace) {
        rejected[space, default: []].append(credential)
    }

    /// Chooses the next challenge that may be answered.
    mutating func chooseChallenge() -> Action {
        while let challenge = candidates.popFirst() {
            let space = challenger.space(for: challenge)
            guard let reason = prohibition(of: space) else { return .findCredential(challenge, in: space) }
            note(challenge, reason)
        }
        return firstError.map { .fail($0) } ?? .deliver
    }

    /// Returns the reason why a challenge for this space must not be answered; `nil` if it may.
    ///
    /// After a strong method's answer was rejected, the session answers no weaker method, unless the configuration
    /// allows it or a handler declined the strong one.
    private func prohibition(of space: ProtectionSpace) -> UnansweredReason? {
        if let reason = declined[space] { return reason }
        guard !preference.allowsWeakerMethodAfterRejection else { return nil }
        let stronger = rejected.keys.first {
            declined[$0] == nil && preference.isWeaker(space.method, than: $0.method)
        }
        return stronger.map { .weakerThanRejected($0.method) }
    }

    /// Handles the result of the search for a credential.
    mutating func receive(
        _ answer: SessionEvent.Answer, to challenge: HTTPChallenge, by authenticator: any HTTPAuthenticator
    ) -> Action {
        let space = challenger.space(for: challenge)
        switch answer {
        case .used(let credential):
            for other in candidates where challenger.space(for: other) != space {
                note(other, .answeredAnother(challenge.method))
            }
            self.answer(challenge, with: credential, by: authenticator, isChallenged: true)
            return .sendAgain
        case .rejectedProtectionSpace:
            declined[space] = .declined
            return skip(challenge, because: .declined)
        case .cancelled: return .fail(.cancelled(.challenge(space)))
        // The method is skipped as if it had no handler; a weaker challenge of the same space does not ask it again.
        case .performedDefault:
            let others = candidates.filter { challenger.space(for: $0) == space }
            for other in others { note(other, .noCredential) }
            candidates.removeAll { others.contains($0) }
            return skip(challenge, because: .noCredential)
        case .trusted, .repeatedRejectedCredential: return end(with: challenge, because: .rejected)
        case .limitReached: return end(with: challenge, because: .limitReached)
        }
    }

    /// Skips a challenge, and chooses the next one.
    ///
    /// If no challenge of a proxy can be answered, the first error is thrown.
    mutating func skip(_ challenge: HTTPChallenge, because reason: UnansweredReason) -> Action {
        if case .unanswerable(let error) = reason, challenger.role == .proxy {
            firstError =
                firstError ?? .authentication(.unanswerableChallenge(challenger.space(for: challenge), error))
        }
        note(challenge, reason)
        return chooseChallenge()
    }

    /// Skips a challenge and those after it, unless weaker ones may be answered after a rejection.
    private mutating func end(with challenge: HTTPChallenge, because reason: UnansweredReason) -> Action {
        let space = challenger.space(for: challenge)
        if rejected[space] != nil, preference.allowsWeakerMethodAfterRejection {
            return skip(challenge, because: reason)
        }
        note(challenge, reason)
        for other in candidates { note(other, reason == .rejected ? .weakerThanRejected(space.method) : reason) }
        return .deliver
    }

    private mutating func note(_ challenge: HTTPChallenge, _ reason: UnansweredReason) {
        let isRejected = rejected[challenger.space(for: challenge)] != nil
        // A message of Negotiate that rejects the client begins no exchange.
        let lacksCredential = reason == .noCredential || reason == .noHandler || challenge.isRejection
        skipped.append(
            SkippedChallenge(method: challenge.method, reason: isRejected && lacksCredential ? .rejected : reason))
    }

    /// The challenges of the last response that were not answered, and the methods whose credential was rejected before.
    var unanswered: [SkippedChallenge] {
        var unanswered = skipped
        for space in rejected.keys {
            let rejection = SkippedChallenge(method: space.method, reason: .rejected)
            if !unanswered.contains(rejection) { unanswered.append(rejection) }
        }
        return unanswered
    }

    /// Whether the last challenge offered no allowed method.
    var offersNoneAllowed: Bool { !offeredMethods.isEmpty && !offeredMethods.contains(where: allowed.contains) }

    /// The error for a proxy challenge that was not answered.
    ///
    /// An unanswered origin challenge is delivered as a response instead.
    var refusal: SessionError {
        if offersNoneAllowed {
            return .proxy(.methodsNotAllowed(challenger.endpoint, offered: offeredMethods, allowed: allowed))
        }
        return rejected.isEmpty
            ? .proxy(.authenticationRequired(challenger.endpoint, offeredMethods))
            : .proxy(.credentialRejected(challenger.endpoint, offeredMethods))
    }

    /// Handles the request of a SOCKS proxy for a user name and a password.
    ///
    /// - Throws: ``SessionError`` of ``ProxyError/methodsNotAllowed(_:offered:allowed:)``.
    mutating func receiveLoginRequest() throws(SessionError) {
        offeredMethods = [.socksPassword]
        if offersNoneAllowed { throw refusal }
    }

    // MARK: Accepted

    /// The outcome once the challenger has let the request through.
    enum Acceptance {
        /// The request carried no answer that could have been accepted.
        case none
        /// The credential was accepted for the first time; the session remembers it.
        case remember(CredentialMemory.Accepted)
        /// A remembered credential was accepted again; `isChanged` if the state of its scheme has changed.
        case update(AuthenticationAttempt, isChanged: Bool)
        /// The credential is forgotten, because the server did not prove knowledge of it.
        case refuse(AuthenticationAttempt, HTTPAuthenticatorError)
    }

    /// Handles a response that is not a challenge, and verifies the challenger's authentication information.
    ///
    /// - Throws: ``SessionError`` of ``HTTPAuthenticationError/malformedChallenge(_:_:)``.
    mutating func accept(_ fields: HTTPFields, body: [UInt8]?) throws -> Acceptance {
        guard var attempt, omissionReason == nil else { return .none }
        let lastStep = attempt.isConnectionBound ? challenger.lastStep(of: attempt.space.method, in: fields) : nil
        guard !attempt.isConnectionBound || attempt.isChallenged || lastStep != nil else {
            // The exchange proves nothing if the challenger never challenged.
            (self.attempt, acceptedIncompleteAnswer, progress) = (nil, true, .established)
            return .none
        }
        // Malformed information is an error only if the scheme reads it.
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
            attempt.reset()
            progress = .established
        }
        let wasRemembered = attempt.isRemembered
        attempt.isRemembered = attempt.credential.persistence != .none
        self.attempt = attempt
        guard !wasRemembered else { return .update(attempt, isChanged: isChanged) }
        return .remember(
            .init(
                space: attempt.space, own: own?.credential, credential: attempt.credential,
                authenticator: attempt.authenticator, scope: attempt.scope, challengesEachRequest: challengesEachRequest
            ))
    }
}
