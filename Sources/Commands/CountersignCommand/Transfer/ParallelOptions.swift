// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport

/// How several URLs follow each other.
struct ParallelOptions: ParsableArguments {
    @Flag(
        name: [.customShort("Z"), .customLong("parallel")],
        help: ArgumentHelp(
            "Transfer several URLs at once, each to a file (-O or -o).",
            discussion: "There is no progress then, and nothing is asked on the terminal."))
    var isParallel = false

    @Option(
        name: .customLong("parallel-max"),
        help: ArgumentHelp("How many transfers --parallel runs at once: 8 without it.", valueName: "number"),
        transform: Self.count)
    var limit: Int?

    @Flag(help: "Begin no further transfer after one has failed.")
    var failEarly = false

    /// How many transfers run at once.
    var width: Int { isParallel ? limit ?? Self.usualWidth : 1 }

    private static let usualWidth = 8

    func refuseFlagsWithoutUse() throws(UsageError) {
        if limit != nil, !isParallel { throw .useless("--parallel-max", without: "--parallel") }
    }

    private static func count(_ text: String) throws(WrongValue) -> Int {
        guard let count = Int(text), (1...300).contains(count) else { throw WrongValue("write a number from 1 to 300") }
        return count
    }
}
