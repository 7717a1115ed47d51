// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Logging
import NIOConcurrencyHelpers

/// Tells the user's logger what happens, and not the same thing without end.
final class SessionLog: Sendable {
    private let logger: Logger
    private let throttle: NIOLockedValueBox<LogThrottle>?

    init(_ logger: Logger, limit: LogLimit?) {
        self.logger = logger
        throttle = limit.map { NIOLockedValueBox(LogThrottle($0)) }
    }

    /// Logs an event, with the number of those that were left out before it.
    func note(_ event: SessionEvent) {
        guard logger.logLevel <= .debug else { return }
        let subject = event.subject
        guard let suppressed = throttle.map({ $0.withLockedValue { $0.admit(subject, at: .now) } }) ?? 0 else { return }
        logger.debug("\(event.summary)", metadata: suppressed > 0 ? ["suppressed": "\(suppressed)"] : nil)
    }
}
