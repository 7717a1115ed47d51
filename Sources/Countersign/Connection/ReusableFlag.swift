// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// Whether a connection survived its last exchange.
final class ReusableFlag: Sendable {
    private let box = NIOLockedValueBox(false)

    var value: Bool { box.withLockedValue { $0 } }

    func set(_ value: Bool) {
        box.withLockedValue { $0 = value }
    }
}
