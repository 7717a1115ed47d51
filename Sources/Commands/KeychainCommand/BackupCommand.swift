// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import ErrorExplanations
import Keychain

/// `countersign keychain backup`.
struct BackupCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the keychain to a new file, and check that the copy opens.",
        discussion: """
            The copy is as encrypted as the keychain. Opening it needs --accept-older-state where the keychain has changed since.

            Example: countersign keychain backup /media/stick/keys/keychain.sqlite
            """)

    @Argument(help: "Where no file is yet, in a folder that is only yours.")
    var file: String

    @OptionGroup
    var options: KeychainOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let damage = try await options.unlocked(on: console).backup(to: file)
        try console.print("Copied to \(file.printable), and the copy opens.")
        return console.complain(of: damage)
    }
}
