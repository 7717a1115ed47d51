// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Records, for exchanges that timed out, how far each side had come, and how late the machine was in the meantime.
///
/// A stalled transfer on a machine that runs tasks in time is a defect. On one that runs them a minute late it is not.
final class StallLog: Sendable {
    private struct Lateness {
        let noted: ContinuousClock.Instant
        let length: Duration
    }

    private struct State {
        var texts: [Int: [String]] = [:]
        /// By what was late, for the last minutes.
        var latenesses: [String: [Lateness]] = [:]
    }

    private static let interval = Duration.milliseconds(500)
    /// How far back lateness counts: longer than the longest limit of a session here.
    private static let window = Duration.seconds(90)

    private let lab: Lab
    private let state = NIOLockedValueBox(State())

    init(lab: Lab) {
        self.lab = lab
    }

    /// Records an exchange that failed, while its connection is still known to the server.
    func note(_ event: SessionEvent) {
        guard case .exchanged(let report) = event, let failure = report.failure,
            let number = report.headerFields[Production.field].flatMap({ Int($0) })
        else { return }
        let receipt = report.connection.localPort.flatMap { lab.receipt(fromClientPort: $0) }
        let received = receipt.map {
            "\($0.size) bytes on the connection, the last \(ContinuousClock.now - $0.last) ago"
        }
        let text = """
              \(report.method) \(report.url) from port \(report.connection.localPort ?? 0), started \
            \(ContinuousClock.now - report.start) ago: \(failure); the server received \(received ?? "nothing that is known")
            """
        state.withLockedValue { $0.texts[number, default: []].append(text) }
    }

    /// What was recorded of a scenario, and of the machine.
    func text(of number: Int) -> String {
        state.withLockedValue { state in
            let late = state.latenesses.sorted { $0.key < $1.key }.map { name, latenesses in
                "  \(name) was late by at most \(latenesses.map(\.length).max() ?? .zero) in the last \(Self.window)"
            }
            return ((state.texts[number] ?? ["  no exchange of it failed"]) + late).joined(separator: "\n")
        }
    }

    /// Measures from now on how late event loops and tasks run.
    func heartbeats() -> [Task<Void, Never>] {
        let loops = MultiThreadedEventLoopGroup.singleton.makeIterator().enumerated().map { number, loop in
            beat("event loop \(number)") { try? await loop.submit {}.get() }
        }
        return loops + [beat("a task") {}]
    }

    private func beat(_ name: String, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                let start = ContinuousClock.now
                try? await Task.sleep(for: Self.interval)
                await work()
                let now = ContinuousClock.now
                let lateness = Lateness(noted: now, length: now - start - Self.interval)
                state.withLockedValue { state in
                    state.latenesses[name, default: []].removeAll { now - $0.noted > Self.window }
                    state.latenesses[name, default: []].append(lateness)
                }
            }
        }
    }
}
