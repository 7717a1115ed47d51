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

/// Bounds how often one request is sent again without a retry policy's say.
///
/// The session repeats a request by itself where the server has not processed it (GOAWAY and REFUSED_STREAM, RFC 9113 sections
/// 6.8 and 8.7; HTTP_1_1_REQUIRED) and where a pooled connection was lost (RFC 9112 section 9.3.1). One budget serves the request
/// through all its redirects, challenges and retries. Otherwise a server could multiply each retry by the number of repeats.
struct RepeatBudget: Sendable {
    /// How often one request is repeated; ``RetryPolicy`` documents the number.
    static let limit = 4

    private var left = limit

    /// Takes one repeat.
    ///
    /// - Returns: Whether there was one left.
    mutating func take() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}

/// Counts the answers that one request gives to challenges, through its redirects and retries.
///
/// A server chooses its realms. Without a bound, one that names a new realm each time would be given the password each time.
struct ChallengeResponseBudget {
    /// How many answers of one method a server may reject, whatever realms it names.
    static let limitPerServer = 5
    /// How many answers one request gives to all servers together, accepted ones included.
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

    /// Takes one answer from what is left.
    ///
    /// - Returns: Whether there was one left; if not, nothing may be sent.
    mutating func take(for space: ProtectionSpace) -> Bool {
        let place = Place(space)
        let taken = open[place] ?? 0
        guard total < Self.limitPerRequest, taken < Self.limitPerServer else { return false }
        total += 1
        open[place] = taken + 1
        return true
    }

    /// The server accepted an answer: what it rejected before counts no more.
    mutating func noteAcceptance(in space: ProtectionSpace) {
        if !open.isEmpty { open[Place(space)] = nil }
    }
}
