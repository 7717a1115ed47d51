// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import NIOConcurrencyHelpers
import NIOCore

/// Keeps a connection that is being authenticated from the pool until it is known whose it is.
final class ConnectionCustody: Sendable {
    private enum State {
        /// The response is still arriving, and nothing is decided.
        case exchanging
        /// The response has ended, and nothing is decided.
        case waiting(isReusable: Bool)
        case released
        case dismissed
    }

    let connection: HTTPConnection
    private let release: @Sendable () -> Void
    private let state = NIOLockedValueBox(State.exchanging)

    /// Takes a connection into custody; the closure puts it where others take it from.
    init(of connection: HTTPConnection, release: @escaping @Sendable () -> Void) {
        self.connection = connection
        self.release = release
    }

    /// Whether the response has ended and the next message can follow.
    var isReady: Bool {
        state.withLockedValue { if case .waiting(isReusable: true) = $0 { true } else { false } }
    }

    /// The response has ended.
    func end(isReusable: Bool) {
        let decided = state.withLockedValue { state in
            defer { if case .exchanging = state { state = .waiting(isReusable: isReusable) } }
            return state
        }
        switch decided {
        case .released where isReusable: release()
        case .dismissed: connection.channel.close(promise: nil)
        default: break
        }
    }

    /// Others who present the same credential may have the connection, once the response has ended.
    func letGo() {
        guard case .waiting(isReusable: true) = decide(.released) else { return }
        release()
    }

    /// Nobody may have the connection any more, once the response has ended.
    func dismiss() {
        guard case .waiting = decide(.dismissed) else { return }
        connection.channel.close(promise: nil)
    }

    private func decide(_ decision: State) -> State {
        state.withLockedValue { state in
            defer { state = decision }
            return state
        }
    }
}
