// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Keychain
import KeychainAgent

/// The program `countersign-keychain`, which `countersign keychain` runs.
@main
struct KeychainProgram: CommandProgram {
    static let configuration = CommandConfiguration(
        commandName: "countersign keychain",
        abstract: "Keep passwords, certificates, identities and notes in one encrypted file.",
        discussion: """
            A command that needs the keychain unlocked asks for the passphrase. From then on an agent holds the keys, until \
            'lock' or for some hours. Exit status: 0 done; 1 the operation failed; 2 usage; 4 not unlocked.

            Example: countersign keychain add login https://intranet.example --user mary
            """,
        version: CommandVersion.current,
        subcommands: [
            InitCommand.self, UnlockCommand.self, LockCommand.self, StatusCommand.self, AddCommand.self,
            ShowCommand.self, FindCommand.self, EditCommand.self, RemoveCommand.self, ImportCommand.self,
            ExportCommand.self, ChangePassphraseCommand.self, AddSlotCommand.self, RemoveSlotCommand.self,
            AuditCommand.self, BackupCommand.self, VerifyCommand.self, RepairCommand.self,
            ExplainCommand<KeychainProgram>.self,
            AgentCommand.self, ServeCommand.self, ClearClipboardCommand.self,
        ])

    static let errors = ErrorCatalog([
        KeychainError.self, KeychainAgentError.self, PasswordListError.self, KeychainCommandError.self,
    ])

    static func main() async {
        // Before anything secret is read.
        KeychainAgent.protectMemory()
        await start()
    }
}
