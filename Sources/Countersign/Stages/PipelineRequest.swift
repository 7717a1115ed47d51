// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import NIOCore
import Synchronization

/// A request on its way through the pipeline.
struct PipelineRequest {
    /// A request and its URL, which all stages share: copying their many fields costs more than most stages do.
    final class Message: Sendable {
        let request: Request
        let url: HTTPURL

        init(_ request: Request, to url: HTTPURL) { (self.request, self.url) = (request, url) }
    }

    private(set) var message: Message
    let context: RequestContext
    /// The state of the request's authentication; ``AuthenticationStage`` sets it.
    var transaction: Transaction?

    init(_ request: Request, to url: HTTPURL, _ context: RequestContext) {
        (message, self.context) = (Message(request, to: url), context)
    }

    var request: Request {
        get { message.request }
        set { message = Message(newValue, to: message.url) }
    }

    /// The request's URL, parsed, without user and password.
    var url: HTTPURL { message.url }
}

/// A response on its way back.
struct PipelineResponse {
    var response: Response
    /// The method by which the origin took the request's own credential, if it did.
    var acceptedMethod: AuthenticationMethod?
}

/// What all stages share for one request, through its redirects, retries and challenges.
final class RequestContext: Sendable {
    let core: SessionCore
    /// When the response must have been read whole.
    let deadline: NIODeadline?
    /// Bounds how many answers the request gives to challenges.
    let answers = ChallengeResponseBudget()
    private let state: Mutex<State>

    private struct State {
        var repeats = RepeatBudget()
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
