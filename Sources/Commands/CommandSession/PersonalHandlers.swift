// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import Challenges
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import Identities
import KeychainService
import NIOConcurrencyHelpers
import Secrets

/// Answers challenges from flags, and from the person at the terminal where the flags say nothing.
package struct PersonalHandlers: Sendable {
    /// A user and a password, as far as they are known.
    package struct Login: Sendable {
        let user: String?
        let password: Secret?
    }

    /// The origin of the URL that the user named: the only one that the flags speak of.
    let host: HostName
    let port: Int
    let usesTLS: Bool
    let origin: Login
    let proxy: Login
    let token: Secret?
    let netrc: NetrcFile?
    /// Whether the netrc entry of the URL's host is sent to the URL's origin without TLS.
    var allowsNetrcOverPlainHTTP = false
    let identity: Identity?
    /// Whose identities answer where none was named.
    var keychain: KeychainClient?
    /// Whether the keychain keeps a password that was typed, once it is accepted.
    var remembers = false
    /// Whether the origin is answered with Kerberos tickets where it takes them.
    var showsTickets = false
    let prompter: (any Prompter)?
    /// What a server asked for and did not get, for the error.
    let needs = NIOLockedValueBox<[String]>([])
    let answers = PasswordAnswers()

    var handlers: ChallengeHandlers {
        var handlers = ChallengeHandlers(password: .closure(password), token: .closure(bearer))
        handlers[.clientCertificate] = .closure(clientCertificate)
        handlers[.serverTrust] = .closure(serverTrust)
        if showsTickets { handlers[.negotiate] = .closure(ticket) }
        return handlers
    }

    /// What flags alone say that the origin is to be given.
    package var explicitCredential: Credential? {
        if let token { return .token(token) }
        guard let user = origin.user, let password = origin.password else { return nil }
        return .password(user: user, password: password)
    }

    /// Whether a space belongs to the origin of the URL that the user gave.
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
        guard isNamed(challenge.space) else {
            needs.withLockedValue {
                $0.append(
                    "\(challenge.space.host):\(challenge.space.port) wants a token, and \(withheld("the token")) (\(Self.sending))"
                )
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

    /// Says why a credential was not sent to an origin that a redirect leads to.
    func withheld(_ credential: String) -> String { "\(credential) that was given is for \(host):\(port) alone" }

    /// The option that sends passwords and tokens there.
    static let sending = "--send-credentials-across-redirects"

    // MARK: Client identity

    private func clientCertificate(_ challenge: Challenge) async throws -> Disposition {
        if let identity, isNamed(challenge.space) { return .use(.identity(identity)) }
        if let kept = try await keptIdentity(for: challenge) { return .use(.identity(kept)) }
        if identity != nil, challenge.space.role == .origin {
            needs.withLockedValue {
                $0.append(
                    "\(challenge.space.host):\(challenge.space.port) wants a client certificate, and \(withheld("the identity"))"
                )
            }
        }
        guard let prompter else { return .performDefault }
        guard case .clientCertificateRequest(let request) = challenge.statement else { return .performDefault }
        let question =
            ChallengeQuestion.identity(request, from: challenge.space) + " File (PEM or PKCS#12; empty for none): "
        while let path = await prompter.ask(question, isSecret: false), !path.isEmpty {
            do {
                return .use(.identity(try await IdentityFile.read(path, prompter: prompter)))
            } catch {
                _ = await prompter.ask("\(Failure(error).message) Press return to go on. ", isSecret: false)
            }
        }
        return .performDefault
    }

    /// The keychain's identity for the server; one that is for every host is shown to the host of the URL alone.
    private func keptIdentity(for challenge: Challenge) async throws -> Identity? {
        guard let keychain, case .clientCertificateRequest(let request) = challenge.statement else { return nil }
        let isNamed = isNamed(challenge.space)
        let candidates = try await keychain.identities.filter { isNamed || $0.host != nil }
        return IdentityChoice(candidates).identity(for: request, from: challenge.space.host, at: Date())
    }

    // MARK: Server trust

    private func serverTrust(_ challenge: Challenge) async -> Disposition {
        guard let prompter, case .serverTrust(let chain, _) = challenge.statement,
            let trust = ChallengeQuestion.Trust(challenge)
        else { return .performDefault }
        let question = "\(trust.finding)\n\n\(trust.certificate.joined(separator: "\n"))\n\n\(trust.risk)"
        return await prompter.confirm(question) ? .use(.serverTrust(chain)) : .performDefault
    }
}

extension PersonalHandlers {
    /// Whether a URL of the command line leads to this origin.
    package func isOrigin(of url: String) -> Bool {
        guard let endpoint = try? Endpoint(of: url) else { return false }
        return endpoint.host == host && endpoint.port == port && url.lowercased().hasPrefix("https:") == usesTLS
    }

    /// The last thing that was needed and not there, for the error.
    package var lastNeed: String? { needs.withLockedValue { $0.last } }

    /// Off a terminal, what was needed tells more than the refusal alone.
    ///
    /// - Parameter error: Why a request failed.
    /// - Returns: The same error, or one that names what was needed.
    package func explaining(_ error: any Error) -> any Error {
        let failure = Failure(error)
        guard failure.status == .notAuthenticated, let need = lastNeed else { return error }
        return CommandFailure(failure: failure.saying(need.prefix(1).uppercased() + need.dropFirst() + "."))
    }

    /// Answers the challenges of each named origin by its own handlers, and all others by the first one's.
    ///
    /// - Parameter people: One for each origin on the command line.
    /// - Returns: A handler for each method that the first one answers.
    package static func handlers(of people: [PersonalHandlers]) -> ChallengeHandlers {
        guard people.count > 1, let first = people.first else { return people.first?.handlers ?? [:] }
        var handlers: ChallengeHandlers = [:]
        for method in Self.methods where first.handlers[method] != nil {
            handlers[method] = .closure { challenge in
                let person = people.first { $0.isNamed(challenge.space) } ?? first
                return try await person.handlers[method]?.answer(challenge) ?? .performDefault
            }
        }
        return handlers
    }

    private static let methods = MethodList.names + [.clientCertificate, .serverTrust]
}
