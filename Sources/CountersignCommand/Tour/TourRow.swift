// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Challenges
import CommandSupport
import Countersign
import ErrorExplanations

/// What came of one stop of the tour.
struct TourRow: Encodable, Sendable {
    let name: String
    let url: String
    /// The challenges met, in order.
    let challenges: [String]
    let answers: [String]
    let verdict: String
    let bytes: Int
    let milliseconds: Int
    let expected: String
    let isAsExpected: Bool

    init(stop: TourStop, log: EventLog, outcome: TourStop.Outcome, bytes: Int, elapsed: Duration) {
        let server = stop.server
        name = server.name
        url = stop.url + (stop.proxy == nil ? "" : " via :\(server.port)")
        challenges = log.challenges.map { challenge, _ in
            (challenge.space.role == .proxy ? "proxy " : "") + challenge.space.method.description
        }
        answers = log.challenges.map { $0.1.text }
        self.bytes = bytes
        milliseconds = Int(elapsed / .milliseconds(1))
        expected = server.expectation.rawValue
        let found = Self.classify(outcome)
        verdict = found.text
        let accepted = log.challenges.contains {
            if case .used = $0.1, $0.0.space.method == .serverTrust { true } else { false }
        }
        isAsExpected =
            found.expectation == (server.expectation == .deliveredOnceAccepted ? .delivered : server.expectation)
            && accepted == (server.expectation == .deliveredOnceAccepted) && Self.meets(server, log)
            && Self.isRightRefusal(outcome, by: server.kind)
    }

    /// What was found, as the lab would have expected it, and in words.
    private static func classify(_ outcome: TourStop.Outcome) -> (expectation: LabServer.Expectation?, text: String) {
        switch outcome {
        case .status(200): (.delivered, "delivered")
        case .status(401): (.notAuthenticated, "401 not authenticated")
        case .status(let code): (nil, "status \(code)")
        case .failure(SessionError.trust(.notTrusted(_, _, let verdict))):
            (.notTrusted, "refused: \(verdict.failure?.code ?? "")")
        case .failure(SessionError.body(.truncated)): (.truncated, "truncated body")
        case .failure(SessionError.redirect(.tooMany)): (.tooManyRedirects, "too many redirects")
        case .failure(let error): (nil, Failure(error).code)
        }
    }

    /// To be refused is not enough: the reason must be the fault that the server is there for.
    private static func isRightRefusal(_ outcome: TourStop.Outcome, by kind: LabServer.Kind) -> Bool {
        guard case .failure(SessionError.trust(.notTrusted(_, _, let verdict))) = outcome else { return true }
        return switch (kind, verdict.failure) {
        case (.selfSigned, .selfSigned?), (.unknownRoot, .unknownRoot?), (.expired, .expired?),
            (.notYetValid, .notYetValid?), (.wrongHost, .hostMismatch?), (.missingIntermediate, .issuerNotFound?):
            true
        default: false
        }
    }

    /// A server that is there for a challenge must have presented it.
    private static func meets(_ server: LabServer, _ log: EventLog) -> Bool {
        guard let method = server.kind.method else { return true }
        let role: ProtectionSpace.Role = server.kind.isProxy ? .proxy : .origin
        return log.challenges.contains { $0.0.space.role == role && $0.0.space.method == method }
    }
}
