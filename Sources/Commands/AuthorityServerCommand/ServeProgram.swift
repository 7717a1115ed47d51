// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import AuthorityAccess
import AuthorityStore
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import HTTPServing
import Hummingbird
import HummingbirdTLS
import KeychainService
import Logging
import Metrics
import NIOCore
import PKCS11
import PrometheusText
import ServiceLifecycle

/// The program `countersign-ca-serve`, which `countersign ca serve` runs.
@main
struct ServeProgram: CommandProgram, ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign ca serve",
        abstract: "Serve the authority's revocation list, its OCSP responder and its certificate.",
        discussion: """
            /metrics is for Prometheus, and /health/live and /health/ready are for monitoring. Clients fetch the rest over plain http, at the URLs that were given to 'countersign ca init': /crl, /ocsp and \
            /authority.cer. A revocation is visible from the next request on. SIGTERM ends the server after pending requests.

            Example: countersign ca serve --port 8080
            """,
        version: CommandVersion.withTraits)

    static let errors = ErrorCatalog(
        [AuthorityStoreError.self, AuthorityKeyError.self, TokenError.self],
        options: .common + .keychain + ["token.pin-needed": ["--token-pin-file"]])

    /// The maximum number of connections on each port.
    private static let maximumConnections = 4096

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var address = "127.0.0.1"

    @Option(help: ArgumentHelp("The port; 0 for one that the system chooses.", valueName: "number"))
    var port = 8080

    @Option(help: ArgumentHelp("The validity period of a revocation list.", valueName: "days"))
    var crlDays = 7

    @Option(help: ArgumentHelp("The validity period of an OCSP response.", valueName: "hours"))
    var ocspHours = 24

    @OptionGroup
    var acme: ACMEOptions

    @OptionGroup
    var options: SigningOptions

    @Flag(help: "Print the URLs as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535.") }
        guard (1...365).contains(crlDays) else { throw ValidationError("--crl-days is 1 to 365.") }
        guard (1...168).contains(ocspHours) else { throw ValidationError("--ocsp-hours is 1 to 168.") }
    }

    func perform(on console: Console) async throws -> CommandStatus {
        let open = try await options.open(on: console)
        let publisher = try await Publisher(
            open, listDays: crlDays, responseLifetime: TimeInterval(ocspHours) * 3_600)
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        var logger = Logger(label: "countersign-ca-serve") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        let router = PublicationRoutes(publisher: publisher, metrics: metrics, logger: logger).router
        var services: [any Service] = []
        var acmeURL: String?
        if let place = acme.place {
            if let note = acme.externalAccounts.flatMap(FilePermissions.note(onSecret:)) { console.printError(note) }
            let service = try await ACMEService(acme, at: place, for: open)
            let routes = ACMERoutes(server: service.server, path: place.path)
            services.append(service)
            acmeURL = place.url + "/directory"
            if place.isEncrypted, !acme.behindProxy {
                let certificate = try await ServerCertificate(of: place.host, issuedBy: open)
                let own = Router()
                own.middlewares.add(MetricsMiddleware())
                own.middlewares.add(Failures(logger: logger))
                routes.add(to: own)
                services.append(
                    Application(
                        router: own,
                        server: try .tls(
                            ServedHTTP1.builder(), tlsConfiguration: try await certificate.configuration()),
                        configuration: ApplicationConfiguration(address: .hostname(address, port: place.port)),
                        onServerRunning: { await ServedHTTP1.limitConnections(of: $0, to: Self.maximumConnections) },
                        logger: logger))
            } else {
                routes.add(to: router)
            }
        }
        let (address, json, acmeDirectory) = (address, json, acmeURL)
        services.append(
            Application(
                router: router, server: ServedHTTP1.builder(),
                configuration: ApplicationConfiguration(address: .hostname(address, port: port)),
                onServerRunning: { channel in
                    await ServedHTTP1.limitConnections(of: channel, to: Self.maximumConnections)
                    let report = ServeReport(
                        url: "http://\(address):\(channel.localAddress?.port ?? 0)", acme: acmeDirectory)
                    // The server continues if standard output is closed.
                    try? json ? console.print(json: report) : console.print(report.text)
                },
                logger: logger))
        let group = ServiceGroup(configuration: .init(services: services, logger: logger))
        // A signal cancels this task; the server then finishes the pending requests and exits.
        let running = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
        }
        return .done
    }

    static func main() async { await start() }
}

/// The JSON output of `ca serve --json`.
struct ServeReport: Encodable {
    let url: String
    /// The URL of the ACME directory.
    let acme: String?

    var text: String {
        "Serving \(url)/crl, \(url)/ocsp and \(url)/authority.cer." + (acme.map { "\nACME: \($0)" } ?? "")
    }
}
