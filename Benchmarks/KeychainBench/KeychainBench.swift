// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser

@main
struct KeychainBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures the keychain, and writes to one that is to be killed.",
        subcommands: [Measure.self, Import.self, Find.self, WriteUntilKilled.self, Check.self])
}
