// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// Decides between the end of an exchange and its cancellation: once it has ended, the connection may be another's.
final class ExchangeClaim: Sendable {
    private enum State {
        case underWay
        case ended
        case cancelled
    }

    private let state = NIOLockedValueBox(State.underWay)

    /// - Returns: Whether the connection may be given to others; not where the exchange was cancelled before.
    func end() -> Bool { settle(.ended) }

    /// - Returns: Whether the connection is to be closed; not where the exchange has ended before.
    func cancel() -> Bool { settle(.cancelled) }

    private func settle(_ end: State) -> Bool {
        state.withLockedValue { state in
            guard case .underWay = state else { return false }
            state = end
            return true
        }
    }
}
