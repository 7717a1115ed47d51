// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOConcurrencyHelpers

/// Notes the redirects of one transfer while they are followed.
final class RedirectHistory: Sendable {
    private let followed = NIOLockedValueBox<[(redirect: Redirect, time: ContinuousClock.Instant)]>([])

    var count: Int { followed.withLockedValue { $0.count } }
    var last: Redirect? { followed.withLockedValue { $0.last?.redirect } }
    /// When the last one came.
    var lastTime: ContinuousClock.Instant? { followed.withLockedValue { $0.last?.time } }

    func note(_ redirect: Redirect) { followed.withLockedValue { $0.append((redirect, .now)) } }
}
