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
        try await options.unlocked(on: console).backup(to: file)
        try console.print("Copied to \(file.printable), and the copy opens.")
        return .done
    }
}

/// `countersign keychain verify`.
struct VerifyCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that nothing is damaged, removed, added or put back.",
        discussion: "Example: countersign keychain verify")

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        let count = try await keychain.verify { [console] share in
            guard console.showsProgress else { return }
            console.writeError(ProgressBar.erasure + "\(Int(share * 100))%")
        }
        if console.showsProgress { console.writeError(ProgressBar.erasure) }
        if json {
            try console.print(json: VerificationReport(items: count))
        } else {
            try console.print("\(count) \(count == 1 ? "item" : "items"), all as written.")
        }
        return .done
    }
}

/// What `verify --json` prints.
struct VerificationReport: Encodable {
    let items: Int
}
