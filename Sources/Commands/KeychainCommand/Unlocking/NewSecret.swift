// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Keychain
import Secrets

/// A passphrase, PIN or password that is to be chosen.
enum NewSecret {
    /// Reads one from the options, or asks for it twice.
    ///
    /// - Parameters:
    ///   - options: Where it may be.
    ///   - name: What is asked for, such as "New passphrase".
    ///   - console: Where it is asked.
    /// - Returns: The secret, which is not empty.
    /// - Throws: ``KeychainCommandError``, ``UsageError``, ``CommandError``.
    static func read<Purpose>(
        _ options: SecretOptions<Purpose>, _ name: String, on console: Console
    ) async throws -> Secret {
        try options.refuseContradictions()
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

    /// Says that a passphrase is easily guessed, where it is.
    static func warn(about passphrase: Secret, on console: Console) {
        guard let weakness = PasswordWeakness.find(in: passphrase) else { return }
        console.complain("countersign: warning: the passphrase is easily guessed: \(weakness.clause).")
    }
}

extension PasswordWeakness {
    /// As in "the password is easily guessed: it ...".
    var clause: String {
        switch self {
        case .short: "it has fewer than eight characters"
        case .common: "it is one of those that are used most"
        case .pattern: "it repeats itself, or is a run of keys or letters"
        case .context: "it holds the name of the user or of the host"
        }
    }
}
