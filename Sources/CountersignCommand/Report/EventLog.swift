// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Challenges
import CommandSupport
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers

/// Keeps what a session reports, and with `-v` prints it as it happens.
final class EventLog: Sendable {
    private let events = NIOLockedValueBox<[SessionEvent]>([])
    private let printLine: (@Sendable (String) -> Void)?
    /// Whether URLs are printed and reported with the values of secret parameters; a user and a password never are.
    private let showsSecrets: Bool
    /// Started with the log.
    let clock = WallClock()

    init(showsSecrets: Bool = false, printLine: (@Sendable (String) -> Void)? = nil) {
        (self.showsSecrets, self.printLine) = (showsSecrets, printLine)
    }

    /// A URL as `-v` and `--json` show it.
    func shown(_ url: String) -> String { showsSecrets ? url.droppingUserInfo : Redaction.url(url) }

    /// Header fields as `--json` shows them.
    func shown(_ fields: HTTPFields) -> HTTPFields { showsSecrets ? fields : Redaction.fields(fields) }

    func note(_ event: SessionEvent) {
        events.withLockedValue { $0.append(event) }
        guard let printLine else { return }
        lines(event).forEach { printLine("* " + $0) }
    }

    /// In the order reported.
    var all: [SessionEvent] { events.withLockedValue { $0 } }

    /// The last one that was opened.
    var connection: ConnectionReport? {
        all.lazy.compactMap { if case .connected(let report) = $0 { report } else { nil } }.last
    }

    /// How many connections were opened since an instant.
    func connectionCount(since start: ContinuousClock.Instant) -> Int {
        all.count { if case .connected(let report) = $0 { report.opening.start >= start } else { false } }
    }

    var challenges: [(Challenge, SessionEvent.Answer)] {
        events.withLockedValue { events in
            events.compactMap {
                if case .challenged(let challenge, let answer) = $0 { (challenge, answer) } else { nil }
            }
        }
    }

    /// What is known of the request to a URL.
    func circumstances(of url: String) -> Circumstances {
        Circumstances(
            url: shown(url), tls: connection?.tls.map(TLSReport.init),
            challenges: challenges.map { ChallengeReport($0, $1) })
    }

    /// Where evidence was looked for to decide on trust.
    var fetches: [EvidenceFetch] {
        events.withLockedValue { events in
            events.compactMap {
                switch $0 {
                case .fetchedEvidence(let place, let succeeded):
                    EvidenceFetch(place: shown(place).printable, succeeded: succeeded, isRefused: false)
                case .refusedEvidence(let place):
                    EvidenceFetch(place: shown(place).printable, succeeded: false, isRefused: true)
                default: nil
                }
            }
        }
    }

    private func lines(_ event: SessionEvent) -> [String] {
        switch event {
        case .connected(let report):
            let route = report.proxy.map { " through \($0)" } ?? ""
            guard let tls = report.tls else { return ["connected to \(report.endpoint)\(route), not encrypted"] }
            return ["connected to \(report.endpoint)\(route): \(tls.version), \(tls.cipherSuite)"]
                + ([tls.chain.leaf] + tls.chain.issuers).enumerated().flatMap { index, certificate in
                    Self.lines(CertificateSummary(certificate), at: index)
                }
        case .challenged(let challenge, let answer):
            return [Self.line(challenge, answer)] + Self.issuers(challenge.statement)
        case .methodsNotAllowed(let endpoint, let offered, let allowed):
            return ["\(endpoint) offers \(offered.words), and only \(allowed) is allowed"]
        case .preempted(let space):
            return ["\(space.method) for \(space.host):\(space.port) sent before it was asked for"]
        case .credentialStoreFailed(let space, _):
            return ["the credential store failed for \(space.host):\(space.port)"]
        case .fetchedEvidence(let place, let succeeded):
            return ["\(succeeded ? "fetched" : "could not fetch") \(shown(place)) to decide on trust"].map(\.printable)
        case .refusedEvidence(let place):
            return [
                "did not fetch \(shown(place)): it is in the local network, and the server is not (--allow-local-evidence)"
                    .printable
            ]
        case .retrying(let url, let wait, let reason):
            return ["\(shown(url)) \(reason.text); sending it again in \(wait.inMilliseconds)"].map(\.printable)
        case .redirected(let origin, let destination):
            return ["redirected from \(shown(origin)) to \(shown(destination))"].map(\.printable)
        case .exchanged(let report):
            let url =
                showsSecrets ? report.wholeURL.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } : report.url
            return [
                "\(report.method.rawValue) \(url): \(report.response?.status.text ?? "no response")".printable
            ]
        }
    }

    private static func lines(_ certificate: CertificateSummary, at index: Int) -> [String] {
        ["  \(index): \(certificate.subject)", "     pin \(certificate.publicKeyPin)"]
    }

    private static func issuers(_ statement: Challenge.Statement) -> [String] {
        guard case .clientCertificateRequest(let request) = statement else { return [] }
        return request.issuers.map { ["  one issued by \($0)"] } ?? []
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
    /// As a server offered them.
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

extension Duration {
    /// Without what nobody reads.
    fileprivate var inMilliseconds: Duration {
        .milliseconds(components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
