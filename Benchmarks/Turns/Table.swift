// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

/// The nanoseconds per operation by contender and round, with their medians.
package struct Table {
    private var rounds: [[Double]] = []
    private let names: [String]

    /// - Parameter names: The names of the contenders; the others are compared with the first.
    package init(names: [String]) {
        self.names = names
    }

    /// Adds a round, in the order of the names.
    package mutating func add(_ round: [Double]) { rounds.append(round) }

    /// The median nanoseconds per operation, in the order of the names.
    package var medians: [Double] {
        names.indices.map { column in Self.median(rounds.map { $0[column] }) }
    }

    package var lines: [String] {
        names.enumerated().map { column, name in
            let time = Self.median(rounds.map { $0[column] })
            // Within a round, the machine's speed is about the same.
            let ratio = Self.median(rounds.map { $0[column] / $0[0] })
            return name.padding(toLength: 36, withPad: " ", startingAt: 0)
                + String(format: "%10.0f %10.1f %8.2f", 1e9 / time, time / 1000, ratio)
        }
    }

    package static let heading =
        "".padding(toLength: 36, withPad: " ", startingAt: 0) + "  a second         µs    times"

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        guard !sorted.isEmpty else { return .nan }
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
