// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import ArgumentParser
import AuthorityStore
import CommandSupport

/// `countersign ca audit`.
struct AuditCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Check the log of what was issued and revoked, and every certificate against it.",
        discussion: """
            Each entry of the log has a hash over itself and the one before. Write the last hash down, or send it to someone: a \
            log that was made anew since has another.

            Example: countersign ca audit
            """)

    @OptionGroup
    var place: AuthorityOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let store = try await place.store(console)
        guard let issuer = try await store.settings.certificates.first else { throw AuthorityStoreError.damaged }
        let audit = try await store.audit(issuer: issuer)
        if json {
            try console.print(json: AuditReport(audit))
            return audit.flaws.isEmpty ? .done : .failed
        }
        for flaw in audit.flaws { try console.print(flaw) }
        guard audit.flaws.isEmpty else { throw AuthorityCommandError.flawed(count: audit.flaws.count) }
        try console.print("\(audit.entries) entries, \(audit.certificates) certificates, all as written.")
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

    init(_ audit: AuthorityStore.Audit) {
        (entries, certificates, head, flaws) = (audit.entries, audit.certificates, audit.head, audit.flaws)
    }
}
