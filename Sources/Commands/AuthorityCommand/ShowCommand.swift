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

/// `countersign ca show`.
struct ShowCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the authority, or a certificate that it issued.",
        discussion: "Example: countersign ca show www.home.example")

    @Argument(help: "The name, the serial number or the file of a certificate. Without it, the authority.")
    var certificate: String?

    @OptionGroup
    var place: AuthorityOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let store = try await place.store(console)
        guard let certificate else {
            try await show(store, on: console)
            return .done
        }
        let found = try await store.certificate(matching: certificate)
        let report = CertificateReport(found, now: Date())
        if json {
            try console.print(json: report)
            return .done
        }
        for line in CertificateText.lines(CertificateSummary(found.certificate)) { try console.print(line) }
        try console.print("Names:       \(report.names.joined(separator: ", ").printable)")
        try console.print("Serial:      \(report.serialNumber)")
        try console.print("State:       \(report.state.rawValue)\(report.reason.map { ", \($0.rawValue)" } ?? "")")
        for (title, value) in [("Chain:", report.chain), ("Key:", report.key), ("Hook:", report.hook)] {
            if let value { try console.print(title.column(13) + value.printable) }
        }
        return .done
    }

    private func show(_ store: AuthorityStore, on console: Console) async throws {
        let settings = try await store.settings
        let chain = try settings.certificates.map { CertificateSummary($0) }
        if json {
            return try console.print(
                json: AuthorityReport(name: settings.name, chain: chain, leafDays: settings.leafDays))
        }
        for certificate in chain {
            for line in CertificateText.lines(certificate) { try console.print(line) }
        }
        try console.print("Issues for:  \(settings.leafDays) days")
    }
}

/// The JSON output of `show --json` for the authority: the issuing certificate, and its issuers up to the root.
struct AuthorityReport: Encodable {
    let name: String
    let chain: [CertificateSummary]
    let leafDays: Int
}
