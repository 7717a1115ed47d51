// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import NIOCore
import Synchronization

/// The state that all stages share for one request, across its redirects, retries and challenges.
final class RequestContext: Sendable {
    let core: SessionCore
    let identifier: RequestIdentifier
    /// The deadline by which the complete response must have been read.
    let deadline: HTTPExchange.Deadline?
    /// The handlers of the request, which are asked after those of the session.
    private let handlers: ChallengeHandlers
    private let state: Mutex<State>

    private struct State {
        var repeats = RepeatBudget()
        var answers = ChallengeResponseBudget()
        var resendCount = 0
        var retries: RetrySchedule?
    }

    /// Creates the context; the retry policy is that of the session if `retries` is `nil`.
    init(
        core: SessionCore, identifier: RequestIdentifier? = nil, deadline: HTTPExchange.Deadline? = nil,
        retries: SessionRetryPolicy? = nil, handlers: ChallengeHandlers = [:]
    ) {
        (self.core, self.identifier) = (core, identifier ?? RequestIdentifier())
        (self.deadline, self.handlers) = (deadline, handlers)
        let policy = retries ?? core.configuration.retries
        state = Mutex(State(retries: policy.attempts > 0 ? RetrySchedule(policy, start: .now) : nil))
    }

    /// Returns whether the session or the request has a handler for a method.
    func hasHandler(for method: AuthenticationMethod) -> Bool {
        core.configuration.handlers[method] != nil || handlers[method] != nil
    }

    /// Asks the handlers of the session, and those of the request if they perform the default.
    func ask(_ challenge: Challenge) async throws -> SessionEvent.Answer {
        let answer = try await core.ask(challenge)
        guard case .performedDefault = answer, let handler = handlers[challenge.space.method] else { return answer }
        return SessionEvent.Answer(try await handler.answer(challenge))
    }

    /// Takes a repeat from the budget of repeats that are independent of the retry policy.
    ///
    /// - Returns: Whether a repeat was left.
    func takeRepeat() -> Bool { state.withLock { $0.repeats.take() } }

    /// Takes an answer from the budget of answers to challenges.
    ///
    /// - Returns: Whether an answer was left; if not, nothing may be sent.
    func takeAnswer(in space: ProtectionSpace) -> Bool { state.withLock { $0.answers.take(for: space) } }

    /// Records that the server accepted an answer, so that its earlier rejections no longer count.
    func noteAcceptance(in space: ProtectionSpace) { state.withLock { $0.answers.noteAcceptance(in: space) } }

    /// The number of times that the request was sent again because of a redirect or a retry.
    var resendCount: Int { state.withLock(\.resendCount) }

    func noteResend() { state.withLock { $0.resendCount += 1 } }

    /// The reporter for events of the current attempt.
    var reporter: EventReporter {
        EventReporter(core: core, requestIdentifier: identifier, attempt: resendCount + 1)
    }

    func report(_ kind: SessionEvent.Kind) { reporter.report(kind) }

    /// Returns the delay before the request is sent again; `nil` if it is not sent again.
    func retryDelay(after outcome: RetrySchedule.Outcome, of request: SessionRequest) -> Duration? {
        state.withLock { state in
            var generator = SystemRandomNumberGenerator()
            return state.retries?.wait(after: outcome, of: request, at: .now, using: &generator)
        }
    }
}

/// Reports the events of one attempt at a request.
struct EventReporter: Sendable {
    let core: SessionCore
    let requestIdentifier: RequestIdentifier
    let attempt: Int

    func report(_ kind: SessionEvent.Kind) {
        core.report(SessionEvent(requestIdentifier: requestIdentifier, attempt: attempt, kind: kind))
    }

    /// Reports the head of a message to the observer, if there is one; the log has the exchange instead.
    func reportHead(_ kind: @autoclosure () -> SessionEvent.Kind) {
        core.configuration.observer?(
            SessionEvent(requestIdentifier: requestIdentifier, attempt: attempt, kind: kind()))
    }
}

extension HTTPExchange.Deadline {
    /// Cancels the work at the deadline, whether it waits for a connection, a server or a user.
    ///
    /// - Throws: ``SessionError`` of ``LimitError/timedOut(_:_:after:setting:)``, and any error of the work.
    func enforce<Value: Sendable>(
        at endpoint: HostEndpoint, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                let remainingTime = time - .now()
                try await Task.sleep(for: .nanoseconds(max(0, remainingTime.nanoseconds)))
                throw SessionError(TransportError.timedOut(.origin(endpoint), phase, timeout))
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}

/// The budget of repeats that are independent of the retry policy.
///
/// The session repeats a request by itself if the server has not processed it (GOAWAY and REFUSED_STREAM, RFC 9113
/// sections 6.8 and 8.7; HTTP_1_1_REQUIRED) or if a pooled connection was lost (RFC 9112 section 9.3.1). One budget
/// serves the request through all its redirects, challenges and retries. Otherwise a server could multiply each retry
/// by the number of repeats.
struct RepeatBudget: Sendable {
    /// The maximum number of repeats of one request, which ``SessionRetryPolicy`` documents.
    static let limit = 4

    private var left = limit

    /// Takes one repeat.
    ///
    /// - Returns: Whether a repeat was left.
    mutating func take() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}

/// The budget of answers to challenges of one request, including its redirects and retries.
///
/// A server chooses its realms. Without a limit, a server that names a new realm each time would receive the password
/// each time.
struct ChallengeResponseBudget {
    /// The maximum number of answers by one method that a server may reject, across all realms.
    static let limitPerServer = 5
    /// The maximum number of answers of one request to all servers, including accepted ones.
    static let limitPerRequest = 10

    /// A protection space without its realm.
    private struct Place: Hashable {
        let host: String
        let port: Int
        let scheme: String
        let role: ProtectionSpace.Role
        let method: AuthenticationMethod

        init(_ space: ProtectionSpace) {
            (host, port, scheme) = (space.host.description, space.port, space.scheme)
            (role, method) = (space.role, space.method)
        }
    }

    private var total = 0
    private var open: [Place: Int] = [:]

    /// Takes one answer from the budget.
    ///
    /// - Returns: Whether an answer was left; if not, nothing may be sent.
    mutating func take(for space: ProtectionSpace) -> Bool {
        let place = Place(space)
        let taken = open[place] ?? 0
        guard total < Self.limitPerRequest, taken < Self.limitPerServer else { return false }
        total += 1
        open[place] = taken + 1
        return true
    }

    /// Records that the server accepted an answer, so that its earlier rejections no longer count.
    mutating func noteAcceptance(in space: ProtectionSpace) {
        if !open.isEmpty { open[Place(space)] = nil }
    }
}
