// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import NIOConcurrencyHelpers

/// The credentials that a session remembers, by the scope in which each is valid.
final class CredentialMemory: Sendable {
    /// A credential that a server accepted, and the state of the scheme that carries it.
    struct Accepted: Sendable {
        let space: ProtectionSpace
        /// The request's own credential, if it had one.
        let own: Credential?
        let credential: Credential
        /// The authenticator; for a scheme that authenticates connections, in its initial state.
        var authenticator: any HTTPAuthenticator
        var scope: SpaceScope
        /// Whether the server challenges each request even on an authenticated connection.
        var challengesEachRequest = false
    }

    fileprivate struct AcceptedTrust: Hashable {
        let space: ProtectionSpace
        let policy: TrustPolicy
        let chain: PresentedChain
        /// The codes of the accepted failures.
        ///
        /// Accepting one failure does not accept another.
        let failures: Set<String>
    }

    /// The limits on what a session remembers.
    ///
    /// Above a limit, the oldest entry is discarded; the session asks for that credential again.
    enum Limit {
        /// The maximum number of accepted protection spaces of one origin or proxy, counted separately for each
        /// request's own credential and for requests without one.
        static let spacesPerServer = 32
        /// The maximum number of accepted protection spaces of all servers.
        ///
        /// A program that acts for many users may give each request a different credential.
        static let spaces = 1_024
        /// The maximum number of servers whose nonces are counted.
        ///
        /// Each count has a limit too, `NonceCounts.limit`.
        static let nonceCounts = 256
        /// The maximum number each of accepted identities, accepted chains, and SOCKS proxy logins.
        static let others = 1_024
    }

    /// The key of an entry.
    ///
    /// An entry made with a request's own credential serves only requests with an equal one.
    fileprivate struct Key: Hashable {
        let space: ProtectionSpace
        let own: Credential?
    }

    fileprivate struct State {
        var passwords = RecentEntries<Key, Accepted>(limit: Limit.spaces)
        /// The logins that SOCKS proxies accepted, which need no authenticator.
        var logins = RecentEntries<Key, Credential>(limit: Limit.others)
        var nonceCounts = RecentEntries<Challenger, NonceCounts>(limit: Limit.nonceCounts)
        var identities = RecentEntries<ProtectionSpace, Credential>(limit: Limit.others)
        var trusts = RecentEntries<AcceptedTrust, Credential>(limit: Limit.others)
    }

    private let state = NIOLockedValueBox(State())

    // MARK: Passwords

    /// Returns the preemptive answer for a request, from the remembered protection space with the deepest path that
    /// contains the target.
    ///
    /// - Returns: The value is `nil` if every connection needs a separate exchange, or if computing the answer may
    ///   block.
    func preemptive(
        for challenger: Challenger, own: Credential?, request: RequestFacts
    ) -> (accepted: Accepted, value: String?)? {
        state.withLockedValue { state -> (accepted: Accepted, value: String?)? in
            state.match(for: challenger, own: own, target: request.target).flatMap {
                state.authorize(by: $0, request: request)
            }
        }
    }

    /// Returns the acceptance that a preemptive answer for a target would use.
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
            state.passwords.keep(Limit.spacesPerServer) { $0.hasSameServer(of: key) }
        }
    }

    func remember(login: Credential, in space: ProtectionSpace, own: Credential?) {
        guard login.persistence != .none else { return }
        state.withLockedValue { $0.logins[Key(space: space, own: own)] = login }
    }

    /// Stores the scheme's state after a response, unless the memory now holds another credential for the space.
    func update(
        _ authenticator: any HTTPAuthenticator, for credential: Credential, in space: ProtectionSpace, own: Credential?
    ) {
        let key = Key(space: space, own: own)
        state.withLockedValue { state in
            guard state.passwords[key]?.credential == credential else { return }
            state.passwords.change(key) { $0.authenticator = authenticator }
        }
    }

    /// Records that the server challenges each request even on an authenticated connection.
    func noteChallengesEachRequest(in space: ProtectionSpace, for credential: Credential, own: Credential?) {
        let key = Key(space: space, own: own)
        state.withLockedValue { state in
            guard state.passwords[key]?.credential == credential else { return }
            state.passwords.change(key) { $0.challengesEachRequest = true }
        }
    }

    /// Returns the number of answers for each nonce of a server.
    ///
    /// If a server's counts were discarded, counting its nonces restarts at 1, and the server sends a new nonce.
    func nonceCounts(of challenger: Challenger) -> NonceCounts {
        state.withLockedValue { state in
            let counts = state.nonceCounts[challenger] ?? NonceCounts()
            state.nonceCounts[challenger] = counts
            return counts
        }
    }

    /// The number of entries of each kind, for tests.
    var counts: (spaces: Int, nonceCounts: Int) {
        state.withLockedValue { ($0.passwords.count, $0.nonceCounts.count) }
    }

    /// Forgets a credential that the server rejected, unless another has replaced it.
    func forget(_ credential: Credential, in space: ProtectionSpace, own: Credential? = nil) {
        let key = Key(space: space, own: own)
        state.withLockedValue { state in
            if state.passwords[key]?.credential == credential { state.passwords[key] = nil }
            if state.logins[key] == credential { state.logins[key] = nil }
            if state.identities[space] == credential { state.identities[space] = nil }
        }
    }

    /// Returns the proxy credential that would be sent now; a tunnel may be reused only if it was opened with this
    /// credential.
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
    /// Returns the key of the protection space that contains a target; if several do, the one with the deepest path.
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

    /// Computes the next answer with the authenticator of the protection space.
    fileprivate mutating func authorize(
        by key: CredentialMemory.Key, request: RequestFacts
    ) -> (accepted: CredentialMemory.Accepted, value: String?)? {
        var value: String?
        // An answer that may block is not computed here, because other requests wait for the lock.
        if !key.space.method.isConnectionBound, passwords[key]?.authenticator.mayBlock == false {
            // Changed in place: a second reference would cause a copy of the authenticator.
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
    /// Returns whether both keys belong to the same server and the same own credential.
    fileprivate func hasSameServer(of other: Self) -> Bool {
        space.host == other.space.host && space.port == other.space.port && space.scheme == other.space.scheme
            && space.role == other.space.role && own == other.own
    }
}

extension ChallengeHandlers {
    /// Answers proxies with the credentials that they accepted from the session, without asking a handler.
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
