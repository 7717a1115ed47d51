// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How long to wait before the next attempt: from 1 s doubling to 60 s, each between half and whole, so that many peers of one listener
/// do not come back at once.
struct Backoff {
    private static let greatest = 60.0
    private var next = 1.0

    /// The time before the next attempt.
    mutating func take(using random: inout some RandomNumberGenerator) -> Duration {
        defer { next = min(next * 2, Self.greatest) }
        return .seconds(Double.random(in: next / 2...next, using: &random))
    }

    /// After success.
    mutating func reset() { next = 1 }
}
