// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers

/// Stores the events of a session, and prints them immediately with `-v`.
final class EventLog: Sendable {
    private let events = NIOLockedValueBox<[SessionEvent]>([])
    private let printLine: (@Sendable (String) -> Void)?
    /// Whether URLs are printed and reported with the values of secret parameters; a user and a password are always
    /// hidden.
    private let showsSecrets: Bool
    /// The clock, which starts with the log.
    let clock = WallClock()

    init(showsSecrets: Bool = false, printLine: (@Sendable (String) -> Void)? = nil) {
        (self.showsSecrets, self.printLine) = (showsSecrets, printLine)
    }

    /// Returns a URL as `-v`, `--json` and `-w` show it.
    static func shown(_ url: String, showsSecrets: Bool) -> String {
        showsSecrets ? url.droppingUserInfo : Redaction.url(url)
    }

    func shown(_ url: String) -> String { Self.shown(url, showsSecrets: showsSecrets) }

    /// Returns header fields as `--json` shows them.
    func shown(_ fields: HTTPFields) -> HTTPFields { showsSecrets ? fields : Redaction.fields(fields) }

    func note(_ event: SessionEvent) {
        switch event.kind {
        // The report of the exchange has the heads too.
        case .sending, .received: break
        default: events.withLockedValue { $0.append(event) }
        }
        guard let printLine else { return }
        event.markedLines(showsSecrets: showsSecrets).forEach(printLine)
    }

    /// All events other than those of a head, in the order in which they were reported.
    var all: [SessionEvent] { events.withLockedValue { $0 } }

    /// The connection that was opened last.
    private var connection: ConnectionReport? {
        for case .connected(let report) in all.lazy.map(\.kind).reversed() { return report }
        return nil
    }

    /// Returns the number of connections that were opened for a request.
    func connectionCount(of request: RequestIdentifier?) -> Int {
        all.count {
            guard case .connected = $0.kind else { return false }
            return $0.requestIdentifier == request
        }
    }

    /// Returns the challenges of a request with their answers; of all requests if the argument is `nil`.
    func challenges(of request: RequestIdentifier? = nil) -> [ChallengeReport] {
        all.filter { request == nil || $0.requestIdentifier == request }.compactMap(ChallengeReport.init)
    }

    /// Returns the information about the request to a URL.
    func circumstances(of url: String) -> Circumstances {
        Circumstances(
            url: shown(url), tls: connection?.tls.map(TLSReport.init),
            challenges: challenges())
    }

    /// The attempts to fetch evidence for the evaluation.
    var fetches: [EvidenceFetch] {
        events.withLockedValue { events in
            events.compactMap { EvidenceFetch($0.kind, showsSecrets: showsSecrets) }
        }
    }
}

/// Converts instants of the monotonic clock to the time of day.
struct WallClock: Sendable {
    let start = ContinuousClock.now
    private let date = Date.now

    func text(_ instant: ContinuousClock.Instant) -> String {
        let time = date.addingTimeInterval((instant - start).milliseconds / 1_000)
        return time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension Duration {
    /// The duration in milliseconds, rounded to microseconds.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return (Double(seconds) * 1e6 + Double(attoseconds) / 1e12).rounded() / 1e3
    }
}

/// An attempt to fetch a revocation list, an OCSP response, or an issuer's certificate.
struct EvidenceFetch: Encodable {
    let place: String
    let succeeded: Bool
    /// Whether the fetch was refused, because the URL is in the local network and the server is not.
    let isRefused: Bool
    /// The code of the reason why nothing was fetched.
    let problem: String?
    /// The reason as a clause.
    let reason: String?

    /// Makes the record of an event; `nil` for an event of another kind.
    init?(_ event: SessionEvent.Kind, showsSecrets: Bool) {
        let found: RevocationProblem?
        switch event {
        case .fetchedEvidence(let place, let problem):
            (self.place, isRefused, found) = (
                EventLog.shown(place, showsSecrets: showsSecrets).printable, false, problem
            )
        case .refusedEvidence(let place):
            (self.place, isRefused, found) = (EventLog.shown(place, showsSecrets: showsSecrets).printable, true, nil)
        default: return nil
        }
        succeeded = !isRefused && found == nil
        (problem, reason) = (found?.explanation.code, found?.reason)
    }
}
