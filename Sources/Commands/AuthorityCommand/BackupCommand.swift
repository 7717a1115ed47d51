// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CommandSupport
import Countersign
import ErrorExplanations
import X509
import EssentialFoundation
import POSIX

/// `countersign ca backup`.
struct BackupCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the authority's folder, and audit the copy.",
        discussion: """
            Commands and 'countersign ca serve' may go on meanwhile. The copy is an authority's folder itself: --authority takes \
            it, and put in the place of the folder it restores the authority. Keys in the keychain or in a token stay there.

            Example: countersign ca backup /media/stick/home-ca
            """)

    @Argument(help: "A folder that is not there yet.")
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
            // Half a copy would pass for a whole one.
            try? FileManager.default.removeItem(at: copy)
            throw error
        }
        return .done
    }

    private func fill(_ copy: URL, from store: AuthorityStore, issuer: Certificate, on console: Console) async throws {
        if FileManager.default.fileExists(atPath: place.databasePath(console)) {
            try copyFile(URL(filePath: place.databasePath(console)), to: copy)
            try console.print(
                "Copied to \(folder.printable). What was issued is in the PostgreSQL database: copy that with pg_dump.")
            return
        }
        let path = copy.appending(path: URL(filePath: place.statePath(console)).lastPathComponent).path
        let audit = try await store.copy(to: path).audit(issuer: issuer)
        guard audit.flaws.isEmpty else { throw AuthorityCommandError.flawed(count: audit.flaws.count) }
        try console.print(
            "Copied to \(folder.printable): \(audit.entries) entries, \(audit.certificates) certificates, all as written."
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

/// `countersign ca audit`.
struct AuditCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Check the log of what was issued and revoked, and every certificate against it.",
        discussion: """
            Each entry of the log has a hash over itself and the one before. The settings, the number of the revocation list and \
            every column of every certificate are compared with the log. Write the last hash down, or send it to someone: with \
            --noted, the audit also finds a log that was made anew or cut off since.

            Example: countersign ca audit
            """)

    @Option(
        help: ArgumentHelp("The last hash of an earlier audit, which the log must contain.", valueName: "hash"))
    var noted: String?

    @OptionGroup
    var place: AuthorityOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let store = try await place.store(console)
        guard let issuer = try await store.settings.certificates.first else { throw AuthorityStoreError.damaged }
        let audit = try await store.audit(issuer: issuer, noted: noted)
        if json {
            try console.print(json: AuditReport(audit))
            return audit.flaws.isEmpty ? .done : .failed
        }
        for flaw in audit.flaws { try console.print(flaw) }
        if audit.flaws.isEmpty {
            try console.print("\(audit.entries) entries, \(audit.certificates) certificates, all as written.")
        }
        for note in audit.notes { try console.print(note) }
        guard audit.flaws.isEmpty else { throw AuthorityCommandError.flawed(count: audit.flaws.count) }
        try console.print("Last hash: \(audit.head)")
        return .done
    }
}

/// What `audit --json` prints.
struct AuditReport: Encodable {
    let entries: Int
    let certificates: Int
    let head: String
    let flaws: [String]
    let notes: [String]

    init(_ audit: AuthorityStore.Audit) {
        (entries, certificates, head, flaws) = (audit.entries, audit.certificates, audit.head, audit.flaws)
        notes = audit.notes
    }
}
