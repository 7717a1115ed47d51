// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import NIOConcurrencyHelpers

/// The credentials that a session remembers, each under what it is valid for.
final class CredentialMemory: Sendable {
    /// A password that a server accepted, and the state of the scheme that carries it.
    struct Accepted: Sendable {
        let space: ProtectionSpace
        /// The request's own credential, if it had one.
        let own: Credential?
        let credential: Credential
        /// Of a scheme that authenticates connections: as it was before any connection.
        var authenticator: any HTTPAuthenticator
        var scope: SpaceScope
        /// Whether an authenticated connection does not spare its later requests an answer of their own.
        var asksEachTime = false
    }

    fileprivate struct AcceptedTrust: Hashable {
        let space: ProtectionSpace
        let policy: TrustPolicy
        let chain: PresentedChain
        /// Who accepted one thing that was wrong did not accept another.
        let failures: Set<String>
    }

    /// How much a session remembers.
    ///
    /// Of more, the oldest is forgotten, and asked for again when it is needed.
    enum Limit {
        /// Accepted protection spaces of one origin or proxy, for one request's own credential or for none.
        static let spacesPerServer = 32
        /// Accepted protection spaces of all servers.
        ///
        /// A program that speaks for many users may give each request another credential.
        static let spaces = 1_024
        /// Servers whose nonces are counted; each count has its limit, `NonceCounts.limit`.
        static let nonceCounts = 256
        /// Accepted identities, accepted chains, and logins of SOCKS proxies.
        static let others = 1_024
    }

    /// What a request's own credential brought is used by requests with an equal one alone.
    fileprivate struct Key: Hashable {
        let space: ProtectionSpace
        let own: Credential?
    }

    fileprivate struct State {
        var passwords = RecentEntries<Key, Accepted>(limit: Limit.spaces)
        /// What proxies of SOCKS accepted, which needs no authenticator.
        var logins = RecentEntries<Key, Credential>(limit: Limit.others)
        var nonceCounts = RecentEntries<Challenger, NonceCounts>(limit: Limit.nonceCounts)
        var identities = RecentEntries<ProtectionSpace, Credential>(limit: Limit.others)
        var trusts = RecentEntries<AcceptedTrust, Credential>(limit: Limit.others)
    }

    private let state = NIOLockedValueBox(State())

    // MARK: Passwords

    /// What to answer before it is asked for: the remembered space that the target lies in, the deepest first.
    ///
    /// - Returns: No value where every connection needs a separate exchange, or the answer may take long.
    func preemptive(
        for challenger: Challenger, own: Credential?, request: RequestFacts
    ) -> (accepted: Accepted, value: String?)? {
        state.withLockedValue { state -> (accepted: Accepted, value: String?)? in
            state.match(for: challenger, own: own, target: request.target).flatMap {
                state.authorize(by: $0, request: request)
            }
        }
    }

    /// What would be sent for a target before it is asked for.
    func match(for challenger: Challenger, own: Credential?, target: String) -> Accepted? {
        state.withLockedValue { state in
            state.match(for: challenger, own: own, target: target).flatMap { state.passwords[$0] }
        }
    }

    func credential(in space: ProtectionSpace, own: Credential?) -> Credential? {
        let key = Key(space: space, own: own)
        return state.withLockedValue { $0.passwords[key]?.credential ?? $0.logins[key] }
    }

    func remember(_ accepted: Accepted) {
        guard accepted.credential.persistence != .none else { return }
        state.withLockedValue { state in
            let key = Key(space: accepted.space, own: accepted.own)
            state.passwords[key] = accepted
            state.passwords.keep(Limit.spacesPerServer) { $0.isOfServer(of: key) }
        }
    }

    func remember(login: Credential, in space: ProtectionSpace, own: Credential?) {
        guard login.persistence != .none else { return }
        state.withLockedValue { $0.logins[Key(space: space, own: own)] = login }
    }

    /// Keeps the state that a response brought, unless another credential has taken the place of the one it was for.
    func update(
        _ authenticator: any HTTPAuthenticator, for credential: Credential, in space: ProtectionSpace, own: Credential?
    ) {
        let key = Key(space: space, own: own)
        state.withLockedValue { state in
            guard state.passwords[key]?.credential == credential else { return }
            state.passwords.change(key) { $0.authenticator = authenticator }
        }
    }

    /// Remembers that authenticated connections do not spare requests an answer.
    func noteThatEachRequestIsAsked(in space: ProtectionSpace, for credential: Credential, own: Credential?) {
        let key = Key(space: space, own: own)
        state.withLockedValue { state in
            guard state.passwords[key]?.credential == credential else { return }
            state.passwords.change(key) { $0.asksEachTime = true }
        }
    }

    /// How often each nonce of a server was answered.
    ///
    /// A server whose count was forgotten sees a nonce counted from 1 again, and sends a new nonce.
    func nonceCounts(of challenger: Challenger) -> NonceCounts {
        state.withLockedValue { state in
            let counts = state.nonceCounts[challenger] ?? NonceCounts()
            state.nonceCounts[challenger] = counts
            return counts
        }
    }

    /// How many entries there are of each kind, for tests.
    var counts: (spaces: Int, nonceCounts: Int) {
        state.withLockedValue { ($0.passwords.count, $0.nonceCounts.count) }
    }

    /// Forgets a credential that the server rejected, unless another has taken its place.
    func forget(_ credential: Credential, in space: ProtectionSpace, own: Credential? = nil) {
        let key = Key(space: space, own: own)
        state.withLockedValue { state in
            if state.passwords[key]?.credential == credential { state.passwords[key] = nil }
            if state.logins[key] == credential { state.logins[key] = nil }
            if state.identities[space] == credential { state.identities[space] = nil }
        }
    }

    /// The proxy's credential as it would be sent now: what a tunnel must have been opened with to be used again.
    func proxyCredential(_ challenger: Challenger, own: Credential?) -> Credential? {
        state.withLockedValue { state in
            state.passwords.first { key, _ in challenger.asks(in: key.space) && key.own == own }?.value.credential
                ?? state.logins[Key(space: challenger.socksSpace, own: own)]
        }
    }

    // MARK: Identities

    func identity(in space: ProtectionSpace) -> Credential? {
        state.withLockedValue { $0.identities[space] }
    }

    func remember(_ identity: Credential, in space: ProtectionSpace) {
        guard identity.persistence != .none else { return }
        state.withLockedValue { $0.identities[space] = identity }
    }

    // MARK: Accepted server trust

    func acceptedTrust(
        in space: ProtectionSpace, policy: TrustPolicy, chain: PresentedChain, failures: Set<String>
    ) -> Credential? {
        let key = AcceptedTrust(space: space, policy: policy, chain: chain, failures: failures)
        return state.withLockedValue { $0.trusts[key] }
    }

    func remember(_ trust: Credential, in space: ProtectionSpace, policy: TrustPolicy, failures: Set<String>) {
        guard trust.persistence != .none, case .serverTrust(let chain) = trust.kind else { return }
        let key = AcceptedTrust(space: space, policy: policy, chain: chain, failures: failures)
        state.withLockedValue { $0.trusts[key] = trust }
    }
}

extension CredentialMemory.State {
    /// The space that a target lies in, the deepest first.
    fileprivate func match(for challenger: Challenger, own: Credential?, target: String) -> CredentialMemory.Key? {
        guard !passwords.isEmpty else { return nil }
        var best: (key: CredentialMemory.Key, depth: Int)?
        passwords.forEach { key, accepted in
            guard challenger.asks(in: key.space), key.own == own,
                challenger.role == .proxy || accepted.scope.contains(target)
            else { return }
            if accepted.scope.depth > best?.depth ?? -1 { best = (key, accepted.scope.depth) }
        }
        return best?.key
    }

    /// Lets the space's authenticator make its next answer.
    fileprivate mutating func authorize(
        by key: CredentialMemory.Key, request: RequestFacts
    ) -> (accepted: CredentialMemory.Accepted, value: String?)? {
        var value: String?
        // An answer that may block is not made here, where other requests wait for the lock.
        if !key.space.method.isConnectionBound, passwords[key]?.authenticator.mayBlock == false {
            // Changed in its place: with a second reference to it, the whole authenticator would be copied.
            let made = passwords.change(key) { accepted in
                try? accepted.authenticator.authorization(with: accepted.credential, for: request)
            }
            value = made ?? nil
            guard value != nil else { return nil }
        }
        return passwords[key].map { ($0, value) }
    }
}

extension CredentialMemory.Key {
    /// Whether both keys are of one server, for the same request's own credential.
    fileprivate func isOfServer(of other: Self) -> Bool {
        space.host == other.space.host && space.port == other.space.port && space.scheme == other.space.scheme
            && space.role == other.space.role && own == other.own
    }
}

extension ChallengeHandlers {
    /// Answers proxies with what they have accepted from the session, without asking a handler.
    static func remembered(by memory: CredentialMemory, for proxies: [Proxy]) -> ChallengeHandlers {
        let handler = ClosureHandler { challenge in
            guard challenge.space.role == .proxy, challenge.failureCount == 0,
                let proxy = proxies.first(where: { Challenger(proxy: $0).asks(in: challenge.space) }),
                let credential = memory.credential(in: challenge.space, own: proxy.credential)
                    ?? memory.identity(in: challenge.space)
            else { return .performDefault }
            return .use(credential)
        }
        return [
            .basic: handler, .digest: handler, .socksPassword: handler, .clientCertificate: handler,
        ]
    }
}
