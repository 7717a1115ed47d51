// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// A timeout for each silence of the server in a handshake, which pauses while a challenge is answered.
///
/// It schedules one callback, which then checks the deadline: a new one for each step would wake the event loop several
/// times for each connection.
final class HandshakeTimer: Sendable {
    private enum State {
        case notStarted
        case waiting(until: NIODeadline)
        case paused
        case over
    }

    private let limit: TimeAmount
    private let giveUp: @Sendable () -> Void
    private let state = NIOLockedValueBox(State.notStarted)
    private let alarm = NIOLockedValueBox<NIOScheduledCallback?>(nil)

    /// Creates a timer.
    ///
    /// - Parameters:
    ///   - limit: The timeout.
    ///   - giveUp: Called on the event loop after the timeout, at most once.
    init(_ limit: Duration, giveUp: @escaping @Sendable () -> Void) {
        self.limit = TimeAmount(limit)
        self.giveUp = giveUp
    }

    /// Starts the timer at the first moment at which the server could send; call it on the event loop.
    ///
    /// - Returns: Whether this is the first start.
    @discardableResult
    func start(on loop: any EventLoop) -> Bool {
        let isFirst = state.withLockedValue { state in
            guard case .notStarted = state else { return false }
            state = .waiting(until: .now() + limit)
            return true
        }
        if isFirst { setAlarm(at: .now() + limit, on: loop) }
        return isFirst
    }

    /// Pauses the timer because the server has sent a message, which is being processed.
    func pause() {
        state.withLockedValue { state in
            if case .over = state { return }
            state = .paused
        }
    }

    /// Resumes the timer because the server's next message is expected.
    func resume() {
        state.withLockedValue { state in
            if case .paused = state { state = .waiting(until: .now() + limit) }
        }
    }

    /// Ends the timer after the handshake; call it on the event loop.
    func end() {
        state.withLockedValue { $0 = .over }
        alarm.withLockedValue { alarm in
            alarm?.cancel()
            alarm = nil
        }
    }

    private func setAlarm(at time: NIODeadline, on loop: any EventLoop) {
        guard let callback = try? loop.scheduleCallback(at: time, handler: self) else { return giveUp() }
        alarm.withLockedValue { $0 = callback }
    }
}

extension HandshakeTimer: NIOScheduledCallbackHandler {
    func handleScheduledCallback(eventLoop: some EventLoop) {
        switch state.withLockedValue({ look(at: &$0) }) {
        case .again(let time): setAlarm(at: time, on: eventLoop)
        case .timeIsUp: giveUp()
        case .nothing: return
        }
    }

    private enum Finding {
        case again(at: NIODeadline)
        case timeIsUp
        case nothing
    }

    private func look(at state: inout State) -> Finding {
        switch state {
        case .waiting(let deadline):
            guard deadline <= .now() else { return .again(at: deadline) }
            state = .over
            return .timeIsUp
        case .paused:
            // Even if the answer comes now, the timeout cannot pass before that time.
            return .again(at: .now() + limit)
        case .notStarted, .over:
            return .nothing
        }
    }
}
