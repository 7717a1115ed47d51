// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import PasswordComposer
import Secrets

/// The master password of `compose`.
enum MasterPassword: SecretPurpose {
    static let option = "master"
    static let subject = "the master password"
}

/// `countersign compose`.
struct ComposeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "compose",
        abstract: "Compose the password for a site from a master password.",
        discussion: """
            The same inputs give the same password everywhere; nothing is stored or sent. Use the mode modern for new passwords; the others \
            give the passwords of other programs. Three signs, always the same for the same master password, show on a terminal whether it \
            was mistyped.

            Example: countersign compose example.com --login mary --length 20
            """)

    struct Report: Encodable {
        let site: String
        let mode: String
        let password: String
        /// The signs in words.
        let fingerprint: String
    }

    @Argument(help: "The site's domain, or a URL of which the host name is taken.")
    var domain: String

    @OptionGroup
    var options: ComposeOptions

    @OptionGroup
    var master: SecretOptions<MasterPassword>

    @Flag(help: "Print the password as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        try master.refuseContradictions()
        let mode = try options.composerMode()
        let (report, fingerprint) = try compose(mode, try await readMaster(on: console))
        if json {
            try console.print(json: report)
        } else {
            if console.errorIsTerminal {
                let symbols = fingerprint.signs.map(\.shape.symbol).joined(separator: " ")
                console.complain("The master password's signs: \(symbols)  \(fingerprint.description)")
            }
            try console.print(report.password)
        }
        return .done
    }

    private func readMaster(on console: Console) async throws -> Secret {
        if let given = try master.read(console.environment) { return given }
        return Secret(await console.prompter?.ask("Master password: ", isSecret: true) ?? "")
    }

    private func compose(_ mode: ComposerMode, _ master: Secret) throws -> (Report, Fingerprint) {
        let site = SiteName(domain)
        return try master.withUnsafeBytes { bytes in
            let master = SecretBytes(copying: bytes)
            let password = try mode.compose(master, for: site)
            let fingerprint = Fingerprint(of: master)
            let report = Report(
                site: String(decoding: site.utf8, as: UTF8.self), mode: options.mode.rawValue,
                password: password.withUnsafeBytes { String(decoding: $0, as: UTF8.self) },
                fingerprint: fingerprint.description)
            return (report, fingerprint)
        }
    }
}
