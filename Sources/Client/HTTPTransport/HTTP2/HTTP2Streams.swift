// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// The state of an HTTP/2 connection for the pool: its stream limit, and whether it accepts new streams.
final class HTTP2Streams: Sendable {
    private struct State {
        var limit = HTTP2ConnectionStateMachine.defaultStreamLimit
        var isDraining = false
        var isOver = false
        var listener: (@Sendable () -> Void)?
    }

    private let state = NIOLockedValueBox(State())

    /// The maximum number of open streams.
    var limit: Int { state.withLockedValue { $0.isDraining ? 0 : $0.limit } }

    /// Whether the server accepts no further streams (GOAWAY, RFC 9113 section 6.8).
    var isDraining: Bool { state.withLockedValue(\.isDraining) }

    /// Sets the closure that is called, on the connection's event loop,
    /// when the limit changes or no further stream is accepted.
    func listen(_ listener: @escaping @Sendable () -> Void) {
        state.withLockedValue { if !$0.isOver { $0.listener = listener } }
    }

    // MARK: The handler's side

    func setLimit(_ limit: Int) {
        change { $0.limit = limit }
    }

    func drain() {
        change { $0.isDraining = true }
    }

    /// Notes that the connection is closed, and releases the listener, which forms a reference cycle.
    func end() {
        drain()
        state.withLockedValue { ($0.listener, $0.isOver) = (nil, true) }
    }

    private func change(_ change: (inout State) -> Void) {
        let listener = state.withLockedValue { state in
            change(&state)
            return state.listener
        }
        listener?()
    }
}
