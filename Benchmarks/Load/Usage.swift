// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CAllocationCount
import POSIX

/// The resources that this process has used up to an instant, with times in seconds.
struct Usage {
    var seconds: Double
    var user: Double
    var system: Double
    var allocations: Int

    static var now: Self {
        let usage = resources
        return Self(
            seconds: ContinuousClock.now.seconds, user: usage.ru_utime.seconds, system: usage.ru_stime.seconds,
            allocations: Int(allocation_count()))
    }

    func since(_ start: Self) -> Self {
        Self(
            seconds: seconds - start.seconds, user: user - start.user, system: system - start.system,
            allocations: allocations - start.allocations)
    }

    /// The peak memory of the process, in KiB.
    static var peak: Int {
        #if canImport(Darwin)
            resources.ru_maxrss / 1024
        #else
            resources.ru_maxrss
        #endif
    }

    #if canImport(Glibc)
        private static var who: __rusage_who_t { __rusage_who_t(RUSAGE_SELF.rawValue) }
    #else
        private static var who: Int32 { RUSAGE_SELF }
    #endif

    private static var resources: rusage {
        var usage = rusage()
        _ = getrusage(who, &usage)
        return usage
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}

extension ContinuousClock.Instant {
    private static let start = ContinuousClock.now

    fileprivate var seconds: Double { Self.start.duration(to: self) / .seconds(1) }
}
