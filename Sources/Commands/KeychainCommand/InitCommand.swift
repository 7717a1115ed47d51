// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Keychains
import KeychainAgents
import Secrets

/// The passphrase of a new keychain, or the new passphrase of an existing one.
enum NewPassphrase: SecretPurpose {
    static let option = "new-passphrase"
    static let subject = "the new passphrase of the keychain"
}

/// `countersign keychain init`.
struct InitCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a keychain.",
        discussion: """
            Checking a passphrase takes about a second, so that guessing it is expensive. If you lose it, you lose everything: \
            --recovery-code prints a code that opens the keychain too, to be written on paper.

            Example: countersign keychain init --recovery-code
            """)

    @OptionGroup
    var place: KeychainLocation

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
            try console.print("Created \(path).")
            if let text {
                try console.print("Recovery code: \(text)")
                try console.print("Write it on paper. It is not shown again, and it opens the keychain.")
            }
        }
        return .done
    }
}

/// The JSON output of `init --json`.
struct NewKeychainReport: Encodable {
    let path: String
    let recoveryCode: String?
}

/// A new passphrase, PIN or password that the user chooses.
enum NewSecret {
    /// Reads a secret from the options, or asks for it twice.
    ///
    /// - Parameters:
    ///   - options: The options that may supply the secret.
    ///   - name: The name of the secret, such as "New passphrase".
    ///   - console: The console for the question.
    /// - Returns: The secret, which is not empty.
    /// - Throws: ``KeychainCommandError``, ``UsageError``, ``CommandError``.
    static func read<Purpose>(
        _ options: SecretOptions<Purpose>, _ name: String, on console: Console
    ) async throws -> Secret {
        try options.checkContradictions()
        if let given = try options.read(console.environment) { return try checked(given) }
        guard let prompter = console.prompter else {
            throw KeychainCommandError.secretNeeded(name, option: options.name)
        }
        let answer = await prompter.ask("\(name): ", isSecret: true) ?? ""
        let secret = try checked(Secret(answer))
        guard await prompter.ask("\(name) once more: ", isSecret: true) == answer else {
            throw KeychainCommandError.differentAnswers
        }
        return secret
    }

    private static func checked(_ secret: Secret) throws -> Secret {
        guard !secret.isEmpty else { throw KeychainCommandError.emptyPassphrase }
        return secret
    }

    /// Prints a warning if a passphrase is easily guessed.
    static func warn(about passphrase: Secret, on console: Console) {
        guard let weakness = PasswordWeakness.find(in: passphrase) else { return }
        console.printError("countersign: warning: the passphrase is easily guessed: \(weakness.clause).")
    }
}

extension PasswordWeakness {
    /// The weakness, as in "the password is easily guessed: it ...".
    var clause: String {
        switch self {
        case .short: "it has fewer than eight characters"
        case .common: "it is one of the most common passwords"
        case .pattern: "it repeats itself, or is a run of keys or letters"
        case .context: "it contains the name of the user or of the host"
        }
    }
}
