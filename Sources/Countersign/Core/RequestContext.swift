// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import NIOCore
import Synchronization

/// What all stages share for one request, through its redirects, retries and challenges.
final class RequestContext: Sendable {
    let core: SessionCore
    /// When the response must have been read whole.
    let deadline: NIODeadline?
    private let state: Mutex<State>

    private struct State {
        var repeats = RepeatBudget()
        var answers = ChallengeResponseBudget()
        var resendCount = 0
        var retries: RetrySchedule?
    }

    init(core: SessionCore, deadline: NIODeadline? = nil) {
        (self.core, self.deadline) = (core, deadline)
        let policy = core.configuration.retries
        state = Mutex(State(retries: policy.attempts > 0 ? RetrySchedule(policy, start: .now) : nil))
    }

    /// Takes one of the repeats that the session makes without a retry policy.
    ///
    /// - Returns: Whether there was one left.
    func takeRepeat() -> Bool { state.withLock { $0.repeats.take() } }

    /// Takes one of the answers that the request gives to challenges.
    ///
    /// - Returns: Whether there was one left; if not, nothing may be sent.
    func takeAnswer(in space: ProtectionSpace) -> Bool { state.withLock { $0.answers.take(for: space) } }

    /// The server accepted an answer: what it rejected before counts no more.
    func noteAcceptance(in space: ProtectionSpace) { state.withLock { $0.answers.noteAcceptance(in: space) } }

    /// How often the request was sent again because of a redirect or a retry.
    var resendCount: Int { state.withLock(\.resendCount) }

    func noteResend() { state.withLock { $0.resendCount += 1 } }

    /// Returns how long to wait before the request is sent again; `nil` where it is not.
    func retryDelay(after outcome: RetrySchedule.Outcome, of request: Request) -> Duration? {
        state.withLock { state in
            var generator = SystemRandomNumberGenerator()
            return state.retries?.wait(after: outcome, of: request, at: .now, using: &generator)
        }
    }
}
