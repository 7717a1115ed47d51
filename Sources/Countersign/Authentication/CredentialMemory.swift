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

    /// What a request's own credential brought is used by requests with an equal one alone.
    fileprivate struct Key: Hashable {
        let space: ProtectionSpace
        let own: Credential?
    }

    fileprivate struct State {
        var passwords: [Key: Accepted] = [:]
        /// What proxies of SOCKS accepted, which needs no authenticator.
        var logins: [Key: Credential] = [:]
        var nonceCounts: [Asker: NonceCounts] = [:]
        var identities: [ProtectionSpace: Credential] = [:]
        var trusts: [AcceptedTrust: Credential] = [:]
    }

    /// A program that speaks for many users may give every request another credential; they are not all kept.
    private static let ownLimit = 256

    private let state = NIOLockedValueBox(State())

    // MARK: Passwords

    /// What to answer before it is asked for: the remembered space that the target lies in, the deepest first.
    ///
    /// - Returns: No value where every connection needs an exchange of its own, or the answer may take long.
    func preemptive(
        for asker: Asker, own: Credential?, request: RequestFacts
    ) -> (accepted: Accepted, value: String?)? {
        state.withLockedValue { state -> (accepted: Accepted, value: String?)? in
            state.match(for: asker, own: own, target: request.target).flatMap {
                state.authorize(by: $0, request: request)
            }
        }
    }

    /// What would be sent for a target before it is asked for.
    func match(for asker: Asker, own: Credential?, target: String) -> Accepted? {
        state.withLockedValue { state in
            state.match(for: asker, own: own, target: target).flatMap { state.passwords[$0] }
        }
    }

    func credential(in space: ProtectionSpace, own: Credential?) -> Credential? {
        let key = Key(space: space, own: own)
        return state.withLockedValue { $0.passwords[key]?.credential ?? $0.logins[key] }
    }

    func remember(_ accepted: Accepted) {
        guard accepted.credential.persistence != .none else { return }
        state.withLockedValue { state in
            if accepted.own != nil { state.makeRoom(limit: Self.ownLimit) }
            state.passwords[Key(space: accepted.space, own: accepted.own)] = accepted
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
            state.passwords[key]?.authenticator = authenticator
        }
    }

    /// Remembers that authenticated connections do not spare requests an answer.
    func noteThatEachRequestIsAsked(in space: ProtectionSpace, for credential: Credential, own: Credential?) {
        let key = Key(space: space, own: own)
        state.withLockedValue { state in
            guard state.passwords[key]?.credential == credential else { return }
            state.passwords[key]?.asksEachTime = true
        }
    }

    /// How often each nonce of a server was answered.
    func nonceCounts(of asker: Asker) -> NonceCounts {
        state.withLockedValue { state in
            let counts = state.nonceCounts[asker] ?? NonceCounts()
            state.nonceCounts[asker] = counts
            return counts
        }
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
    func proxyCredential(_ asker: Asker, own: Credential?) -> Credential? {
        state.withLockedValue { state in
            state.passwords.first { asker.asks(in: $0.key.space) && $0.key.own == own }?.value.credential
                ?? state.logins[Key(space: asker.socksSpace, own: own)]
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
    fileprivate func match(for asker: Asker, own: Credential?, target: String) -> CredentialMemory.Key? {
        guard !passwords.isEmpty else { return nil }
        var best: (key: CredentialMemory.Key, depth: Int)?
        for (key, accepted) in passwords where asker.asks(in: key.space) && key.own == own {
            guard asker.role == .proxy || accepted.scope.contains(target) else { continue }
            if accepted.scope.depth > best?.depth ?? -1 { best = (key, accepted.scope.depth) }
        }
        return best?.key
    }

    /// Lets the space's authenticator make its next answer.
    fileprivate mutating func authorize(
        by key: CredentialMemory.Key, request: RequestFacts
    ) -> (accepted: CredentialMemory.Accepted, value: String?)? {
        guard let credential = passwords[key]?.credential, let mayBlock = passwords[key]?.authenticator.mayBlock
        else { return nil }
        var value: String?
        // What may block is not done here, where others wait.
        if !key.space.method.isConnectionBound, !mayBlock {
            // In its place: a copy would be changed, and the whole authenticator copied with it.
            value = try? passwords[key]?.authenticator.authorization(with: credential, for: request)
            guard value != nil else { return nil }
        }
        return passwords[key].map { ($0, value) }
    }

    fileprivate mutating func makeRoom(limit: Int) {
        guard passwords.keys.count(where: { $0.own != nil }) >= limit else { return }
        passwords = passwords.filter { $0.key.own == nil }
    }
}
