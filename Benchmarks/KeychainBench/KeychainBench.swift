// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser

@main
struct KeychainBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the keychain, or write to it until killed.",
        subcommands: [Measure.self, Import.self, Find.self, WriteUntilKilled.self, Check.self])
}
