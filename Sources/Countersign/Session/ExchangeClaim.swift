// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

/// Whether an exchange is settled: whoever comes first decides what becomes of its connection.
final class ExchangeClaim: Sendable {
    private let isSettled = Atomic(false)

    /// - Returns: Whether this came first, and decides.
    func settle() -> Bool { !isSettled.exchange(true, ordering: .acquiringAndReleasing) }
}
