// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import EssentialFoundation
import Identities
import Keychains
import NIOConcurrencyHelpers
import Secrets

/// The challenge handlers, which ask the user on the page of the running fetch.
struct WebHandlers: Sendable {
    /// The state on which the answers depend, at the time of the challenge.
    struct Circumstances: Sendable {
        let job: FetchJob
        let settings: WebSettings
        /// The identity that is presented without a question to the host of the fetch's URL.
        let identity: Identity?
    }

    /// The maximum number of questions for one password or one token.
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
        // Without TLS, anyone on the network path could read the token and use it (RFC 6750 section 5.3).
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
        var problem: String?
        while true {
            let matching = await storedIdentities(for: request, from: challenge.space.host)
            let question = IdentityQuestion(
                text: text, offers: matching.map(\.offer), isLocked: await isKeychainLocked, problem: problem)
            switch await current.job.ask(.identity(question)) {
            case .identity(let identity): return .use(.identity(identity, persistence: persistence))
            case .storedIdentity(let id):
                // The keychain may have been locked since the identity was offered.
                let open = await storedIdentities(for: request, from: challenge.space.host)
                guard let one = open.first(where: { $0.offer.id == id }) else { continue }
                return .use(.identity(one.identity, persistence: persistence))
            case .unreadableIdentity(let reason): problem = reason
            case .keychainUnlocked: problem = nil
            case .accepted, .declined, .login, .token, .unlock: return .performDefault
            }
        }
    }

    /// Returns the keychain's identities for a host; empty if it cannot be read, so that the user can choose a file.
    private func storedIdentities(
        for request: ClientCertificateRequest, from host: HostName
    ) async -> [(offer: IdentityQuestion.Offer, identity: Identity)] {
        let now = Date()
        let all = (try? await keychain.identities(at: now)) ?? []
        let matching = all.filter { one in one.hosts.isEmpty || one.hosts.contains { (try? HostName($0)) == host } }
        let fit = matching.filter { $0.isFit(for: request, from: host, at: now) }
        let others = matching.filter { one in !fit.contains { $0.id == one.id } }
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
            current.job.recordAccepted(chain, from: challenge.space)
        }
        // The question concerns this connection only, regardless of the settings for other credentials.
        return .use(.serverTrust(chain, persistence: .none))
    }
}

extension Challenge {
    /// The user in the URL, or the one whose password was rejected last.
    fileprivate var userToPropose: String? {
        if let proposedUser { return proposedUser }
        guard failureCount > 0, case .password(let user, _) = proposedCredential?.kind else { return nil }
        return user
    }
}

extension FetchJob {
    /// Returns whether a space belongs to the origin that the user named.
    fileprivate func isFor(_ space: ProtectionSpace) -> Bool {
        guard space.role == .origin, let endpoint = try? HostEndpoint(of: url) else { return false }
        return endpoint.host == space.host && endpoint.port == space.port
    }
}

/// The question of which identity to present to a server.
struct IdentityQuestion: Sendable {
    /// An identity of the keychain.
    struct Offer: Sendable {
        let id: Int64
        let title: String
        let text: String
        let isChosen: Bool
    }

    let text: String
    /// The offered identities; those that the server can accept come first.
    let offers: [Offer]
    /// Whether there is a locked keychain.
    let isLocked: Bool
    /// The reason why the identity that was last chosen could not be read.
    let problem: String?
}

/// The question for the PIN or the passphrase of the keychain, whose trust settings apply to a fetch.
struct UnlockQuestion: Sendable {
    let hasPIN: Bool
    /// The reason why the last answer did not unlock the keychain.
    let problem: String?
}

/// A question of a fetch to the user.
struct Question: Sendable {
    enum Kind: Sendable {
        case trust(ChallengeQuestion.Trust)
        /// The question for a user and a password. Holds its text and the proposed user.
        case password(String, user: String?)
        case token(String)
        case identity(IdentityQuestion)
        case unlock(UnlockQuestion)
    }

    enum Answer: Sendable {
        case declined
        case accepted
        case login(user: String, password: Secret)
        case token(Secret)
        case identity(Identity)
        /// The identity of the keychain item with this number.
        case storedIdentity(Int64)
        case unlock(UnlockMethod)
        /// The keychain was unlocked in the meantime.
        case keychainUnlocked
        /// The uploaded file is not a readable identity. Holds the reason.
        case unreadableIdentity(String)
    }

    /// The number of the question within its fetch, which identifies the answer.
    let number: Int
    let kind: Kind
}
