// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Challenges
import CommandSupport
import Countersign
import ErrorExplanations

/// The result of one stop of a tour.
package struct TourRow: Encodable, Sendable {
    package let name: String
    /// The description of the server.
    package let presents: String
    package let url: String
    /// The received challenges, in order.
    package let challenges: [String]
    package let answers: [String]
    package let verdict: String
    package let bytes: Int
    package let milliseconds: Int
    package let expected: String
    /// Whether the result is the expected one; `nil` if the client was not run.
    package let isAsExpected: Bool?

    /// Creates a row for a session.
    init(stop: TourStop, events: [SessionEvent], outcome: TourStop.Outcome, bytes: Int, elapsed: Duration) {
        let server = stop.server
        var (verdict, isAsExpected) = Self.evaluate(outcome, of: server)
        let challenges = Self.challenges(events)
        let accepted = challenges.contains {
            if case .used = $0.1, $0.0.space.method == .serverTrust { true } else { false }
        }
        if accepted != (server.expectation == .deliveredOnceAccepted) || !Self.meets(server, challenges) {
            isAsExpected = false
        }
        self.init(
            stop: stop,
            challenges: challenges.map { challenge, _ in
                (challenge.space.role == .proxy ? "proxy " : "") + challenge.space.method.description
            }, answers: challenges.map(\.1.text), verdict: verdict, bytes: bytes, elapsed: elapsed,
            isAsExpected: isAsExpected)
    }

    /// Creates a row for another client that was run.
    init(stop: TourStop, termination: TimedProgram.Termination, body: [UInt8], elapsed: Duration) {
        let (verdict, isAsExpected) = Self.evaluate(termination, body, of: stop.server)
        self.init(
            stop: stop, verdict: verdict, bytes: body.count, elapsed: elapsed, isAsExpected: isAsExpected)
    }

    /// Creates a row for another client that was not run.
    init(stop: TourStop, notRun reason: String) {
        self.init(stop: stop, verdict: reason, bytes: 0, elapsed: .zero, isAsExpected: nil)
    }

    private init(
        stop: TourStop, challenges: [String] = [], answers: [String] = [], verdict: String, bytes: Int,
        elapsed: Duration, isAsExpected: Bool?
    ) {
        (name, presents) = (stop.server.name, stop.server.presents)
        url = stop.url + (stop.proxy == nil ? "" : " via :\(stop.server.port)")
        expected = stop.server.expectation.rawValue
        milliseconds = Int(elapsed / .milliseconds(1))
        (self.challenges, self.answers, self.verdict) = (challenges, answers, verdict)
        (self.bytes, self.isAsExpected) = (bytes, isAsExpected)
    }

    /// Interprets the exit status and standard output of a client.
    ///
    /// An empty output is accepted, because the client may have written the body elsewhere. A resource that requires
    /// the user to accept the chain must be refused.
    private static func evaluate(
        _ termination: TimedProgram.Termination, _ body: [UInt8], of server: LabServer
    ) -> (text: String, isAsExpected: Bool) {
        switch termination {
        case .timedOut: return ("timed out", false)
        case .signalled(let signal): return ("signal \(signal)", false)
        case .exited(0):
            guard server.expectation == .delivered else { return ("delivered", false) }
            let isRight = body.isEmpty || body == server.body
            return (isRight ? "delivered" : "delivered with a wrong body", isRight)
        case .exited(let status): return ("exit \(status)", server.expectation != .delivered)
        }
    }

    /// Describes a session's result and returns whether the lab expects it.
    ///
    /// A refusal must have the expected error code.
    private static func evaluate(_ outcome: TourStop.Outcome, of server: LabServer) -> (
        text: String, isAsExpected: Bool
    ) {
        switch outcome {
        case .response(200, let body), .response(206, let body):
            let isRight = body == server.body
            let isExpected = [.delivered, .deliveredOnceAccepted].contains(server.expectation)
            return (isRight ? "delivered" : "delivered with a wrong body", isRight && isExpected)
        case .response(401, _):
            return ("401 not authenticated", server.expectation == .notAuthenticated && server.failureCode == nil)
        case .response(let code, _): return ("status \(code)", false)
        case .failure(let error):
            let code = Failure(error).code
            return ("refused: \(code)", code == server.failureCode)
        }
    }

    private static func challenges(_ events: [SessionEvent]) -> [(Challenge, SessionEvent.Answer)] {
        events.compactMap { event in
            if case .challenged(let challenge, let answer) = event.kind { (challenge, answer) } else { nil }
        }
    }

    /// Returns whether the session received the challenge that the server is meant to send.
    private static func meets(
        _ server: LabServer, _ challenges: [(Challenge, SessionEvent.Answer)]
    ) -> Bool {
        guard let method = server.kind.method else { return true }
        let role: ProtectionSpace.Role = server.kind.isProxy ? .proxy : .origin
        return challenges.contains { $0.0.space.role == role && $0.0.space.method == method }
    }
}
