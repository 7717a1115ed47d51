// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Countersign
import Identities
import NIOConcurrencyHelpers
import Secrets

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers challenges from flags, and from the person at the terminal where the flags say nothing.
struct PersonalHandlers: Sendable {
    /// A user, and where to find the password.
    struct Login: Sendable {
        let user: String?
        let password: Secret?
    }

    /// How often a person is asked for one password.
    private static let attempts = 3

    /// The origin of the URL that the user named: the only one that the flags speak of.
    let host: HostName
    let port: Int
    let usesTLS: Bool
    let origin: Login
    let proxy: Login
    let token: Secret?
    let netrc: NetrcFile?
    let identity: Identity?
    /// Whether the origin is answered with tickets of Kerberos where it takes them.
    var showsTickets = false
    let prompter: (any Prompter)?
    /// What was needed and not there, for the error.
    let needs = NIOLockedValueBox<[String]>([])

    var handlers: ChallengeHandlers {
        var handlers: ChallengeHandlers = [
            .basic: .closure(password), .digest: .closure(password), .scramSHA256: .closure(password),
            .ntlm: .closure(password), .socksPassword: .closure(password), .bearer: .closure(bearer),
            .clientCertificate: .closure(clientCertificate), .serverTrust: .closure(serverTrust),
        ]
        if showsTickets { handlers[.negotiate] = .closure(ticket) }
        return handlers
    }

    /// What flags alone say that the origin is to be given.
    var explicitCredential: Credential? {
        if let token { return .token(token) }
        guard let user = origin.user, let password = origin.password else { return nil }
        return .password(user: user, password: password)
    }

    func isNamed(_ space: ProtectionSpace) -> Bool {
        space.role == .origin && space.host == host && space.port == port && space.isEncrypted == usesTLS
    }

    // MARK: Tokens

    private func bearer(_ challenge: Challenge) async throws -> Disposition {
        guard let token else {
            needs.withLockedValue {
                $0.append("\(challenge.space.host):\(challenge.space.port) wants a token (--bearer-file)")
            }
            return .rejectProtectionSpace
        }
        let handler = BearerHandler(host: host.description, port: port, scheme: usesTLS ? "https" : "http") { demand in
            demand.invalidToken == nil ? token : nil
        }
        let answer = try await handler.answer(challenge)
        if challenge.failureCount > 0 {
            needs.withLockedValue { $0.append("\(host):\(port) rejected the token") }
        }
        return answer
    }

    // MARK: Passwords

    private func password(_ challenge: Challenge) async throws -> Disposition {
        let space = challenge.space
        let login = space.role == .proxy ? proxy : isNamed(space) ? origin : Login(user: nil, password: nil)
        let named = isNamed(space) ? login.user ?? challenge.proposedUser : login.user
        if let user = named, let password = login.password {
            let credential = Credential.password(user: user, password: password)
            if !challenge.hasRejected(credential) { return .use(credential) }
        }
        if let netrc, case .use(let credential) = try await handler(of: netrc, named).answer(challenge) {
            return .use(credential)
        }
        guard let prompter else {
            note(challenge, login)
            return .performDefault
        }
        guard challenge.failureCount < Self.attempts else { return .performDefault }
        return await ask(prompter, challenge, user: named)
    }

    /// Without TLS only where the URL that the user gave is without it too.
    private func handler(of netrc: NetrcFile, _ login: String?) -> NetrcHandler {
        NetrcHandler(netrc, login: login, defaultHost: host, allowsPlainHTTP: !usesTLS)
    }

    /// The tickets of whoever runs this, unless another user was named; no other server's challenge is answered like that.
    private func ticket(_ challenge: Challenge) async throws -> Disposition {
        guard isNamed(challenge.space) else { return .rejectProtectionSpace }
        guard origin.user == nil else { return try await password(challenge) }
        guard !challenge.hasRejected(.currentUser()) else {
            needs.withLockedValue { $0.append("\(host):\(port) does not let this user's ticket in") }
            return .performDefault
        }
        return .use(.currentUser())
    }

    private func ask(_ prompter: any Prompter, _ challenge: Challenge, user: String?) async -> Disposition {
        let space = challenge.space
        let asker = (space.role == .proxy ? "The proxy " : "") + "\(space.host):\(space.port)"
        let encryption = space.isEncrypted ? "encrypted" : "NOT encrypted: others can read along"
        let count = challenge.failureCount
        let retry = count == 0 ? "" : "\nIt rejected the last \(count == 1 ? "answer" : "\(count) answers")."
        let subject = space.realm.map { " for \"\($0.printable)\"" } ?? ""
        let question = """
            \(asker) asks for a user and a password\(subject) (\(space.method); \
            the connection is \(encryption)).\(retry)

            """
        var name = user
        if name == nil {
            name = await prompter.ask(question + "User: ", isSecret: false)
        }
        guard let name, !name.isEmpty else { return .cancel }
        let prompt = (user == nil ? "" : question) + "Password for \(name.printable): "
        guard let password = await prompter.ask(prompt, isSecret: true) else { return .cancel }
        return .use(.password(user: name, password: Secret(password)))
    }

    private func note(_ challenge: Challenge, _ login: Login) {
        let space = challenge.space
        let asker = (space.role == .proxy ? "the proxy " : "") + "\(space.host):\(space.port)"
        let flags = space.role == .proxy ? "--proxy-user, --proxy-password-file" : "--user, --password-file"
        let subject = space.realm.map { " for \"\($0.printable)\"" } ?? ""
        let need =
            challenge.failureCount > 0
            ? "\(asker) rejected the user and password\(subject)"
            : "\(asker) wants a user and password\(subject) (\(flags))"
        needs.withLockedValue { $0.append(need) }
    }

    // MARK: Client identity

    private func clientCertificate(_ challenge: Challenge) async -> Disposition {
        if let identity, isNamed(challenge.space) { return .use(.identity(identity)) }
        guard let prompter else { return .performDefault }
        guard case .clientCertificateRequest(let request) = challenge.statement else { return .performDefault }
        let space = challenge.space
        let issuers = request.issuerWords.map { " \($0)" } ?? ""
        let question =
            "\(space.host):\(space.port) asks for a client certificate\(issuers). File (PEM or PKCS#12; empty for none): "
        while let path = await prompter.ask(question, isSecret: false), !path.isEmpty {
            do {
                return .use(.identity(try await IdentityFile.read(path, prompter: prompter)))
            } catch {
                _ = await prompter.ask("\(Failure(error).message) Press return to go on. ", isSecret: false)
            }
        }
        return .performDefault
    }

    // MARK: Server trust

    private func serverTrust(_ challenge: Challenge) async -> Disposition {
        guard let prompter, case .serverTrust(let chain, let verdict) = challenge.statement, verdict.isRecoverable
        else { return .performDefault }
        let leaf = CertificateSummary(chain.leaf)
        let question = """
            \(verdict.explanation)

            \(CertificateText.lines(leaf).joined(separator: "\n"))

            Go on all the same, this once?
            """
        return await prompter.confirm(question) ? .use(.serverTrust(chain)) : .performDefault
    }
}
