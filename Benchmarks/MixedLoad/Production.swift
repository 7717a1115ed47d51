// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOConcurrencyHelpers

/// The number of bytes that the client has requested from a scenario's body, and the time of the last part.
final class Production: Sendable, CustomStringConvertible {
    private struct State {
        var size = 0
        var last: ContinuousClock.Instant?
    }

    /// The request field with which the report of an exchange is matched to its scenario.
    static let field = HTTPField.Name.userAgent

    let number: Int
    private let start = ContinuousClock.now
    private let state = NIOLockedValueBox(State())

    init(number: Int) {
        self.number = number
    }

    func note(_ size: Int) {
        state.withLockedValue { $0 = State(size: $0.size + size, last: .now) }
    }

    var description: String {
        let state = state.withLockedValue { $0 }
        let last = state.last.map { "the last \(ContinuousClock.now - $0) ago" } ?? "none yet"
        return "scenario \(number), begun \(ContinuousClock.now - start) ago: \(state.size) bytes produced, \(last)"
    }
}
