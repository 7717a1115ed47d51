// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NearbyProgram
import ReverseZones

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Prints the progress of a check that takes longer than a second, if standard error is a terminal.
struct Progress {
    private let block: AddressBlock
    private var next = ContinuousClock.now + .seconds(1)
    private let isShown = isatty(STDERR_FILENO) == 1
    private var isDirty = false

    init(_ block: AddressBlock) { self.block = block }

    mutating func show(_ done: Int, of total: Int) {
        guard isShown, ContinuousClock.now >= next else { return }
        next = .now + .milliseconds(200)
        isDirty = true
        write("\r\(block): \(done) of \(total) addresses", to: STDERR_FILENO)
    }

    mutating func end() { if isDirty { write("\r\u{1B}[K", to: STDERR_FILENO) } }
}
