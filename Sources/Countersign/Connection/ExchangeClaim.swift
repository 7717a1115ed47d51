// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// Decides between the end of an exchange and its cancellation: once it has ended, the connection may be another's.
final class ExchangeClaim: Sendable {
    private let isSettled = NIOLockedValueBox(false)

    /// - Returns: Whether this came first, and decides.
    func settle() -> Bool {
        isSettled.withLockedValue { settled in
            defer { settled = true }
            return !settled
        }
    }
}
