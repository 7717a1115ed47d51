// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations
import NIOConcurrencyHelpers

/// The outcomes of all scenarios.
final class Tally: Sendable {
    private struct State {
        var begun = 0
        var running = 0
        var finished = 0
        var cancelled = 0
        var outcomes: [String: Int] = [:]
        var unexpectedOutcomes: [String: Int] = [:]
    }

    private let state = NIOLockedValueBox(State())

    var running: Int { state.withLockedValue(\.running) }

    /// The unexpected outcomes, with their number.
    var unexpectedOutcomes: [String: Int] { state.withLockedValue(\.unexpectedOutcomes) }

    /// Returns the number of the next scenario, starting with 1.
    func nextNumber() -> Int {
        state.withLockedValue { state in
            state.begun += 1
            return state.begun
        }
    }

    func begin() { state.withLockedValue { $0.running += 1 } }

    func end() { state.withLockedValue { ($0.running, $0.finished) = ($0.running - 1, $0.finished + 1) } }

    /// Records an outcome.
    ///
    /// - Parameters:
    ///   - scenario: The scenario with the expected outcome.
    ///   - result: The status or the error.
    ///   - wasCancelled: Whether the request was cancelled.
    /// - Returns: Whether the outcome is unexpected.
    func note(_ scenario: Scenario, _ result: Result<Int, any Error>, wasCancelled: Bool) -> Bool {
        state.withLockedValue { state in
            switch (scenario.outcome, result) {
            case (_, .failure(is CancellationError)) where wasCancelled:
                state.cancelled += 1
            case (.status(let expected), .success(let status)) where status == expected:
                state.outcomes["\(status)", default: 0] += 1
            case (.typed, .success(let status)):
                state.outcomes["\(status)", default: 0] += 1
            case (.typed, .failure(let error as SessionError)):
                state.outcomes[Self.name(error), default: 0] += 1
            case (_, let result):
                state.unexpectedOutcomes["\(scenario.name): \(result)".prefix(300).description, default: 0] += 1
                return true
            }
            return false
        }
    }

    private static func name(_ error: SessionError) -> String { error.code }

    var lines: [String] {
        state.withLockedValue { state in
            ["\(state.finished) scenarios, \(state.cancelled) of them cancelled"]
                + state.outcomes.sorted { $0.key < $1.key }.map { "\($0.value)\t\($0.key)" }
                + state.unexpectedOutcomes.sorted { $0.key < $1.key }.map { "UNEXPECTED \($0.value)\t\($0.key)" }
        }
    }
}
