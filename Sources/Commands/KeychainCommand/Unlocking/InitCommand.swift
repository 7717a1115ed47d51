// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Keychain
import KeychainAgent
import Secrets

/// The passphrase of a keychain that is made, or that gets a new one.
enum NewPassphrase: SecretPurpose {
    static let option = "new-passphrase"
    static let subject = "the passphrase that is to open the keychain"
}

/// `countersign keychain init`.
struct InitCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a keychain.",
        discussion: """
            The passphrase is made expensive to guess, which takes about a second. If you lose it, you lose everything: \
            --recovery-code prints a code that opens the keychain too, to be written on paper.

            Example: countersign keychain init --recovery-code
            """)

    @OptionGroup
    var place: PlaceOptions

    @OptionGroup
    var passphrase: SecretOptions<NewPassphrase>

    @Flag(help: "Add a recovery code, and print it once.")
    var recoveryCode = false

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let path = place.path(console.environment)
        let secret = try await NewSecret.read(passphrase, "New passphrase", on: console)
        NewSecret.warn(about: secret, on: console)
        let keychain = try await Keychain.create(at: path, passphrase: secret, places: place.places(console))
        let code = recoveryCode ? RecoveryCode() : nil
        if let code { try await keychain.addSlot(.recoveryCode(code)) }
        if !passphrase.isGiven { try await place.hold(keychain, AgentLifetime(), on: console) }
        let text = code.map { $0.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        if json {
            try console.print(json: NewKeychainReport(path: path, recoveryCode: text))
        } else {
            try console.print("Made \(path).")
            if let text {
                try console.print("Recovery code: \(text)")
                try console.print("Write it on paper. It is not shown again, and it opens the keychain.")
            }
        }
        return .done
    }
}

/// What `init --json` prints.
struct NewKeychainReport: Encodable {
    let path: String
    let recoveryCode: String?
}
