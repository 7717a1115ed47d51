// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOConcurrencyHelpers

/// Keeps what a session reports and what its handlers are asked.
final class Recorder: Sendable {
    private let events = NIOLockedValueBox<[SessionEvent]>([])
    private let questions = NIOLockedValueBox<[Challenge]>([])

    func note(_ event: SessionEvent) {
        events.withLockedValue { $0.append(event) }
    }

    /// What handlers were asked, in order.
    var asked: [Challenge] { questions.withLockedValue { $0 } }

    var answers: [SessionEvent.Answer] {
        events.withLockedValue { events in
            events.compactMap { if case .challenged(_, let answer) = $0 { answer } else { nil } }
        }
    }

    /// With their answers, those from memory too.
    var challenges: [(Challenge, SessionEvent.Answer)] {
        events.withLockedValue { events in
            events.compactMap {
                if case .challenged(let challenge, let answer) = $0 { (challenge, answer) } else { nil }
            }
        }
    }

    var connections: [ConnectionReport] {
        events.withLockedValue { events in
            events.compactMap { if case .connected(let report) = $0 { report } else { nil } }
        }
    }

    var preemptions: Int {
        events.withLockedValue { events in
            events.count { if case .preempted = $0 { true } else { false } }
        }
    }

    var storeFailures: Int {
        events.withLockedValue { events in
            events.count { if case .credentialStoreFailed = $0 { true } else { false } }
        }
    }

    var retries: Int {
        events.withLockedValue { events in
            events.count { if case .retrying = $0 { true } else { false } }
        }
    }

    /// What a log would hold of all events.
    var printed: String { events.withLockedValue { events in events.map { "\($0)" }.joined(separator: "\n") } }

    /// A handler that takes its time, as a person does.
    func handler(_ answer: @escaping @Sendable (Challenge) -> Disposition) -> any ChallengeHandler {
        SlowHandler(recorder: self, answer: answer)
    }

    private struct SlowHandler: ChallengeHandler {
        let recorder: Recorder
        let answer: @Sendable (Challenge) -> Disposition

        func answer(_ challenge: Challenge) async throws -> Disposition {
            recorder.questions.withLockedValue { $0.append(challenge) }
            try await Task.sleep(for: .milliseconds(50))
            return answer(challenge)
        }
    }
}
