// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// The idle timer for all exchanges of a connection, on one event loop:
/// it ends exchanges whose peer is silent for too long.
///
/// One timer is cheaper than one for each exchange, which would have to be found among all timers when
/// the exchange ends.
final class IdleMonitor {
    /// The idle timeout of an exchange's peer, unless the exchange has its own.
    let limit: TimeAmount
    private let loop: any EventLoop
    private var watched: [ObjectIdentifier: any IdleMonitored] = [:]
    private var timer: Scheduled<Void>?
    /// The time of the next check.
    private var checkTime = NIODeadline.distantFuture

    init(limit: Duration, on loop: any EventLoop) {
        (self.limit, self.loop) = (TimeAmount(limit), loop)
    }

    deinit { timer?.cancel() }

    /// Monitors an exchange whose peer was active just now, until ``end(_:)``.
    ///
    /// - Parameters:
    ///   - one: The exchange.
    ///   - limit: The exchange's own idle timeout; `nil` for the monitor's.
    func begin(_ one: any IdleMonitored, limit: TimeAmount?) {
        watched[ObjectIdentifier(one)] = one
        let time = NIODeadline.now() + (limit ?? self.limit)
        if timer == nil || time < checkTime { setTimer(at: time) }
    }

    func end(_ one: any IdleMonitored) {
        watched[ObjectIdentifier(one)] = nil
    }

    private func setTimer(at time: NIODeadline) {
        timer?.cancel()
        checkTime = time
        timer = loop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in self?.prepareCheck() }
    }

    /// Delays the check until pending input is read: the event loop itself may have been busy for the whole timeout.
    private func prepareCheck() {
        timer = loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { [weak self] in self?.look() }
    }

    private func look() {
        timer = nil
        // An exchange that has timed out is no longer monitored.
        let next = Array(watched.values).compactMap { $0.checkIdleTimeout() }.min()
        if let next { setTimer(at: next) }
    }
}

/// An exchange with an idle timeout.
protocol IdleMonitored: AnyObject {
    /// Fails the exchange if its peer has been silent for too long.
    ///
    /// - Returns: The time of the next check; `nil` if the next exchange determines it.
    func checkIdleTimeout() -> NIODeadline?
}
