// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Ends the exchanges of a connection whose peer is silent for too long, with one timer for all, on one event loop.
///
/// A separate timer for every exchange has to be found again among all others when the exchange ends.
final class IdleMonitor {
    /// How long the peer of an exchange may be silent.
    let limit: TimeAmount
    private let loop: any EventLoop
    private var watched: [ObjectIdentifier: any IdleMonitored] = [:]
    private var timer: Scheduled<Void>?

    init(limit: Duration, on loop: any EventLoop) {
        (self.limit, self.loop) = (TimeAmount(limit), loop)
    }

    deinit { timer?.cancel() }

    /// Watches an exchange whose peer was heard just now, until ``end(_:)``.
    func begin(_ one: any IdleMonitored) {
        watched[ObjectIdentifier(one)] = one
        if timer == nil { setTimer(at: .now() + limit) }
    }

    func end(_ one: any IdleMonitored) {
        watched[ObjectIdentifier(one)] = nil
    }

    private func setTimer(at time: NIODeadline) {
        timer?.cancel()
        timer = loop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in self?.prepareToLook() }
    }

    /// The loop may itself have been busy for so long: whatever has waited for it in the meantime is heard first.
    private func prepareToLook() {
        timer = loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { [weak self] in self?.look() }
    }

    private func look() {
        timer = nil
        // An exchange that is found silent is no longer watched.
        let next = Array(watched.values).compactMap { $0.checkIdleTimeout() }.min()
        if let next { setTimer(at: next) }
    }
}

/// An exchange whose peer may be silent only for a limited time.
protocol IdleMonitored: AnyObject {
    /// Does what is to be done where the silence has lasted too long.
    ///
    /// - Returns: When to look again; `nil` where the next exchange sets the time.
    func checkIdleTimeout() -> NIODeadline?
}
