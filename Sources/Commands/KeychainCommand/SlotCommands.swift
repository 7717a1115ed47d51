// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Keychains
import Secrets

/// `countersign keychain change-passphrase`.
struct ChangePassphraseCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-passphrase", abstract: "Replace the passphrase.",
        discussion: """
            Other unlock methods stay. Anyone with an old copy of the file and the old passphrase can open newer copies too: \
            after a theft, create a new keychain.

            Example: countersign keychain change-passphrase
            """)

    @OptionGroup
    var passphrase: SecretOptions<NewPassphrase>

    @OptionGroup
    var options: KeychainOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlockedWithoutAgent(on: console)
        let secret = try await NewSecret.read(passphrase, "New passphrase", on: console)
        NewSecret.warn(about: secret, on: console)
        try await keychain.changePassphrase(to: secret)
        try console.print("Changed.")
        return .done
    }
}

/// A new PIN.
enum NewPIN: SecretPurpose {
    static let option = "pin"
    static let subject = "the new PIN of the keychain"
}

/// `countersign keychain add-slot`.
struct AddSlotCommand: ConsoleCommand {
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case passphrase, pin
        case recoveryCode = "recovery-code"
        case keyFile = "key-file"
        case desktop
    }

    static let configuration = CommandConfiguration(
        commandName: "add-slot", abstract: "Add another method to unlock the keychain.",
        discussion: """
            pin: a short number, on this device only; wrong PINs are counted, and delay the next attempt. recovery-code: printed once, for \
            paper. key-file: a file of random bytes, created if it is missing. desktop: a key that the desktop's keyring stores.

            Example: countersign keychain add-slot pin --erase-after 10
            """)

    @Argument(help: "The unlock method.")
    var kind: Kind

    @OptionGroup
    var pin: SecretOptions<NewPIN>

    @OptionGroup
    var passphrase: SecretOptions<NewPassphrase>

    @Option(help: ArgumentHelp("The file with the random key.", valueName: "file"))
    var newKeyFile: String?

    @Option(
        help: ArgumentHelp("Erase the PIN after this number of consecutive errors, at least 3.", valueName: "count"))
    var eraseAfter: Int?

    @Flag(help: "Allow a PIN of fewer than six characters, which a thief of this device's files finds within hours.")
    var allowShortPIN = false

    @OptionGroup
    var options: KeychainOptions

    func validate() throws {
        if (kind == .keyFile) != (newKeyFile != nil) { throw ValidationError("key-file needs --new-key-file FILE.") }
        if kind != .pin, eraseAfter != nil || allowShortPIN || pin.isGiven {
            throw ValidationError("The options of PINs are for 'add-slot pin'.")
        }
        if let eraseAfter, eraseAfter < 3 { throw ValidationError("--erase-after takes numbers from 3.") }
    }

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlockedWithoutAgent(on: console)
        switch kind {
        case .passphrase:
            let secret = try await NewSecret.read(passphrase, "New passphrase", on: console)
            NewSecret.warn(about: secret, on: console)
            try await keychain.addSlot(.passphrase(secret))
        case .pin:
            let secret = try await NewSecret.read(pin, "New PIN", on: console)
            try await keychain.addSlot(
                .pin(secret), policy: PINPolicy(eraseAfter: eraseAfter, allowsShortPIN: allowShortPIN))
        case .recoveryCode:
            let code = RecoveryCode()
            try await keychain.addSlot(.recoveryCode(code))
            try console.print(
                "Recovery code: \(code.text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })")
            try console.print("Write it on paper. It is not shown again, and it opens the keychain.")
        case .keyFile: try await addKeyFile(to: keychain)
        case .desktop: try await keychain.addSlot(.holder(SecretService()))
        }
        try console.print("Added.")
        return .done
    }

    private func addKeyFile(to keychain: UnlockedKeychain) async throws {
        guard let newKeyFile else { return }
        if let bytes = try? InputFile.read(newKeyFile) {
            return try await keychain.addSlot(.keyFile(Secret(utf8: bytes)))
        }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try OutputFile.write(bytes, to: newKeyFile, mode: 0o600, replaces: false)
        try await keychain.addSlot(.keyFile(Secret(utf8: bytes)))
    }
}

/// `countersign keychain remove-slot`.
struct RemoveSlotCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-slot", abstract: "Remove a method to unlock the keychain; the last one stays.",
        discussion: "Example: countersign keychain remove-slot 2")

    @Argument(help: "The slot's number, as 'status' prints it.")
    var slot: Int64

    @OptionGroup
    var options: KeychainOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlockedWithoutAgent(on: console)
        try await keychain.removeSlot(slot)
        try console.print("Removed.")
        return .done
    }
}
