// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How much key derivation a file may ask for, all its parts together.
///
/// The limit is on the sum: a limit on each part lets a file with many parts ask for hours.
struct WorkBudget {
    /// A little over a second of PBKDF2 with SHA-256 on one core.
    static let mostIterations = 10_000_000

    private let limit: Int
    private var remaining: Int

    init(iterations limit: Int = mostIterations) {
        self.limit = limit
        remaining = limit
    }

    /// Takes the iterations that the file says, as many times over as they are about to be run.
    mutating func spend(
        iterations: Int, blocks: Int = 1, of part: IdentityError.Part
    ) throws(IdentityError) {
        guard iterations > 0 else { throw .malformed(part) }
        let (work, overflow) = iterations.multipliedReportingOverflow(by: max(blocks, 1))
        guard !overflow, work <= remaining else { throw .tooLarge(.iterations, limit: limit) }
        remaining -= work
    }
}
