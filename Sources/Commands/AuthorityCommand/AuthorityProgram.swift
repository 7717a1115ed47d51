// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEClients
import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CommandSupport
import ErrorExplanations
import KeychainService
import PKCS11

/// The program `countersign-ca`, which `countersign ca` runs.
@main
struct AuthorityProgram: CommandProgram {
    static let configuration = CommandConfiguration(
        commandName: "countersign ca",
        abstract: "Manage a certificate authority for your own servers and clients.",
        discussion: """
            An authority issues certificates only for its own domains and networks. All certificates are recorded in a \
            log that can be audited. Exit status: 0 done; 1 the operation failed; 2 usage.

            Example: countersign ca init "Home" --for home.example, then countersign ca issue --server www.home.example
            """,
        version: CommandVersion.withTraits,
        subcommands: [
            InitCommand.self, IssueCommand.self, RequestCommand.self, SignCommand.self, RenewCommand.self,
            RevokeCommand.self, ListCommand.self, ShowCommand.self, ExportCommand.self, RevocationListCommand.self,
            AuditCommand.self, BackupCommand.self, InstallCommand.self, UninstallCommand.self,
            ExplainCommand<AuthorityProgram>.self,
        ])

    static let errors = ErrorCatalog(
        [
            AuthorityStoreError.self, AuthorityKeyError.self, AuthorityCommandError.self, ACMEClientError.self,
            JWSError.self, TokenError.self,
        ],
        options: .common + .keychain + [
            "token.pin-needed": ["--token-pin-file"],
            "token.module-not-loaded": ["Option of init: --token-module PATH."],
        ])

    static var externalNames: [String] { ExternalCommands.installed(prefix: "countersign-ca-").names }

    static func main() async {
        do {
            // countersign-ca-serve is a second program, so that countersign-ca links no web server.
            try ExternalCommands.installed(prefix: "countersign-ca-").run(for: Array(CommandLine.arguments.dropFirst()))
        } catch {
            end(with: error)
        }
        await start()
    }
}
