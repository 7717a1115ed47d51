// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import Identities
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers challenges by asking the person at the page of the fetch that runs.
struct WebHandlers: Sendable {
    /// What the answers depend on, as it is when the challenge comes.
    struct Circumstances: Sendable {
        let job: FetchJob
        let settings: WebSettings
        /// What is presented without a question to the host of the fetch's URL.
        let identity: Identity?
    }

    /// How often a person is asked for one password, or one token.
    private static let attempts = 3

    let circumstances: NIOLockedValueBox<Circumstances?>
    let keychain: WebKeychain

    var handlers: ChallengeHandlers {
        var handlers = ChallengeHandlers(password: .closure(password), token: .closure(token))
        handlers[.clientCertificate] = .closure(identity)
        handlers[.serverTrust] = .closure(trust)
        return handlers
    }

    private var current: Circumstances? { circumstances.withLockedValue { $0 } }

    private func password(_ challenge: Challenge) async -> Disposition {
        guard let current, challenge.failureCount < Self.attempts else { return .performDefault }
        let question = ChallengeQuestion.password(challenge)
        let answer = await current.job.ask(.password(question, user: challenge.userToPropose))
        guard case .login(let user, let password) = answer else { return .cancel }
        return .use(.password(user: user, password: password, persistence: current.settings.credentialPersistence))
    }

    private func token(_ challenge: Challenge) async -> Disposition {
        // Without TLS, anyone on the way could read the token and use it (RFC 6750 section 5.3).
        guard let current, challenge.space.isEncrypted else { return .rejectProtectionSpace }
        guard challenge.failureCount < Self.attempts else { return .performDefault }
        guard case .token(let token) = await current.job.ask(.token(ChallengeQuestion.token(challenge))) else {
            return .rejectProtectionSpace
        }
        return .use(.token(token, persistence: current.settings.credentialPersistence))
    }

    private func identity(_ challenge: Challenge) async -> Disposition {
        guard let current, case .clientCertificateRequest(let request) = challenge.statement else {
            return .performDefault
        }
        let persistence = current.settings.credentialPersistence
        if let identity = current.identity, current.job.isFor(challenge.space) {
            return .use(.identity(identity, persistence: persistence))
        }
        let text = ChallengeQuestion.identity(request, from: challenge.space)
        var flaw: String?
        while true {
            let kept = await keptIdentities(for: request, from: challenge.space.host)
            let question = IdentityQuestion(
                text: text, offers: kept.map(\.offer), isLocked: await isKeychainLocked, flaw: flaw)
            switch await current.job.ask(.identity(question)) {
            case .identity(let identity): return .use(.identity(identity, persistence: persistence))
            case .keptIdentity(let id):
                // The keychain may have been locked since it was offered.
                let open = await keptIdentities(for: request, from: challenge.space.host)
                guard let one = open.first(where: { $0.offer.id == id }) else { continue }
                return .use(.identity(one.identity, persistence: persistence))
            case .unreadableIdentity(let reason): flaw = reason
            case .lookAgain: flaw = nil
            case .accepted, .declined, .login, .token, .unlock: return .performDefault
            }
        }
    }

    /// What the keychain has for a host; none where it cannot be read, so that a file can be chosen.
    private func keptIdentities(
        for request: CertificateRequest, from host: HostName
    ) async -> [(offer: IdentityQuestion.Offer, identity: Identity)] {
        let now = Date()
        let all = (try? await keychain.identities(at: now)) ?? []
        let kept = all.filter { one in one.hosts.isEmpty || one.hosts.contains { (try? HostName($0)) == host } }
        let fit = kept.filter { $0.isFit(for: request, from: host, at: now) }
        let others = kept.filter { one in !fit.contains { $0.id == one.id } }
        return (fit + others).map { one in
            let offer = IdentityQuestion.Offer(
                id: one.id, title: one.title, text: one.text, isChosen: one.id == fit.first?.id)
            return (offer, one.identity)
        }
    }

    private var isKeychainLocked: Bool {
        get async { if case .locked = try? await keychain.state { true } else { false } }
    }

    private func trust(_ challenge: Challenge) async -> Disposition {
        guard let current, case .serverTrust(let chain, _) = challenge.statement,
            let question = ChallengeQuestion.Trust(challenge)
        else { return .performDefault }
        if !current.job.hasAccepted(chain, from: challenge.space) {
            guard case .accepted = await current.job.ask(.trust(question)) else { return .performDefault }
            current.job.noteAccepted(chain, from: challenge.space)
        }
        // The question is about this once, whatever the settings say of other credentials.
        return .use(.serverTrust(chain, persistence: .none))
    }
}

extension Challenge {
    /// Whom the URL names, or whose password was rejected last.
    fileprivate var userToPropose: String? {
        if let proposedUser { return proposedUser }
        guard failureCount > 0, case .password(let user, _) = proposedCredential?.kind else { return nil }
        return user
    }
}

extension FetchJob {
    /// Whether a space is of the origin that the user named.
    fileprivate func isFor(_ space: ProtectionSpace) -> Bool {
        guard space.role == .origin, let endpoint = try? Endpoint(of: url) else { return false }
        return endpoint.host == space.host && endpoint.port == space.port
    }
}
