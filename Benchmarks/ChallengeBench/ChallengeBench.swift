// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Turns

/// Measures the cost of responses to challenges: time compared
/// with the hashes, allocations, and growth with the field's size.
@main
struct ChallengeBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge-bench",
        abstract: "Measure responses to challenges: time, allocations, and growth with the size of a field."
    )

    @Option(help: "The number of turns of each contender.")
    var rounds = 11

    @Option(help: "The processor time of a turn, in milliseconds.")
    var turn = 60

    func run() async throws {
        let turns = Turns(rounds: rounds, length: turn)
        for algorithm in DigestWork.Algorithm.allCases {
            let work = try DigestWork(algorithm)
            print("Digest \(algorithm.rawValue): a challenge read and answered")
            print(Table.heading)
            try await turns.measure(work.contenders).lines.forEach { print($0) }
        }
        try Allocations.lines().forEach { print($0) }
        print("Reading a field of 4, 16 and 64 KiB, nanoseconds a byte: linear where they do not grow")
        try await Growth.lines(turns: turns).forEach { print($0) }
    }
}
