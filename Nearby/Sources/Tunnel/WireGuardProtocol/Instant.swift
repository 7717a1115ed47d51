// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An instant of the clock that continues while the system sleeps, like that of `ContinuousClock`.
///
/// The layout of `ContinuousClock.Instant` is unknown at compile time, so the processing of every packet would query it
/// at run time for each value that contains such an instant. The type is public, because the compiler calls package
/// symbols of other modules without inlining them.
public struct Instant: Comparable, Hashable, Sendable {
    /// The nanoseconds since a reference time that is constant for the process.
    public let nanoseconds: Int64

    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The current time.
    public static var now: Instant {
        #if canImport(Darwin)
            return Instant(nanoseconds: Nanoseconds(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)))
        #else
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return Instant(nanoseconds: Nanoseconds(time.tv_sec) * Limits.second + Nanoseconds(time.tv_nsec))
        #endif
    }

    /// Returns whether an instant is before another one.
    @inlinable public static func < (one: Instant, two: Instant) -> Bool { one.nanoseconds < two.nanoseconds }

    /// Returns whether an instant is not after another one, without calling the protocol witness of `<`.
    @inlinable public static func <= (one: Instant, two: Instant) -> Bool { one.nanoseconds <= two.nanoseconds }

    /// Returns the instant after a duration.
    public static func + (instant: Instant, duration: Duration) -> Instant { instant + duration.nanoseconds }

    /// Returns the duration from the second instant to the first.
    public static func - (one: Instant, two: Instant) -> Duration { .nanoseconds(one.nanoseconds(since: two)) }

    /// Advances an instant by a duration.
    public static func += (instant: inout Instant, duration: Duration) { instant = instant + duration }

    static func + (instant: Instant, duration: Nanoseconds) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + duration)
    }

    /// Returns the nanoseconds since another instant, which is cheaper than a `Duration`.
    @inlinable public func nanoseconds(since other: Instant) -> Int64 { nanoseconds - other.nanoseconds }
}
