// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import ErrorExplanations
import Keychains
import KeychainAgents
import KeychainService

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
        version: CommandVersion.withTraits,
        subcommands: [
            InitCommand.self, UnlockCommand.self, LockCommand.self, StatusCommand.self, AddCommand.self,
            ShowCommand.self, FindCommand.self, EditCommand.self, RemoveCommand.self, ImportCommand.self,
            ExportCommand.self, ChangePassphraseCommand.self, AddSlotCommand.self, RemoveSlotCommand.self,
            AuditCommand.self, BackupCommand.self, VerifyCommand.self, RepairCommand.self,
            ExplainCommand<KeychainProgram>.self,
            AgentCommand.self, ServeCommand.self, ClearClipboardCommand.self,
        ])

    static let errors = ErrorCatalog(
        [KeychainError.self, KeychainAgentError.self, PasswordListError.self, KeychainCommandError.self],
        options: .common + .keychain)

    static func main() async {
        // The memory is protected before any secret is read.
        KeychainAgent.protectMemory()
        await start()
    }
}

/// An error of `countersign keychain`.
enum KeychainCommandError: Error {
    /// The keychain is locked, and there is no terminal to ask on.
    case locked
    /// A secret has to be chosen, but there is no terminal to ask on. Holds its name and the option that reads it.
    case secretNeeded(String, option: String)
    /// No item has this name.
    case noItemCalled(String)
    /// Several items have this name.
    case severalItems(String, [KeychainItem.ID])
    /// The repeated secret differs from the first one.
    case differentAnswers
    /// The new secret is empty.
    case emptyPassphrase
    /// The file contains nothing that a keychain can store.
    case nothingToImport(path: String)
    /// Items of this class do not have the named property.
    case notApplicable(String, itemClass: KeychainItem.Class)
    /// No program that accesses the clipboard was found.
    case noClipboard
    /// The command skipped damaged parts. Holds a sentence about each.
    case partlyDamaged([String])
}

extension KeychainCommandError: CataloguedError {
    var explanation: ErrorExplanation {
        switch self {
        case .locked:
            ErrorExplanation(
                .notAuthenticated, "keychain.locked", "The keychain is locked, and there is no terminal to ask on.",
                reason: "No agent holds its keys, and no passphrase was given.",
                advice: "Run 'countersign keychain unlock' on a terminal, or give --passphrase-file FILE.")
        case .secretNeeded(let name, let option):
            ErrorExplanation(
                "keychain.secret-needed", "\(name): there is no terminal to ask on.",
                reason: "A secret is typed without echo, or read from a source that other users cannot see.",
                advice: "Run it on a terminal, or give \(option) FILE.")
        case .noItemCalled(let name):
            ErrorExplanation(
                "keychain.no-item-called", "No item is called \"\(name)\".",
                reason: "Items are found by their complete number, label, host, service or account.",
                advice: "List them with 'countersign keychain find'.")
        case .severalItems(let name, let items):
            ErrorExplanation(
                "keychain.several-items",
                "\"\(name)\" is the name of \(items.count) items: \(items.map(\.description).joined(separator: ", ")).",
                reason: "It is not clear which of them is meant.", advice: "Write the number of one of them.")
        case .differentAnswers:
            ErrorExplanation(
                "keychain.different-answers", "The two answers are not the same. Nothing was changed.",
                reason: "One of them is mistyped.", advice: "Try again.")
        case .emptyPassphrase:
            ErrorExplanation(
                "keychain.empty-passphrase", "An empty passphrase protects nothing. Nothing was changed.",
                reason: "Only the passphrase protects the file from others.",
                advice: "Choose some words that no other person would put together.")
        case .nothingToImport(let path):
            ErrorExplanation(
                "keychain.nothing-to-import", "\(path) contains nothing that a keychain can store.",
                reason: "It has no certificate, no key with its certificate and no password.",
                advice: "Name another file, or its format with --format.")
        case .notApplicable(let what, let itemClass):
            ErrorExplanation(
                "keychain.not-applicable", "\(itemClass.words.article) \(itemClass.words) has no \(what).",
                reason: "The option is for items of another class.", advice: "Leave the option out.")
        case .noClipboard:
            ErrorExplanation(
                "keychain.no-clipboard", "No program that accesses the clipboard was found.",
                reason: "On Linux that is wl-copy (Wayland), xclip or xsel (X11), on macOS pbcopy.",
                advice: "Install one of them, or use --reveal.")
        case .partlyDamaged(let parts):
            ErrorExplanation(
                "keychain.partly-damaged",
                "The keychain is damaged. \(parts.prefix(Self.maximumParts).joined(separator: " "))"
                    + (parts.count > Self.maximumParts ? " And \(parts.count - Self.maximumParts) more." : ""),
                reason: "The disk failed, or someone changed the file. All other items are as they were written.",
                advice:
                    "Save all that can be read with 'countersign keychain repair FILE', or restore a backup. Check the disk."
            )
        }
    }

    /// The maximum number of damaged parts in one message.
    private static let maximumParts = 10

    static var examples: [KeychainCommandError] {
        [
            .locked, .secretNeeded("New passphrase", option: "--new-passphrase-file"), .noItemCalled("intranet"),
            .severalItems("intranet", [KeychainItem.ID(3), KeychainItem.ID(8)]),
            .differentAnswers, .emptyPassphrase, .nothingToImport(path: "photo.png"),
            .notApplicable("account", itemClass: .note), .noClipboard,
            .partlyDamaged(["Item 3, login Intranet, mary: its secret cannot be opened."]),
        ]
    }
}

extension KeychainItem.Class {
    /// The name of the class, for a sentence.
    var words: String {
        switch self {
        case .genericPassword: "password"
        case .internetPassword: "login"
        case .certificate: "certificate"
        case .identity: "identity"
        case .note: "note"
        }
    }
}

extension String {
    fileprivate var article: String { first.map("aeiou".contains) == true ? "An" : "A" }
}
