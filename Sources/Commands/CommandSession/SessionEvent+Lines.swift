// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSupport
package import Countersign
import ErrorExplanations
import HTTPTransport
import Identities

extension SessionEvent {
    /// Returns the lines of `-v`, each with curl's mark: `>` for the head of a request, `<` for that of a response, `*`
    /// for everything else.
    ///
    /// - Parameter showsSecrets: Whether URLs and fields are complete, except for a user and a password in a URL.
    /// - Returns: The lines, in characters that are safe to print.
    package func markedLines(showsSecrets: Bool) -> [String] {
        switch kind {
        case .sending(let head):
            let target = showsSecrets ? head.completeTarget : head.target
            let fields = showsSecrets ? head.completeFields : head.headerFields
            return Self.lines(
                of: "\(head.method.rawValue) \(target) \(head.httpVersion.text)",
                ["Host: \(head.authority)"] + fields.safeLines, mark: ">")
        case .received(let head):
            let fields = showsSecrets ? head.completeFields : head.headerFields
            return Self.lines(of: "\(head.httpVersion.text) \(head.status.text)", fields.safeLines, mark: "<")
        // The head of the response was printed.
        case .exchanged(let report) where report.response != nil: return []
        default: return lines(showsSecrets: showsSecrets).map { "* " + $0 }
        }
    }

    private static func lines(of start: String, _ fields: [String], mark: String) -> [String] {
        ([start] + fields).map { "\(mark) \($0.printable)" } + [mark]
    }

    /// Returns the description of an event, a line for each fact, in characters that are safe to print.
    ///
    /// - Parameter showsSecrets: Whether URLs are complete, except for a user and a password.
    /// - Returns: One or more lines.
    package func lines(showsSecrets: Bool = false) -> [String] {
        let shown = { (url: String) in showsSecrets ? url.droppingUserInfo : Redaction.url(url) }
        switch kind {
        case .connected(let report):
            // A connection for plain http through a proxy is for all origins.
            let place =
                report.proxy.map { proxy in
                    proxy.endpoint == report.endpoint ? "the proxy \(proxy)" : "\(report.endpoint) through \(proxy)"
                } ?? "\(report.endpoint)"
            guard let tls = report.tls else { return ["connected to \(place), not encrypted"] }
            let details = [tls.library == .boringSSL ? nil : tls.library.name, tls.isResumed ? "resumed" : nil]
            let parameters = ([tls.version, tls.cipherSuite] + details.compactMap(\.self)).joined(separator: ", ")
            return ["connected to \(place): \(parameters)"]
                + ([tls.chain.leaf] + tls.chain.issuers).enumerated().flatMap { index, certificate in
                    Self.lines(certificate, at: index)
                } + tls.verdict.revocationLines.map { "revocation: " + $0 }
        case .challenged(let challenge, let answer):
            return [Self.line(challenge, answer)] + Self.identityLines(challenge.statement, answer)
        case .methodsNotAllowed(let endpoint, let offered, let allowed):
            return ["\(endpoint) offers \(offered.words), and only \(allowed) is allowed"]
        case .notAnswered(let peer, let method, let reason):
            // The line about the answer of the handlers says the same.
            guard !reason.followsQuestion else { return [] }
            let challenger = (peer.role == .proxy ? "proxy " : "") + "\(peer.endpoint)"
            guard let method else { return ["\(challenger) sent a challenge that is not readable: \(reason.clause)"] }
            return ["\(challenger) asks for \(method.description.printable), which is not answered: \(reason.clause)"]
        case .preempted(let space):
            return ["\(space.method) for \(space.host):\(space.port) sent before it was asked for"]
        case .credentialStoreFailed(let space, _):
            return ["the credential store failed for \(space.host):\(space.port)"]
        case .fetchedEvidence(let place, let problem):
            guard let problem else { return ["fetched \(shown(place)) to decide on trust"].map(\.printable) }
            return ["could not fetch \(shown(place)) to decide on trust: \(problem.reason)"].map(\.printable)
        case .refusedEvidence(let place):
            return [
                "did not fetch \(shown(place)): it is in the local network, and the server is not (--allow-local-evidence)"
                    .printable
            ]
        case .retrying(let url, let wait, let reason):
            return ["\(shown(url)) \(reason.text); sending it again in \(wait.text)"].map(\.printable)
        case .redirected(let origin, let destination):
            return ["redirected from \(shown(origin)) to \(shown(destination))"].map(\.printable)
        case .exchanged(let report):
            let url = showsSecrets ? report.completeURL : report.url
            return [
                "\(report.method.rawValue) \(url): \(report.response?.status.text ?? "no response")".printable
            ]
        // The report of the exchange follows, and the command prints the error itself.
        case .sending, .received, .failed: return []
        }
    }

    private static func lines(_ certificate: CertificateSummary, at index: Int) -> [String] {
        ["  \(index): \(certificate.subject)", "     pin \(certificate.publicKeyPin)"]
    }

    private static func identityLines(_ statement: Challenge.Statement, _ answer: SessionEvent.Answer) -> [String] {
        guard case .clientCertificateRequest(let request) = statement else { return [] }
        let issuers = request.issuers.map { ["  one issued by \($0)"] } ?? []
        guard case .used(let credential) = answer else { return issuers }
        if case .encodedIdentity(let identity) = credential.kind {
            let leaf = identity.chain.first.flatMap(CertificateSummary.init(anchor:))
            return issuers + ["  presents \(leaf?.subject ?? "a certificate") (\(identity.keyType))"]
        }
        guard case .identity(let identity) = credential.kind else { return issuers }
        let remark = request.misfit(identity)?.reason ?? (issuers.isEmpty ? nil : "issuer named by the server")
        let subject = CertificateSummary(identity.certificate).subject
        return issuers + ["  presents \(subject)\(remark.map { " (\($0))" } ?? "")"]
    }

    private static func line(_ challenge: Challenge, _ answer: SessionEvent.Answer) -> String {
        let space = challenge.space
        let realm = space.realm.map { " \"\($0.printable)\"" } ?? ""
        let challenger = (space.role == .proxy ? "proxy " : "") + "\(space.host):\(space.port)"
        if space.method == .serverTrust { return "\(challenger) presents its chain: \(answer.text)" }
        let failures = challenge.failureCount > 0 ? " (rejected \(challenge.failureCount) times)" : ""
        return "\(challenger) asks for \(space.method)\(realm)\(failures): \(answer.text)"
    }
}

extension [AuthenticationMethod] {
    /// The names, in the order in which the server offered them.
    var words: String { map(\.description).joined(separator: ", ").printable }
}

extension RetryReason {
    fileprivate var text: String {
        switch self {
        case .status(let status): "was answered with \(status.code)"
        case .failure(let error): "failed: \(error.explanation.message.droppingFullStop)"
        }
    }
}

extension String {
    fileprivate var droppingFullStop: Substring { hasSuffix(".") ? dropLast() : self[...] }
}

extension HTTPFields {
    /// The fields as lines, without users and passwords in fields with a URL.
    fileprivate var safeLines: [String] {
        zip(self, lines).map {
            [.location, .contentLocation, .referer].contains($0.name) ? $1.droppingUserInfo : $1
        }
    }

    /// The fields, each as a line that may contain unprintable characters.
    package var lines: [String] {
        map { field in
            let value = field.withUnsafeBytesOfValue { DecodedText(utf8: Array($0)).text }
            return "\(field.name.rawName): \(value)"
        }
    }
}

extension ConnectionReport.HTTPVersion {
    /// The version as in a status line.
    package var text: String { self == .http2 ? "HTTP/2" : "HTTP/1.1" }
}
