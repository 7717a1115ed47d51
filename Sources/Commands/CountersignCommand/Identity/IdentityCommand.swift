// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ErrorExplanations
import CommandSupport
import Identities
import Secrets

/// `countersign identity`: files of certificates and keys.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Look into files of certificates and keys.",
        discussion: "Example: countersign identity inspect client.p12 --password-file password.txt",
        subcommands: [IdentityInspectCommand.self])
}

/// The password of `identity inspect`.
enum FilePassword: SecretPurpose {
    static let option = "password"
    static let subject = "the file's password"
}

/// `countersign identity inspect`.
struct IdentityInspectCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Print what a file of certificates and keys holds: PEM, DER, PKCS#7 or PKCS#12.",
        discussion: """
            Private keys are never printed. Without the password, what can be read without it is printed.

            Example: countersign identity inspect client.p12 --password-file password.txt
            """)

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @OptionGroup
    var password: SecretOptions<FilePassword>

    @Flag(help: "Print what the file holds as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        try password.refuseContradictions()
        if file == "-", password.readsStandardInput {
            throw UsageError.contradiction("-", SecretOptions<FilePassword>.standardInputOption)
        }
        let bytes = try InputFile.readArgument(file)
        let passphrase = try password.read(console.environment)
        var contents = try read(bytes, passphrase)
        if contents.isLocked,
            let answer = await console.prompter?.ask("Password of \(file.printable): ", isSecret: true),
            !answer.isEmpty
        {
            contents = try read(bytes, Secret(answer))
        }
        let report = IdentityReport(contents)
        if json { try console.print(json: report) } else { try report.lines.forEach(console.print) }
        return .done
    }

    private func read(_ bytes: [UInt8], _ passphrase: Secret?) throws -> IdentityContents {
        try InputFile.naming(file) { try IdentityContents(of: bytes, passphrase: passphrase) }
    }
}
