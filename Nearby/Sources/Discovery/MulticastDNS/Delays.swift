// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An instant of the clock that continues while the computer sleeps, so that records also age during sleep.
package typealias Instant = ContinuousClock.Instant

/// A generator of random delays (SplitMix64); no secret depends on them.
package struct Delays: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator that produces the same delays for the same seed.
    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &self))
    }
}
