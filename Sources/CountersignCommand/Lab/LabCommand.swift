// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ChallengeLab
import CommandSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `countersign lab`: the servers, until a signal ends them.
struct LabCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Start local servers that each present one challenge or one fault.",
        discussion: """
            They listen on 127.0.0.1 until Ctrl-C: TLS with and without faults, revocation, Basic, Digest, SCRAM, Bearer and NTLM, \
            proxies of HTTP and SOCKS 5, redirects, cookies, broken bodies. The first one shows them as a web page (/index.html) and as \
            JSON (/catalogue.json). The servers of http and https list the faults of HTTP/1 under /fault, and do one under /fault/NAME. Their authority and a client identity are written to a folder, for any client to \
            use. User and password are lab and countersign; the Bearer server's token is countersign-lab-token.

            Example: countersign lab --directory lab-files
            """)

    struct Catalogue: Encodable {
        let files: [String]
        let servers: [LabCatalogue.Entry]
    }

    @Option(
        help:
            "Where to write ca.pem, client.pem, client-certificate.pem, client-key.pem and crl.pem; without it, a temporary folder that is removed when the lab ends."
    )
    var directory: String?

    @Flag(help: "Print the catalogue as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let folder = directory == nil ? try PrivateFolder(prefix: "countersign-lab-") : nil
        let lab = try await Lab.start()
        do {
            try Task.checkCancellation()
            let files = try lab.writeFiles(to: directory ?? folder?.path ?? ".")
            try show(lab, files: files, console)
            while true { try await Task.sleep(for: .seconds(3_600)) }
        } catch {
            // Before the servers, whose end may take longer than a signal lets it.
            folder?.remove()
            try await lab.stop()
            if error is CancellationError { return .interrupted }
            throw error
        }
    }

    private func show(_ lab: Lab, files: [String], _ console: Console) throws {
        guard !json else {
            return try console.print(json: Catalogue(files: files, servers: LabCatalogue(servers: lab.servers).servers))
        }
        for server in lab.servers {
            try console.print(
                "\(server.name.column(34)) \(server.url.column(48)) \(server.presents); expect: \(server.expectation.rawValue)"
            )
        }
        try console.print("\nFiles: \(files.joined(separator: " "))")
        let (https, ca) = (lab[.goodHTTPS].url, files.first ?? "ca.pem")
        try console.print("Try:   curl --cacert \(ca) \(https)")
        try console.print("       countersign get \(https) --anchor \(ca)")
        try console.print(
            "User and password: \(Lab.credentials.user), \(Lab.credentials.password). Ctrl-C stops the lab.")
    }
}
