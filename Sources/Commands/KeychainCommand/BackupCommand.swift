// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import ErrorExplanations
import Keychains

/// `countersign keychain backup`.
struct BackupCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the keychain to a new file, and check that the copy opens.",
        discussion: """
            The copy is encrypted like the keychain. Opening it needs --accept-older-state if the keychain has changed since.

            Example: countersign keychain backup /media/stick/keys/keychain.sqlite
            """)

    @Argument(help: "The path of a new file, in a folder that only you can access.")
    var file: String

    @OptionGroup
    var options: KeychainOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let damage = try await options.unlocked(on: console).backup(to: file)
        try console.print("Copied to \(file.printable), and the copy opens.")
        return console.printError(of: damage)
    }
}
