// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Records the progress of both sides in exchanges that timed out, and the delays of the machine at the same time.
///
/// A stalled transfer is a defect if the machine runs tasks in time, but not if it runs them a minute late.
final class StallLog: Sendable {
    private struct Lateness {
        let noted: ContinuousClock.Instant
        let length: Duration
    }

    private struct State {
        var texts: [Int: [String]] = [:]
        /// The delays of the last minutes, by the delayed component.
        var latenesses: [String: [Lateness]] = [:]
    }

    private static let interval = Duration.milliseconds(500)
    /// The period in which delays are relevant, which exceeds the longest timeout of the sessions.
    private static let window = Duration.seconds(90)

    private let lab: Lab
    private let state = NIOLockedValueBox(State())

    init(lab: Lab) {
        self.lab = lab
    }

    /// Records a failed exchange, while the server still knows its connection.
    func note(_ event: SessionEvent) {
        guard case .exchanged(let report) = event.kind, let failure = report.failure,
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

    /// Returns the records of a scenario and of the machine.
    func text(of number: Int) -> String {
        state.withLockedValue { state in
            let late = state.latenesses.sorted { $0.key < $1.key }.map { name, latenesses in
                "  \(name) was late by at most \(latenesses.map(\.length).max() ?? .zero) in the last \(Self.window)"
            }
            return ((state.texts[number] ?? ["  no exchange of it failed"]) + late).joined(separator: "\n")
        }
    }

    /// Starts tasks that measure the delays of event loops and tasks.
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
