// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A measurement in which all contenders take turns, so that changes of the machine's speed affect all of them.
package struct Turns {
    private let rounds: Int
    private let length: Int
    private let trial: Int

    /// - Parameters:
    ///   - rounds: The number of turns of each contender.
    ///   - length: The processor time of a turn, in milliseconds.
    ///   - trial: The number of operations from which the number for a turn is calculated.
    package init(rounds: Int, length: Int, trial: Int = 50) {
        self.rounds = rounds
        self.length = length
        self.trial = trial
    }

    /// Measures the contenders in turns.
    package func measure(_ contenders: [Contender]) async throws -> Table {
        var counts: [Int] = []
        for contender in contenders {
            let budget = Double(length) * 1_000_000
            let time = Double(try await contender.run(trial))
            counts.append(max(1, Int(budget * Double(trial) / max(time, 1))))
        }
        var table = Table(names: contenders.map(\.name))
        for _ in 0..<rounds {
            var round: [Double] = []
            for (contender, count) in zip(contenders, counts) {
                round.append(Double(try await contender.run(count)) / Double(count))
            }
            table.add(round)
        }
        return table
    }

    /// Returns the median nanoseconds per operation of one contender.
    package func median(of contender: Contender) async throws -> Double {
        try await measure([contender]).medians[0]
    }
}
