// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How contenders are measured: all have their turn, round after round, so that a change of the machine's mood meets all.
package struct Turns {
    private let rounds: Int
    private let length: Int
    private let trial: Int

    /// - Parameters:
    ///   - rounds: How often every contender has its turn.
    ///   - length: Milliseconds of processor time a turn.
    ///   - trial: How often the work is done first, to see how often it fits into a turn.
    package init(rounds: Int, length: Int, trial: Int = 50) {
        self.rounds = rounds
        self.length = length
        self.trial = trial
    }

    /// Gives each contender its turns.
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

    /// Nanoseconds each, of one contender alone.
    package func median(of contender: Contender) async throws -> Double {
        try await measure([contender]).medians[0]
    }
}
