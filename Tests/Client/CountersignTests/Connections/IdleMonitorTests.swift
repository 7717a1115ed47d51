// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix
import Testing

@testable import Countersign
@testable import HTTPTransport

/// One timer checks each exchange at its deadline, and no other exchange.
@Suite struct IdleMonitorTests {
    /// A silent exchange that returns a list of deadlines.
    private final class Listener: IdleMonitored {
        var waits: [TimeAmount]
        private(set) var checks = 0

        /// - Parameter waits: The time from each check to the next; after the last one, the monitor stops checking.
        init(_ waits: [TimeAmount] = []) { self.waits = waits }

        func checkIdleTimeout() -> NIODeadline? {
            checks += 1
            return waits.isEmpty ? nil : .now() + waits.removeFirst()
        }
    }

    private static let loop = MultiThreadedEventLoopGroup.singleton.any()

    /// Returns the number of checks of each exchange after the given time.
    private func checks(
        at waits: [[TimeAmount]], after time: TimeAmount, termination: Int? = nil, beginningAgain: Int? = nil
    ) async throws -> [Int] {
        let scene = try await Self.loop.submit {
            let watch = IdleMonitor(limit: .milliseconds(40), on: Self.loop)
            let listeners = waits.map(Listener.init)
            for listener in listeners { watch.begin(listener, limit: nil) }
            if let termination { watch.end(listeners[termination]) }
            return NIOLoopBound((watch, listeners), eventLoop: Self.loop)
        }.get()
        return try await Self.loop.flatScheduleTask(in: time) {
            let (watch, listeners) = scene.value
            guard let beginningAgain else { return Self.loop.makeSucceededFuture(listeners.map(\.checks)) }
            watch.begin(listeners[beginningAgain], limit: nil)
            return Self.loop.scheduleTask(in: time) { scene.value.1.map(\.checks) }.futureResult
        }.futureResult.get()
    }

    @Test("Each listener is checked once") func firstCheck() async throws {
        #expect(try await checks(at: [[], []], after: .milliseconds(150)) == [1, 1])
    }

    @Test("A listener that ended is not checked") func ended() async throws {
        #expect(try await checks(at: [[], []], after: .milliseconds(150), termination: 1) == [1, 0])
    }

    @Test("The watch checks at the earliest deadline") func soonest() async throws {
        #expect(try await checks(at: [[.hours(1)], [.milliseconds(20)]], after: .milliseconds(500)) == [2, 2])
    }

    @Test("An exchange's own limit is checked in time", arguments: [[nil, 40], [600_000, 40], [40, 600_000]])
    func ownLimit(limits: [Int64?]) async throws {
        let scene = try await Self.loop.submit {
            let watch = IdleMonitor(limit: .seconds(3600), on: Self.loop)
            let listeners = limits.map { _ in Listener() }
            for (listener, limit) in zip(listeners, limits) {
                watch.begin(listener, limit: limit.map(TimeAmount.milliseconds))
            }
            return NIOLoopBound((watch, listeners), eventLoop: Self.loop)
        }.get()
        let checks = try await Self.loop.scheduleTask(in: .milliseconds(150)) { scene.value.1.map(\.checks) }
            .futureResult.get()
        #expect(checks == [1, 1])
    }

    @Test("A restarted listener is checked again") func restarted() async throws {
        #expect(try await checks(at: [[]], after: .milliseconds(150), beginningAgain: 0) == [2])
    }
}
