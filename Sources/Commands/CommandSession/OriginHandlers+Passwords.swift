// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSupport
package import Countersign
import ErrorExplanations
import NIOConcurrencyHelpers
import Secrets

/// Passwords: from the options, the netrc file, an earlier answer of this run, and last from the user at the terminal.
extension OriginHandlers {
    /// The maximum number of times that the user is asked for one password.
    private static let attempts = 3

    func password(_ challenge: Challenge) async throws -> Disposition {
        let login = login(for: challenge)
        for credential in try await known(for: challenge, login) where answers.isNew(credential, for: challenge) {
            return .use(credential)
        }
        guard let prompter else {
            note(challenge, login)
            return .performDefault
        }
        guard challenge.failureCount < Self.attempts else { return .performDefault }
        return await ask(prompter, challenge, user: login.user)
    }

    /// Answers with the current user's ticket, or with the password of a named user; only the URL's own origin receives a
    /// ticket.
    func ticket(_ challenge: Challenge) async throws -> Disposition {
        guard sendsTickets else { return try await password(challenge) }
        guard isNamed(challenge.space) else { return .rejectProtectionSpace }
        guard origin.user == nil else { return try await password(challenge) }
        guard !challenge.hasRejected(.currentUser()) else {
            missingCredentials.withLockedValue { $0.append("\(host):\(port) does not accept this user's ticket") }
            return .performDefault
        }
        return .use(.currentUser())
    }

    /// Returns the user and the password that the options and the URL give for the challenger.
    private func login(for challenge: Challenge) -> Login {
        if challenge.space.role == .proxy { return proxy }
        guard isNamed(challenge.space) else { return Login(user: nil, password: nil) }
        return Login(user: origin.user ?? challenge.proposedUser, password: origin.password)
    }

    /// Returns the credentials that need no question, the explicit one first.
    private func known(for challenge: Challenge, _ login: Login) async throws -> [Credential] {
        var credentials: [Credential] = []
        if let user = login.user, let password = login.password {
            credentials.append(.password(user: user, password: password))
        }
        if let netrc, case .use(let credential) = try await handler(of: netrc, login, challenge).answer(challenge) {
            credentials.append(credential)
        }
        if let credential = answers.typed(for: challenge.space, isForEntireOrigin: login.user != nil) {
            credentials.append(credential)
        }
        return credentials
    }

    /// Returns a netrc handler that answers over TLS at port 443, and elsewhere only at the URL that the user gave.
    private func handler(of netrc: NetrcFile, _ login: Login, _ challenge: Challenge) -> NetrcHandler {
        let isNamed = isNamed(challenge.space)
        return NetrcHandler(
            netrc, login: login.user, defaultHost: host, ports: isNamed ? .every : .standard,
            allowsPlainHTTP: isNamed && allowsNetrcOverPlainHTTP)
    }

    private func ask(_ prompter: any Prompter, _ challenge: Challenge, user: String?) async -> Disposition {
        let space = challenge.space
        let question = ChallengeQuestion.password(challenge) + "\n"
        var name = user
        if name == nil {
            name = await prompter.ask(question + "User: ", isSecret: false)
        }
        guard let name, !name.isEmpty else { return .cancel }
        let prompt = (user == nil ? "" : question) + "Password for \(name.printable): "
        guard let password = await prompter.ask(prompt, isSecret: true) else { return .cancel }
        let credential = Credential.password(
            user: name, password: Secret(password), persistence: remembers ? .permanent : .session)
        answers.noteTyped(credential, for: space, isForEntireOrigin: user != nil)
        _ = answers.isNew(credential, for: challenge)
        return .use(credential)
    }

    /// Records the reason for which an origin received no credential.
    package func note(_ event: SessionEvent) {
        guard case .methodsNotAllowed(let endpoint, let offered, let allowed) = event.kind else { return }
        let answerable = "may be answered by \(allowed) only (--methods or the policy)"
        let need =
            "\(endpoint) offers \(offered.map(\.description).joined(separator: ", ").printable), and \(answerable)"
        missingCredentials.withLockedValue { $0.append(need) }
    }

    private func note(_ challenge: Challenge, _ login: Login) {
        let space = challenge.space
        let challenger = (space.role == .proxy ? "the proxy " : "") + "\(space.host):\(space.port)"
        let flags = space.role == .proxy ? "--proxy-user, --proxy-password-file" : "--user, --password-file"
        let subject = space.realm.map { " for \"\($0.printable)\"" } ?? ""
        let isWithheld = space.role == .origin && origin.password != nil && !isNamed(space)
        let need =
            challenge.failureCount > 0
            ? "\(challenger) rejected the user and password\(subject)"
            : "\(challenger) wants a user and password\(subject)"
                + (isWithheld
                    ? ", and \(withholdingReason("the login")) (\(Self.sending))"
                    : " (\(flags))\(netrcRule(for: space, login))")
        missingCredentials.withLockedValue { $0.append(need) }
    }

    /// Returns the reason for which the netrc entry of a host was not used; empty if the host has no entry.
    private func netrcRule(for space: ProtectionSpace, _ login: Login) -> String {
        let hasEntry =
            space.role == .origin
            && netrc?.credential(for: space.host, login: login.user, usesDefault: space.host == host) != nil
        guard hasEntry else { return "" }
        switch (space.isEncrypted, isNamed(space)) {
        case (true, _): return "; the netrc entry of \(space.host) is for port 443, or for the port of the URL"
        case (false, true):
            return "; the netrc entry of \(space.host) is for https unless --allow-netrc-over-plain-http is given"
        case (false, false): return "; the netrc entry of \(space.host) is for https"
        }
    }
}

/// The passwords of one run: a typed password is not asked for again, and a rejected one is not sent again.
///
/// The session stores a password only after a server has accepted it, but a redirect or a retry may come before that.
final class PasswordAnswers: Sendable {
    /// The protection space of a typed password.
    private struct Place: Hashable {
        let host: String
        let port: Int
        let scheme: String
        let role: ProtectionSpace.Role
        /// The realm; `nil` for all realms of the origin.
        let realm: [UInt8]?
        /// The method; `nil` for all methods, if the connection is encrypted.
        ///
        /// Without TLS, a password that was typed for Digest must not be sent in cleartext by Basic without a question.
        let method: AuthenticationMethod?

        init(_ space: ProtectionSpace, isForEntireOrigin: Bool) {
            (host, port, scheme, role) = (space.host.description, space.port, space.scheme, space.role)
            realm = isForEntireOrigin ? nil : Array((space.realm ?? "").utf8)
            method = isForEntireOrigin && space.isEncrypted ? nil : space.method
        }
    }

    private struct State {
        var typed: [Place: Credential] = [:]
        /// The credentials that were sent since a request's first challenge, for each protection space.
        var given: [ProtectionSpace: [Credential]] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// Returns the credential that the user typed earlier for a space, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - space: The protection space of the current challenge.
    ///   - isForEntireOrigin: Whether the user was named beforehand, so that the password is for all realms of the
    ///     origin.
    /// - Returns: The typed credential.
    func typed(for space: ProtectionSpace, isForEntireOrigin: Bool) -> Credential? {
        let place = Place(space, isForEntireOrigin: isForEntireOrigin)
        return state.withLockedValue { $0.typed[place] }
    }

    func noteTyped(_ credential: Credential, for space: ProtectionSpace, isForEntireOrigin: Bool) {
        let place = Place(space, isForEntireOrigin: isForEntireOrigin)
        state.withLockedValue { $0.typed[place] = credential }
    }

    /// Records that a credential is sent, unless it was sent before or the server has rejected it.
    ///
    /// - Returns: Whether the credential was recorded.
    func isNew(_ credential: Credential, for challenge: Challenge) -> Bool {
        state.withLockedValue { state in
            if challenge.failureCount == 0 { state.given[challenge.space] = nil }
            let isKnown = state.given[challenge.space]?.contains { $0.kind == credential.kind } ?? false
            guard !isKnown, !challenge.hasRejected(credential) else { return false }
            state.given[challenge.space, default: []].append(credential)
            return true
        }
    }
}
