// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import X509
import ErrorExplanations
import ArgumentParser
import AuthorityStore
import CertificateTrust
import CommandSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `countersign ca list`.
struct ListCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what the authority has issued, the first to expire first.",
        discussion: """
            Without --all, what is valid and was not replaced.

            Example: countersign ca list --expiring 14
            """)

    @Flag(help: "List expired, replaced and revoked certificates too.")
    var all = false

    @Option(help: ArgumentHelp("Only those that expire within so many days.", valueName: "days"))
    var expiring: Int?

    @OptionGroup
    var place: AuthorityOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let now = Date()
        let store = try await place.store(console)
        let found = try await store.certificates.filter { one in
            (all || one.state(at: now) == .valid)
                && expiring.map { one.certificate.notValidAfter < now + Double($0) * 86_400 } ?? true
        }
        let reports = found.map { CertificateReport($0, now: now) }
        if json {
            try console.print(json: CertificateReport.List(certificates: reports))
            return .done
        }
        let rows = reports.map { one in
            [
                String(one.serialNumber.prefix(12)), one.name.printable, one.purpose.rawValue,
                CertificateText.day(one.notAfter),
                one.state.rawValue,
            ]
        }
        let head = ["SERIAL", "NAME", "FOR", "UNTIL", "STATE"]
        guard !rows.isEmpty else {
            try console.print("Nothing.")
            return .done
        }
        for line in TextTable(cells: [head] + rows).lines(within: console.outputColumns() ?? 120) {
            try console.print(line.trimmingTrailingSpaces)
        }
        return .done
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// A certificate as `list --json` and `show --json` print it.
struct CertificateReport: Encodable {
    struct List: Encodable {
        let certificates: [CertificateReport]
    }

    let serialNumber: String
    let name: String
    let purpose: IssuedCertificate.Purpose
    let subject: String
    let names: [String]
    let notBefore: Date
    let notAfter: Date
    let fingerprint: String
    let state: IssuedCertificate.State
    let revoked: Date?
    let reason: RevocationReason?
    let replacedBy: String?
    let chain: String?
    let key: String?
    let hook: String?

    init(_ issued: IssuedCertificate, now: Date) {
        let report = IssuedReport(issued.certificate, files: issued.files)
        (serialNumber, name, purpose) = (report.serialNumber, issued.name, issued.purpose)
        (subject, names, fingerprint) = (report.subject, report.names, report.fingerprint)
        (notBefore, notAfter) = (report.notBefore, report.notAfter)
        state = issued.state(at: now)
        (revoked, reason) = (issued.revokedAt, issued.reason)
        replacedBy = issued.replacedBy.map { hex($0) }
        (chain, key, hook) = (issued.files?.chain, issued.files?.key, issued.files?.hook)
    }
}
