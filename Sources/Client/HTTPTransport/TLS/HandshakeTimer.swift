// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// How long a server may be silent during a handshake; while a question is answered nothing is counted.
///
/// It sets one alarm and looks then whether the time is really up: to set one anew at each step would wake the event loop
/// several times for each connection.
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

    /// - Parameters:
    ///   - limit: How long.
    ///   - giveUp: Called on the event loop, at most once.
    init(_ limit: Duration, giveUp: @escaping @Sendable () -> Void) {
        self.limit = TimeAmount(limit)
        self.giveUp = giveUp
    }

    /// Call it on the event loop, when the server could speak for the first time.
    func start(on loop: any EventLoop) {
        let isFirst = state.withLockedValue { state in
            guard case .notStarted = state else { return false }
            state = .waiting(until: .now() + limit)
            return true
        }
        if isFirst { setAlarm(at: .now() + limit, on: loop) }
    }

    /// The server has spoken, and what it said is looked at.
    func pause() {
        state.withLockedValue { state in
            if case .over = state { return }
            state = .paused
        }
    }

    /// It is the server's turn.
    func resume() {
        state.withLockedValue { state in
            if case .paused = state { state = .waiting(until: .now() + limit) }
        }
    }

    /// Call it on the event loop, when the handshake is over.
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
            // However soon the answer is given, the time is not up before that.
            return .again(at: .now() + limit)
        case .notStarted, .over:
            return .nothing
        }
    }
}
