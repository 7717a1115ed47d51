// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tells the time of day of what was measured by a clock that knows none.
struct WallClock: Sendable {
    let start = ContinuousClock.now
    private let date = Date.now

    func text(_ instant: ContinuousClock.Instant) -> String {
        let time = date.addingTimeInterval((instant - start).milliseconds / 1_000)
        return time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension Duration {
    /// To the microsecond.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return (Double(seconds) * 1e6 + Double(attoseconds) / 1e12).rounded() / 1e3
    }
}
