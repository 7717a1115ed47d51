// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import POSIX

/// The processor time of this process, on which other processes of the machine have little influence.
package enum ProcessorTime {
    /// The time in nanoseconds, with a resolution of a microsecond, which is enough for turns of milliseconds.
    package static var now: Int { Int(clock()) * (1_000_000_000 / Int(CLOCKS_PER_SEC)) }

    package static func measure(_ count: Int, _ body: () async throws -> Void) async rethrows -> Int {
        let start = now
        for _ in 0..<count { try await body() }
        return now - start
    }
}
