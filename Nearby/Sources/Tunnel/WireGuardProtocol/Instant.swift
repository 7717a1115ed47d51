// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A time of the clock that goes on while the system sleeps, as `ContinuousClock` does.
///
/// The layout of `ContinuousClock.Instant` is not known when this is compiled, so that the work for each packet would ask for it again
/// wherever a value holds one. The type is public, as the compiler calls what is of the package in other modules and does not inline it.
public struct Instant: Comparable, Hashable, Sendable {
    /// The nanoseconds since a time that is the same for the whole process.
    public let nanoseconds: Int64

    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The present time.
    public static var now: Instant {
        #if canImport(Darwin)
            return Instant(nanoseconds: Nanoseconds(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)))
        #else
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return Instant(nanoseconds: Nanoseconds(time.tv_sec) * Limits.second + Nanoseconds(time.tv_nsec))
        #endif
    }

    /// Whether an instant is before another one.
    @inlinable public static func < (one: Instant, two: Instant) -> Bool { one.nanoseconds < two.nanoseconds }

    /// Without the witness of `<`.
    @inlinable public static func <= (one: Instant, two: Instant) -> Bool { one.nanoseconds <= two.nanoseconds }

    /// The instant after a time.
    public static func + (instant: Instant, duration: Duration) -> Instant { instant + duration.nanoseconds }

    /// The time from the second instant to the first one.
    public static func - (one: Instant, two: Instant) -> Duration { .nanoseconds(one.nanoseconds(since: two)) }

    /// Moves an instant.
    public static func += (instant: inout Instant, duration: Duration) { instant = instant + duration }

    static func + (instant: Instant, duration: Nanoseconds) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + duration)
    }

    /// The time since another instant in nanoseconds, which costs less than a `Duration`.
    @inlinable public func nanoseconds(since other: Instant) -> Int64 { nanoseconds - other.nanoseconds }
}
