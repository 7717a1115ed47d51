// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

/// The number of requests that a session is sending, until each has a response or an error.
final class RunningRequests: Sendable {
    private struct State {
        var count = 0
        var phase = Phase.open
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private enum Phase {
        case open
        /// The running requests may end, and no new request is accepted.
        case ending
        /// The running requests fail as soon as they need a connection.
        case aborted
    }

    private let state = Mutex(State())

    /// Whether the running requests are to fail.
    var isAborted: Bool { state.withLock { $0.phase == .aborted } }

    /// Counts a request until ``end()``.
    ///
    /// - Throws: ``SessionError`` of ``Cancellation/sessionClosed`` if no new request is accepted.
    func begin() throws(SessionError) {
        let isOpen = state.withLock { state in
            if state.phase == .open { state.count += 1 }
            return state.phase == .open
        }
        guard isOpen else { throw .cancelled(.sessionClosed) }
    }

    func end() {
        resume { $0.count -= 1 }
    }

    /// Refuses new requests.
    func refuseNew() {
        resume { if $0.phase == .open { $0.phase = .ending } }
    }

    /// Refuses new requests, and ends the wait for running ones.
    func abort() {
        resume { $0.phase = .aborted }
    }

    /// Waits until no request is running, or ``abort()`` is called.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            resume { $0.waiters.append(continuation) }
        }
    }

    /// Changes the state, and resumes the waiting tasks if the wait has ended.
    private func resume(after change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            guard !state.waiters.isEmpty, state.count == 0 || state.phase == .aborted else {
                return [CheckedContinuation<Void, Never>]()
            }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
