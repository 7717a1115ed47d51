// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CertificateTrust
import CommandSupport
import ErrorExplanations
import Foundation
import Identities
import X509

/// `countersign ca install`.
struct InstallCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Make this machine trust the authority.",
        discussion: """
            Adds the root to the system's trust store, to the databases of Firefox and Chromium (NSS) and to Java's store, \
            if their tools are installed. Shows the commands, and asks. Node.js reads none of them: set NODE_EXTRA_CA_CERTS.

            Example: countersign ca install
            """)

    @OptionGroup
    var options: InstallOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        try await options.change(on: console, title: "Install", outcome: "Nothing was installed.", \.install)
    }
}

/// `countersign ca uninstall`.
struct UninstallCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall", abstract: "Make this machine no longer trust the authority.",
        discussion: """
            Removes the root from every store to which 'countersign ca install' adds it. Shows the commands, and asks.

            Example: countersign ca uninstall
            """)

    @OptionGroup
    var options: InstallOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        try await options.change(on: console, title: "Uninstall", outcome: "Nothing was removed.", \.uninstall)
    }
}

/// The options that `install` and `uninstall` share.
struct InstallOptions: ParsableArguments {
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case system
        case nss
        case java
    }

    @Option(help: "Only this kind of store; may be repeated.")
    var store: [Kind] = []

    @Flag(help: "Print the commands, and run none.")
    var dryRun = false

    @Flag(help: "Run the commands without being asked.")
    var yes = false

    @OptionGroup
    var place: AuthorityOptions

    func change(
        on console: Console, title: String, outcome: String, _ commands: (TrustStore) -> [[String]]
    ) async throws -> CommandStatus {
        guard let root = try await place.store(console).settings.certificates.last else {
            throw AuthorityStoreError.damaged
        }
        let summary = CertificateSummary(root)
        let file = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString).pem")
        try Data(CertificateFile.pem([root])).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        // The fingerprint distinguishes authorities of the same name.
        let nickname = "countersign-" + summary.fingerprint.filter { $0 != ":" }.prefix(16)
        let stores = TrustStores(file: file.path, nickname: nickname, environment: console.environment).all
            .filter { one in store.isEmpty || store.contains(Self.kind(one)) }
        guard !stores.isEmpty else { throw AuthorityCommandError.noTrustStore }
        let isAdministrator = geteuid() == 0
        let lines = stores.map { one in
            commands(one).map { $0.first == nil || isAdministrator || !one.needsRoot ? $0 : ["sudo"] + $0 }
        }
        try console.print("\(title) the root \(summary.subject), fingerprint \(summary.fingerprint):")
        for (one, commands) in zip(stores, lines) {
            try console.print("  \(one.name.printable)")
            for command in commands { try console.print("    \(command.joined(separator: " ").printable)") }
        }
        if dryRun { return .done }
        try await console.confirm("Run these commands?", unless: yes, otherwise: outcome)
        for command in lines.flatMap(\.self) {
            // update-ca-certificates is in a folder that is only in the administrator's PATH.
            let path = (console.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
            let status = try Program.run(command, environment: ["PATH": path])
            guard status == 0 else {
                throw AuthorityCommandError.storeRefused(command.joined(separator: " "), status: status)
            }
        }
        try console.print("Done.")
        return .done
    }

    private static func kind(_ store: TrustStore) -> Kind {
        store.name.hasPrefix("NSS") ? .nss : store.name.hasPrefix("Java") ? .java : .system
    }
}
