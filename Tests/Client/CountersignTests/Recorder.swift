// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOConcurrencyHelpers

/// Records the events of a session and the challenges that its handlers receive.
final class Recorder: Sendable {
    private let events = NIOLockedValueBox<[SessionEvent]>([])
    private let questions = NIOLockedValueBox<[Challenge]>([])

    func note(_ event: SessionEvent) {
        events.withLockedValue { $0.append(event) }
    }

    /// The challenges of the handlers, in order.
    var handlerChallenges: [Challenge] { questions.withLockedValue { $0 } }

    var answers: [SessionEvent.Answer] {
        events.withLockedValue { events in
            events.compactMap { if case .challenged(_, let answer) = $0.kind { answer } else { nil } }
        }
    }

    /// The challenges with their answers, including answers from memory.
    var challenges: [(Challenge, SessionEvent.Answer)] {
        events.withLockedValue { events in
            events.compactMap {
                if case .challenged(let challenge, let answer) = $0.kind { (challenge, answer) } else { nil }
            }
        }
    }

    var connections: [ConnectionReport] {
        events.withLockedValue { events in
            events.compactMap { if case .connected(let report) = $0.kind { report } else { nil } }
        }
    }

    var preemptions: Int {
        events.withLockedValue { events in
            events.count { if case .preempted = $0.kind { true } else { false } }
        }
    }

    var storeFailures: Int {
        events.withLockedValue { events in
            events.count { if case .credentialStoreFailed = $0.kind { true } else { false } }
        }
    }

    var retries: Int {
        events.withLockedValue { events in
            events.count { if case .retrying = $0.kind { true } else { false } }
        }
    }

    var kinds: [SessionEvent.Kind] { events.withLockedValue { $0.map(\.kind) } }

    /// The text of all events, as a log would contain it.
    var printed: String { events.withLockedValue { events in events.map { "\($0)" }.joined(separator: "\n") } }

    /// Returns a handler that delays its answer, as a person does.
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
