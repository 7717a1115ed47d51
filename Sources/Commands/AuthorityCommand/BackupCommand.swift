// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import POSIX
import X509

/// `countersign ca backup`.
struct BackupCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the authority's folder, and audit the copy.",
        discussion: """
            Other commands and 'countersign ca serve' may run at the same time. The copy is a complete authority folder: \
            --authority accepts it, and it can replace the folder to restore the authority. Keys in the keychain or in a token stay there.

            Example: countersign ca backup /media/stick/home-ca
            """)

    @Argument(help: "The path of a new folder.")
    var folder: String

    @OptionGroup
    var place: AuthorityOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let store = try await place.store(console)
        let settings = try await store.settings
        guard let issuer = try settings.certificates.first else { throw AuthorityStoreError.damaged }
        let copy = URL(filePath: folder, directoryHint: .isDirectory)
        guard mkdir(copy.path, 0o700) == 0 else { throw FileError(.create, path: folder) }
        do {
            try await fill(copy, from: store, issuer: issuer, on: console)
            try copyKeys(settings, to: copy, on: console)
        } catch {
            // An incomplete copy could be mistaken for a complete backup.
            try? FileManager.default.removeItem(at: copy)
            throw error
        }
        return .done
    }

    private func fill(_ copy: URL, from store: AuthorityStore, issuer: Certificate, on console: Console) async throws {
        if FileManager.default.fileExists(atPath: place.databasePath(console)) {
            try copyFile(URL(filePath: place.databasePath(console)), to: copy)
            try console.print(
                "Copied to \(folder.printable). The issued certificates are in the PostgreSQL database: copy it with pg_dump."
            )
            return
        }
        let path = copy.appending(path: URL(filePath: place.statePath(console)).lastPathComponent).path
        let audit = try await store.copy(to: path).audit(issuer: issuer)
        guard audit.problems.isEmpty else { throw AuthorityCommandError.auditFailed(count: audit.problems.count) }
        try console.print(
            "Copied to \(folder.printable): \(audit.entries) entries, \(audit.certificates) certificates, all intact."
        )
    }

    private func copyKeys(_ settings: AuthoritySettings, to copy: URL, on console: Console) throws {
        let keys =
            settings.rootKey == settings.issuingKey
            ? [("The root's key", settings.rootKey)]
            : [("The root's key", settings.rootKey), ("The issuing key", settings.issuingKey)]
        for (name, key) in keys {
            switch key {
            case .file(let file):
                let path = place.folder(console).appending(path: file)
                if FileManager.default.fileExists(atPath: path.path) {
                    try copyFile(path, to: copy)
                } else {
                    try console.print("\(name) is not in the folder, nor in the copy.")
                }
            case .keychain:
                try console.print("\(name) is in the keychain: copy that with 'countersign keychain backup'.")
            case .token: try console.print("\(name) is in a token, which it never leaves.")
            }
        }
    }

    private func copyFile(_ file: URL, to copy: URL) throws {
        try OutputFile.write(
            InputFile.read(file.path), to: copy.appending(path: file.lastPathComponent).path, mode: 0o600)
    }
}
