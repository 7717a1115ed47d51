// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Keychains
import Secrets

/// Fills a keychain, for scripts/bench/keychain.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create a keychain with the given number of logins.")

    @Argument(help: "The keychain's file, which must not exist yet. Its keys are written to FILE.keys, in plaintext.")
    var file: String

    @Argument(help: "The number of logins.")
    var count: Int

    func run() async throws {
        let items = try (0..<count).map { try SampleItem(login: $0).newItem() }
        try await CrashFile(path: file).open().add(items)
    }
}

/// Looks up one login in a new process, for scripts/bench/keychain.
struct Find: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the password of a login created by import.")

    @Argument(help: "The keychain's file.")
    var file: String

    @Argument(help: "The number of the login, from 0.")
    var number: Int

    @Option(help: "The passphrase that unlocks the keychain, instead of FILE.keys.")
    var passphrase: String?

    func run() async throws {
        let crashFile = CrashFile(path: file)
        let keychain =
            if let passphrase {
                try await Keychain.open(at: file, places: crashFile.places).unlock(
                    with: .passphrase(Secret(passphrase)))
            } else {
                try await crashFile.open()
            }
        var query = KeychainQuery(.internetPassword)
        query.label = try SampleItem(login: number).label
        guard let item = try await keychain.items(query).first,
            case .password(let password) = try await keychain.secret(of: item)
        else { throw ExitCode.failure }
        print(password.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }
}
