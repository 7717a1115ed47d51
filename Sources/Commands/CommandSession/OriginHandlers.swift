// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import Challenges
import CommandSupport
package import Countersign
import ErrorExplanations
import EssentialFoundation
import Identities
import KeychainService
import NIOConcurrencyHelpers
import Secrets

/// Answers challenges from the options, or else by asking the user at the terminal.
package struct OriginHandlers: Sendable {
    /// A user and a password, if they are known.
    package struct Login: Sendable {
        let user: String?
        let password: Secret?
    }

    /// The host of the URL that the user gave; the options apply to its origin only.
    let host: HostName
    let port: Int
    let usesTLS: Bool
    let origin: Login
    let proxy: Login
    let token: Secret?
    let netrc: NetrcFile?
    /// Whether the netrc entry of the URL's host is sent to the URL's origin without TLS.
    var allowsNetrcOverPlainHTTP = false
    /// Whether the password is sent with the first request; the token is sent with it in any case.
    var sendsPasswordFirst = false
    /// Whether a credential is sent with the first request without TLS too.
    var allowsCredentialsOverPlainHTTP = false
    /// Whether the options allow Basic.
    var allowsBasic = true
    /// Whether a redirect to another origin keeps the password and the token.
    var sendsCredentialsAcrossRedirects = false
    /// The identities for the origin, the preferred one first.
    let identities: [Identity]
    /// The identities for the origin with keys of other types, after the others.
    var encodedIdentities: [EncodedIdentity] = []
    /// The keychain whose identities are used if none was named.
    var keychain: KeychainClient?
    /// Whether the keychain saves a typed password after it is accepted.
    var remembers = false
    /// Whether the origin receives Kerberos tickets if it accepts them.
    var sendsTickets = false
    let prompter: (any Prompter)?
    /// The credentials that were requested but missing, for the error.
    let missingCredentials = NIOLockedValueBox<[String]>([])
    let answers = PasswordAnswers()

    var handlers: ChallengeHandlers {
        var handlers = ChallengeHandlers(password: .closure(password), token: .closure(bearer))
        handlers[.clientCertificate] = .closure(clientCertificate)
        handlers[.serverTrust] = .closure(serverTrust)
        if sendsTickets || origin.user != nil || proxy.user != nil || netrc != nil {
            handlers[.negotiate] = .closure(ticket)
        }
        return handlers
    }

    /// The credential that the options and the URL alone give for the origin.
    package var explicitCredential: Credential? {
        if let token { return sendingFirst(.token(token)) }
        guard let user = origin.user, let password = origin.password else { return nil }
        return sendingFirst(.password(user: user, password: password))
    }

    /// The credential that the options, the URL or the netrc file give for the origin.
    private var givenCredential: Credential? {
        if let explicitCredential { return explicitCredential }
        guard usesTLS || allowsNetrcOverPlainHTTP else { return nil }
        return netrc?.credential(for: host, login: origin.user, usesDefault: true).map(sendingFirst)
    }

    private func sendingFirst(_ credential: Credential) -> Credential {
        guard token != nil || sendsPasswordFirst else { return credential }
        return credential.sending(allowsCredentialsOverPlainHTTP ? .immediatelyWithoutTLS : .immediately)
    }

    /// The credential that is sent with the first request to the origin; `nil` if the server must ask for one.
    var firstCredential: Credential? {
        givenCredential.flatMap { $0.sending == .whenAsked ? nil : $0 }
    }

    /// The origin as a URL.
    var originURL: String { "\(usesTLS ? "https" : "http")://\(HostEndpoint(host: host, port: port))" }

    /// Returns a sentence about a credential that was at hand, and that was not sent.
    ///
    /// - Parameters:
    ///   - url: The URL of the response.
    ///   - status: The status, of a server that asked for no credential.
    /// - Returns: `nil` if there is no credential.
    package func remark(onResponseFrom url: String, status: Int) -> String? {
        let isSecure = url.lowercased().hasPrefix("https:")
        let endpoint = try? HostEndpoint(of: url)
        let isOwn = endpoint.map { includes($0, isEncrypted: isSecure) } ?? false
        let refusal = "the server answered \(status) and did not ask for a \(token == nil ? "password" : "token")"
        guard let credential = explicitCredential else {
            let host = endpoint?.host ?? host
            guard netrc?.credential(for: host, login: isOwn ? origin.user : nil, usesDefault: host == self.host) != nil
            else { return nil }
            let way = isOwn ? sendingFirst(sends: sendsPasswordFirst, isSecure: isSecure, isNetrc: true) : nil
            return "The netrc entry of \(host) was not sent, because \(refusal)\(way.map { "; \($0)" } ?? "")."
        }
        guard isOwn else {
            guard !sendsCredentialsAcrossRedirects else { return nil }
            let reason = withholdingReason(token == nil ? "the login" : "the token")
            return "\(reason.prefix(1).uppercased())\(reason.dropFirst()) (\(Self.sending))."
        }
        return sendingFirst(sends: credential.sending != .whenAsked, isSecure: isSecure, isNetrc: false).map {
            "T\(refusal.dropFirst()); \($0)."
        }
    }

    /// Returns the clause about the options that send the credential with the first request to the origin.
    ///
    /// - Parameters:
    ///   - sends: Whether the options given do so, unless the connection has no TLS.
    ///   - isSecure: Whether the connection had TLS.
    ///   - isNetrc: Whether the credential is in the netrc file.
    /// - Returns: `nil` if there are none.
    private func sendingFirst(sends: Bool, isSecure: Bool, isNetrc: Bool) -> String? {
        let first = sends ? nil : "--auth basic"
        guard first == nil || allowsBasic else { return nil }
        let netrcOption = isNetrc && !usesTLS && !allowsNetrcOverPlainHTTP ? "--allow-netrc-over-plain-http" : nil
        // A credential that was to be sent first and was not, in spite of a host on this machine, goes over a proxy.
        let isProtected = isSecure || first != nil && host.isLoopback
        let plain = isProtected || allowsCredentialsOverPlainHTTP ? nil : "--allow-credentials-over-plain-http"
        let options = [first, netrcOption, plain].compactMap(\.self)
        guard let last = options.last else { return nil }
        let list = options.count < 2 ? last : options.dropLast().joined(separator: ", ") + " with " + last
        let isPlain = !isSecure && (netrcOption ?? plain) != nil
        return "\(list) send\(options.count > 2 ? "" : "s") it with the first request\(isPlain ? ", without TLS" : "")"
    }

    /// Returns whether a space belongs to the origin of the URL that the user gave, or to the same host over TLS.
    func isNamed(_ space: ProtectionSpace) -> Bool {
        space.mayHaveCredentials(ofHost: host, port: port, isEncrypted: usesTLS)
    }

    private func includes(_ endpoint: HostEndpoint, isEncrypted: Bool) -> Bool {
        endpoint.host == host
            && ProtectionSpace.mayHaveCredentials(of: (port, usesTLS), port: endpoint.port, isEncrypted: isEncrypted)
    }

    // MARK: Tokens

    private func bearer(_ challenge: Challenge) async throws -> Disposition {
        guard let token else {
            missingCredentials.withLockedValue {
                $0.append("\(challenge.space.host):\(challenge.space.port) wants a token (--bearer-file)")
            }
            return .rejectProtectionSpace
        }
        guard isNamed(challenge.space) else {
            missingCredentials.withLockedValue {
                $0.append(
                    "\(challenge.space.host):\(challenge.space.port) wants a token, and \(withholdingReason("the token")) (\(Self.sending))"
                )
            }
            return .rejectProtectionSpace
        }
        let handler = BearerHandler(host: host.description, port: port, scheme: usesTLS ? "https" : "http") { demand in
            demand.invalidToken == nil ? token : nil
        }
        let answer = try await handler.answer(challenge)
        if challenge.failureCount > 0 {
            missingCredentials.withLockedValue { $0.append("\(host):\(port) rejected the token") }
        }
        return answer
    }

    /// Returns the reason for which a credential was not sent to a redirect's origin.
    func withholdingReason(_ credential: String) -> String {
        "\(credential) that was given is for \(host):\(port) alone"
    }

    /// The option that sends passwords and tokens to other origins.
    static let sending = "--send-credentials-across-redirects"

    // MARK: Client identity

    private func clientCertificate(_ challenge: Challenge) async throws -> Disposition {
        guard case .clientCertificateRequest(let request) = challenge.statement else { return .performDefault }
        let isNamed = isNamed(challenge.space)
        // The chain may omit an intermediate that the server has, so a single identity is presented without a check.
        let isSingle = identities.count + encodedIdentities.count == 1
        if isNamed, let given = identities.first(where: { isSingle || request.misfit($0) == nil }) {
            return .use(.identity(given))
        }
        if isNamed, let given = encodedIdentities.first(where: { isSingle || request.isMet(by: $0) }) {
            return .use(.identity(given))
        }
        if let stored = try await storedIdentity(for: challenge) { return .use(.identity(stored)) }
        if !identities.isEmpty, challenge.space.role == .origin {
            let misfits = identities.compactMap { request.misfit($0).map { "\($0.subject) (\($0.reason))" } }
            let reason =
                isNamed
                ? "none of the identities fits: \(misfits.joined(separator: ", "))" : withholdingReason("the identity")
            missingCredentials.withLockedValue {
                $0.append(
                    "\(challenge.space.host):\(challenge.space.port) wants a client certificate\(isNamed ? request.issuerClause : ""), and \(reason)"
                )
            }
        }
        guard let prompter else { return .performDefault }
        let question =
            ChallengeQuestion.identity(request, from: challenge.space) + " File (PEM or PKCS#12; empty for none): "
        while let path = await prompter.ask(question, isSecret: false), !path.isEmpty {
            do {
                switch try await IdentityFile.readForTLS(path, prompter: prompter) {
                case .identity(let identity): return .use(.identity(identity))
                case .encoded(let identity): return .use(.identity(identity))
                }
            } catch {
                _ = await prompter.ask("\(Failure(error).message) Press return to go on. ", isSecret: false)
            }
        }
        return .performDefault
    }

    /// Returns the keychain's identity for the server; an identity for every host is used for the URL's host only.
    private func storedIdentity(for challenge: Challenge) async throws -> Identity? {
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

extension OriginHandlers {
    /// Returns whether a URL of the command line belongs to this origin.
    package func isOrigin(of url: String) -> Bool {
        guard let endpoint = try? HostEndpoint(of: url) else { return false }
        return endpoint.host == host && endpoint.port == port && url.lowercased().hasPrefix("https:") == usesTLS
    }

    /// Returns the lines of `-v` about the identities that do not meet a server's request.
    package func misfitLines(_ event: SessionEvent) -> [String] {
        guard identities.count > 1, case .challenged(let challenge, _) = event.kind, isNamed(challenge.space),
            case .clientCertificateRequest(let request) = challenge.statement
        else { return [] }
        return identities.compactMap { request.misfit($0).map { "  not \($0.subject): \($0.reason)" } }
    }

    /// The last missing credential, for the error.
    package var lastMissingCredential: String? { missingCredentials.withLockedValue { $0.last } }

    /// Adds the missing credential to an error, because without a terminal that is more informative than the rejection,
    /// and the options that send one that the server did not ask for.
    ///
    /// - Parameter error: The error of a request.
    /// - Returns: The same error, or one that names the missing credential or the options.
    package func explaining(_ error: any Error) -> any Error {
        let failure = Failure(error)
        if let summary = (error as? any SummarizedError)?.responseSummary, summary.isRefusedWithoutCredential,
            let remark = remark(onResponseFrom: summary.url, status: summary.status.code)
        {
            let advice = failure.explanation.advice
            return CommandFailure(
                failure: failure.withAdvice(
                    advice == ResponseSummary.firstRequestAdvice ? remark : "\(remark) \(advice)"))
        }
        guard failure.status == .notAuthenticated, let need = lastMissingCredential else { return error }
        return CommandFailure(failure: failure.withMessage(need.prefix(1).uppercased() + need.dropFirst() + "."))
    }

    /// Explains an error by the handlers of the origin that it is about, or else by those of every origin.
    package static func explaining(_ error: any Error, by originHandlers: [OriginHandlers]) -> any Error {
        let url = (error as? any SummarizedError)?.responseSummary?.url
        let own = originHandlers.filter { handlers in url.map(handlers.isOrigin) ?? false }
        return (own + originHandlers).reduce(error) { $1.explaining($0) }
    }

    /// Returns handlers that answer the challenges of each named origin by its own handlers, and all others by the
    /// first.
    ///
    /// - Parameter originHandlers: The handlers of each origin on the command line.
    /// - Returns: A handler for each method that one of the origins' handlers answers.
    package static func handlers(of originHandlers: [OriginHandlers]) -> ChallengeHandlers {
        guard originHandlers.count > 1, let first = originHandlers.first else {
            return originHandlers.first?.handlers ?? [:]
        }
        var handlers: ChallengeHandlers = [:]
        for method in Self.methods where originHandlers.contains(where: { $0.handlers[method] != nil }) {
            handlers[method] = .closure { challenge in
                let named = originHandlers.filter { $0.isNamed(challenge.space) }
                let person = named.first { $0.usesTLS == challenge.space.isEncrypted } ?? named.first ?? first
                return try await person.handlers[method]?.answer(challenge) ?? .performDefault
            }
        }
        return handlers
    }

    private static let methods = MethodList.names + [.clientCertificate, .serverTrust]
}
