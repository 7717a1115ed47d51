// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Glibc

    /// Looks for the next packet again and again for a moment before the thread sleeps, where that has been worth it.
    ///
    /// To sleep and be woken takes longer than many answers take to come. Each time that none comes, the next times are left out: one,
    /// three, seven and up to 127, so that a thread whose packets come rarely spends less than 1 µs more for each.
    struct Spin {
        /// How long a thread looks.
        static let moment = Duration.microseconds(60)
        private static let greatestPenalty = 127
        private static let isPossible = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

        private var penalty = 0
        private var left = 0

        /// Whether to look now; counts the times.
        mutating func isWorthwhile() -> Bool {
            if left == 0 { return true }
            left -= 1
            return false
        }

        /// Notes whether a packet came.
        mutating func note(success: Bool) {
            penalty = success ? 0 : min(penalty * 2 + 1, Self.greatestPenalty)
            left = penalty
        }

        /// Waits for events.
        ///
        /// - Returns: How many there are.
        mutating func wait(by poller: borrowing Poller, until deadline: ContinuousClock.Instant) -> Int {
            guard Self.isPossible, isWorthwhile() else { return poller.wait(until: deadline) }
            let end = min(deadline, .now + Self.moment)
            repeat {
                let ready = poller.look()
                if ready > 0 {
                    note(success: true)
                    return ready
                }
            } while .now < end
            note(success: false)
            return poller.wait(until: deadline)
        }
    }
#endif
