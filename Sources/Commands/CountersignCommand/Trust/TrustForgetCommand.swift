// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import Countersign

/// `countersign trust forget`.
struct TrustForgetCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget a server's key that was taken on first sight.",
        discussion: """
            Only where its owner tells you that the key was changed: the next key seen is taken without proof.

            Example: countersign trust forget printer.example:8443
            """)

    @Argument(help: "HOST or HOST:PORT; without a port, 443.")
    var server: String

    @Flag(help: "Forget without asking.")
    var yes = false

    @Flag(help: "Print what was forgotten as JSON.")
    var json = false

    var wantsJSON: Bool { json }
    var subject: String? { server }

    func perform(on console: Console) async throws -> CommandStatus {
        let endpoint = try Endpoint(of: try ServerAddress(server).url)
        let servers = KnownServers(environment: console.environment)
        guard let known = try servers.server(at: endpoint) else { throw KnownServersError.unknown(endpoint) }
        if !json { try console.print("\(endpoint), first seen on \(CertificateText.day(known.since)): \(known.key)") }
        if !yes { try await console.confirm("Forget it?", otherwise: "Nothing was forgotten.") }
        try servers.forget(endpoint)
        if json { try console.print(json: known) } else { try console.print("Forgotten.") }
        return .done
    }
}
