// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Keychains
import KeychainAgents

/// `countersign keychain unlock`.
struct UnlockCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Unlock the keychain until it is locked, or for some time.",
        discussion: """
            An agent of this user holds the keys in its memory. Items that are readable while unlocked can be read for \
            --when-unlocked minutes, all others until the agent forgets the keys.

            Example: countersign keychain unlock --idle 30
            """)

    @OptionGroup
    var options: KeychainOptions

    @Option(
        help: ArgumentHelp("The time for which items of 'when-unlocked' can be read, in minutes.", valueName: "minutes")
    )
    var whenUnlocked = 15

    @Option(
        help: ArgumentHelp(
            "The idle time after which the keychain is locked, in minutes; 0 for never.", valueName: "minutes"))
    var idle = 60

    @Option(
        help: ArgumentHelp(
            "The time after which the keychain is locked, in minutes; 0 for never.", valueName: "minutes"))
    var total = 12 * 60

    func validate() throws {
        let longest = 10 * 365 * 24 * 60
        guard (1...longest).contains(whenUnlocked), (0...longest).contains(idle), (0...longest).contains(total) else {
            throw ValidationError("Minutes are numbers from 0, and of --when-unlocked from 1.")
        }
    }

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlockedWithoutAgent(on: console)
        let lifetime = AgentLifetime(
            unlockPeriod: .seconds(whenUnlocked * 60), idleTimeout: idle == 0 ? nil : .seconds(idle * 60),
            absoluteTimeout: total == 0 ? nil : .seconds(total * 60))
        try await options.place.hold(keychain, lifetime, on: console)
        try console.print("Unlocked.")
        return .done
    }
}

/// `countersign keychain lock`.
struct LockCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Make the agent forget the keychain's keys immediately.",
        discussion: "Example: countersign keychain lock --all")

    @OptionGroup
    var place: KeychainLocation

    @Flag(help: "Lock every keychain of this user, which ends the agent.")
    var all = false

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        try place.agent(console).lock(all ? nil : try await place.open(console).id)
        try console.print("Locked.")
        return .done
    }
}
