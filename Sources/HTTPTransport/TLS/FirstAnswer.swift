// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

/// Asks a question once, however often it is put: NIOSSL repeats its request for an identity with every read that
/// arrives while the first is pending.
final class FirstAnswer: Sendable {
    private let pending = NIOLockedValueBox<EventLoopFuture<NIOSSLContextConfigurationOverride>?>(nil)

    func request(
        _ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>,
        ask: (EventLoopPromise<NIOSSLContextConfigurationOverride>) -> Void
    ) {
        let earlier = pending.withLockedValue { pending in
            defer { pending = pending ?? promise.futureResult }
            return pending
        }
        if let earlier {
            earlier.cascade(to: promise)
        } else {
            ask(promise)
        }
    }
}
