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

/// `countersign ca audit`.
struct AuditCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Check the log of issued and revoked certificates, and compare every certificate with it.",
        discussion: """
            Each log entry has a hash over itself and the previous entry. The settings, the number of the revocation list and \
            every column of every certificate are compared with the log. Write the last hash down, or send it to someone: with \
            --noted, the audit also detects a log that was replaced or truncated since.

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
        let audit = try await store.audit(issuer: issuer, expectedHash: noted)
        if json {
            try console.print(json: AuditReport(audit))
            return audit.problems.isEmpty ? .done : .failed
        }
        for problem in audit.problems { try console.print(problem) }
        if audit.problems.isEmpty {
            try console.print("\(audit.entries) entries, \(audit.certificates) certificates, all intact.")
        }
        for note in audit.notes { try console.print(note) }
        guard audit.problems.isEmpty else { throw AuthorityCommandError.auditFailed(count: audit.problems.count) }
        try console.print("Last hash: \(audit.head)")
        return .done
    }
}

/// The JSON output of `audit --json`.
struct AuditReport: Encodable {
    let entries: Int
    let certificates: Int
    let head: String
    let problems: [String]
    let notes: [String]

    init(_ audit: AuthorityStore.Audit) {
        (entries, certificates, head, problems) = (audit.entries, audit.certificates, audit.head, audit.problems)
        notes = audit.notes
    }
}
