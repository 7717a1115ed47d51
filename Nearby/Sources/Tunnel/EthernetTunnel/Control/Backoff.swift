// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The exponential backoff between attempts: from 1 s doubling to 60 s, with a random factor between one half and one,
/// so that many peers of one listener do not reconnect at once.
struct Backoff {
    private static let greatest = 60.0
    private var next = 1.0

    /// Returns the delay before the next attempt.
    mutating func take(using random: inout some RandomNumberGenerator) -> Duration {
        defer { next = min(next * 2, Self.greatest) }
        return .seconds(Double.random(in: next / 2...next, using: &random))
    }

    /// Resets the delay after a successful attempt.
    mutating func reset() { next = 1 }
}
