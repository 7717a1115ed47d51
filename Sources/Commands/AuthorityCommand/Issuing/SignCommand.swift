// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import CertificateTrust
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import Identities
import SwiftASN1
import X509

/// `countersign ca sign`.
struct SignCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Issue a certificate for the key of a request.",
        discussion: """
            The request's signature and key are checked, its names are shown and have to be confirmed, and nothing else of it is \
            copied. The common name of a server is one of its names. A request for an authority's certificate is refused.

            Example: countersign ca sign printer.csr -o printer.pem
            """)

    @Argument(help: "The request: PKCS#10 as PEM or DER.")
    var request: String

    @Flag(help: "Issue a client certificate with the subject of the request, instead of a server certificate.")
    var client = false

    @Flag(help: "Leave the request's common name out of a server's certificate.")
    var ignoreCommonName = false

    @Option(help: ArgumentHelp("The validity period. By default, that of the authority.", valueName: "days"))
    var days: Int?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file for the chain, or - for standard output.", valueName: "file"))
    var output = "-"

    @Flag(help: "Confirm the names of the request without being asked.")
    var yes = false

    @OptionGroup
    var options: SigningOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func validate() throws {
        if let days, !(1...825).contains(days) { throw ValidationError("--days is 1 to 825.") }
        if client, ignoreCommonName {
            throw ValidationError("--client and --ignore-common-name contradict each other.")
        }
        if json, output == "-" { throw ValidationError("With --json, give --output FILE.") }
    }

    /// Returns the names of a server's certificate, which include the common name.
    private func serverNames(_ parsed: CertificateRequest, _ authority: CertificateAuthority) throws -> [String] {
        if ignoreCommonName { return parsed.alternativeNames }
        try InputFile.naming(request) { try parsed.requireServerNames() }
        if let name = parsed.commonNames.first(where: { !authority.permits($0) }) {
            throw AuthorityCommandError.commonNameNotPermitted(name)
        }
        return parsed.names
    }

    func perform(on console: Console) async throws -> CommandStatus {
        let bytes = try InputFile.readArgument(request)
        let parsed = try InputFile.naming(request) { try CertificateRequest(bytes) }
        let open = try await options.open(on: console)
        let validity = Validity.days(days ?? open.settings.leafDays)
        let profile: LeafProfile =
            client
            ? .client(subject: parsed.subject, mailboxes: parsed.mailboxes, validity: validity)
            : .server(names: try serverNames(parsed, open.authority), validity: validity)
        let names = client ? ["\(parsed.subject.text)"] + parsed.mailboxes : profile.names
        let others = client ? parsed.alternativeNames : parsed.mailboxes
        if !others.isEmpty {
            let purpose = client ? "client" : "server"
            console.printError(
                "countersign: not certified, because the certificate is a \(purpose)'s: \(others.joined(separator: ", "))"
            )
        }
        if !yes { console.printError("The request asks for: \(names.joined(separator: ", "))") }
        try await console.confirm(
            "Certify that its key belongs to them?", unless: yes, otherwise: "Nothing was issued.")
        let files = output == "-" ? nil : IssuedFiles(chain: URL(filePath: output).absolutePath, key: nil, hook: nil)
        let issuance = Issuance(authority: open, name: names.first ?? "", profile: profile, files: files)
        try issuance.checkNoFileExists()
        let chain = try await issuance.issue(for: parsed.publicKey, now: Date())
        if json {
            try console.print(json: IssuedReport(chain[0], files: files))
        } else if let files {
            try console.print(
                "Issued \(issuance.name.printable), valid until \(CertificateText.day(chain[0].notValidAfter)).")
            try console.print("Chain: \(files.chain.printable)")
        } else {
            do {
                try console.write(CertificateFile.pem(chain))
            } catch {
                try await issuance.revokeUndelivered(chain[0], because: error)
            }
        }
        return .done
    }
}
