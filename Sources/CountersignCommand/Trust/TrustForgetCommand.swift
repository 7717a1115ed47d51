// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
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

    func perform(on console: Console) async throws -> CommandStatus {
        let endpoint = try Endpoint(of: try ServerAddress(server).url)
        let servers = KnownServers(environment: console.environment)
        guard let known = try servers.known(endpoint) else { throw KnownServersError.unknown(endpoint) }
        if !json { console.print("\(endpoint), first seen on \(CertificateText.day(known.since)): \(known.key)") }
        if !yes {
            guard let prompter = console.prompter else {
                throw CommandFailure(
                    failure: Failure(.failed, "confirmation-needed", "Nothing was forgotten.", "Say --yes."))
            }
            guard await prompter.confirm("Forget it?") else {
                throw CommandFailure(failure: Failure(.failed, "declined", "Nothing was forgotten."))
            }
        }
        _ = try servers.forget(endpoint)
        if json { console.print(json: known) } else { console.print("Forgotten.") }
        return .done
    }
}
