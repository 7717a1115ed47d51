// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// A connection of HTTP/2 as the pool sees it: how many streams the server allows, and whether it takes new ones.
final class HTTP2Streams: Sendable {
    private struct State {
        var limit = HTTP2ConnectionStateMachine.defaultStreamLimit
        var isDraining = false
        var isOver = false
        var listener: (@Sendable () -> Void)?
    }

    private let state = NIOLockedValueBox(State())

    /// How many streams may be open at once.
    var limit: Int { state.withLockedValue { $0.isDraining ? 0 : $0.limit } }

    /// Whether the server takes no new stream any more (GOAWAY, RFC 9113 section 6.8).
    var isDraining: Bool { state.withLockedValue(\.isDraining) }

    /// Sets the closure that is called, on the connection's event loop, when the limit changes or the server takes no stream.
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

    /// The connection is closed; the listener holds it and is held by it, so it is released here.
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
