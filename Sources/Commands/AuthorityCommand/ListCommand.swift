// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CertificateTrust
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import Identities
import X509

/// `countersign ca list`.
struct ListCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the issued certificates, sorted by expiry.",
        discussion: """
            Without --all, only valid certificates that were not replaced.

            Example: countersign ca list --expiring 14
            """)

    @Flag(help: "List expired, replaced and revoked certificates too.")
    var all = false

    @Option(help: ArgumentHelp("List only certificates that expire within this number of days.", valueName: "days"))
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

/// A certificate in the JSON output of `list --json` and `show --json`.
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

extension AuthorityStore {
    /// Returns the one certificate that the user named: by its name, by a prefix of its serial number, or by a file
    /// that contains it.
    func certificate(matching text: String) async throws -> IssuedCertificate {
        let all = try await certificates(matching: text)
        // Among several certificates with the same name, the one in use is chosen.
        let current = all.filter { $0.state(at: Date()) == .valid }
        let candidates = current.isEmpty ? all : current
        guard candidates.count == 1 else {
            throw AuthorityCommandError.severalIssued(text, candidates.map { hex($0.serial) })
        }
        return candidates[0]
    }

    /// Returns every certificate that the user named, at least one.
    ///
    /// The text is the path of a certificate file, a listed name, a prefix of a serial number, or else an alternative
    /// name of certificates.
    func certificates(matching text: String) async throws -> [IssuedCertificate] {
        if let bytes = try? InputFile.read(text), let first = try? CertificateFile.first(in: bytes) {
            guard let found = try await certificate(Array(first.serialNumber.bytes)) else {
                throw AuthorityCommandError.notIssued(text)
            }
            return [found]
        }
        let called = try await certificates(called: text)
        guard called.count < 2 || called.allSatisfy({ $0.isNamed(text) }) else {
            throw AuthorityCommandError.severalIssued(text, called.map { hex($0.serial) })
        }
        let found = called.isEmpty ? try await certificates.filter { $0.isNamed(text) } : called
        guard !found.isEmpty else { throw AuthorityCommandError.notIssued(text) }
        return found
    }
}
