// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ErrorExplanations
import NearbyProgram
import ServiceDiscovery

/// The program `countersign-discover`, which `countersign discover` runs.
@main
struct DiscoverProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign discover",
        abstract: "Find and announce services on the networks of this computer.",
        discussion: """
            Without a type, all types and their services are listed until Ctrl-C or the time of --timeout. With a service name, such as \
            "My Printer._https._tcp", that service is resolved, and the command exits.

            The results are not authenticated: any computer on the network can claim any name. Trust a service by its certificate.

            In the table, + marks a service that was found, - a lost service, = a resolved service, and ! an announced service.

            Example: countersign discover _http._tcp --resolve
            Example: countersign discover _https._tcp --announce "My web" --port 8443 --txt path=/start

            Exit status: 0 done; 1 the operation failed; 2 usage.
            """)

    enum Implementation: String, CaseIterable, ExpressibleByArgument {
        case avahi, dnssd, own

        var implementation: ServiceDiscovery.Implementation {
            switch self {
            case .avahi: .avahi
            case .dnssd: .dnssd
            case .own: .own
            }
        }
    }

    @Argument(help: "A type such as _https._tcp, one with a subtype such as _printer._sub._http._tcp, or a service.")
    var type: String?

    @Option(help: ArgumentHelp("Announce a service of this computer.", valueName: "name"))
    var announce: String?

    @Option(help: ArgumentHelp("The port of the announced service.", valueName: "number"))
    var port: UInt16?

    @Option(
        help: ArgumentHelp("A subtype of the announced service, such as _printer; may be repeated.", valueName: "name"))
    var subtype: [String] = []

    @Option(
        help: ArgumentHelp(
            "An attribute of the announced service; may be repeated.", valueName: "key=value"))
    var txt: [String] = []

    @Flag(help: "Announce a service for each line of standard input (a JSON object) until its end.")
    var announceInput = false

    @Flag(help: "Also resolve each service.")
    var resolve = false

    @Option(
        help: ArgumentHelp(
            "The time after which to exit; the default for resolving a service name is 5 seconds.", valueName: "seconds"
        ))
    var timeout: Double?

    @Flag(help: "Print one JSON object on each line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            """
            The multicast DNS implementation: the Avahi daemon, the system responder through dns_sd, or the built-in responder; by default dnssd on macOS, \
            a running Avahi daemon elsewhere, and own if there is none.
            """,
            valueName: "avahi|dnssd|own"))
    var via: Implementation?

    func validate() throws {
        guard (announce == nil) == (port == nil), announce == nil || type != nil else {
            throw ValidationError("--announce requires a type and --port.")
        }
        guard announce != nil || txt.isEmpty && subtype.isEmpty else {
            throw ValidationError("--txt and --subtype require --announce.")
        }
        guard timeout.map({ $0 > 0 && $0 < 1e9 }) ?? true else {
            throw ValidationError("--timeout must be greater than 0.")
        }
    }

    func run() async throws {
        let report = Report(isJSON: json)
        do {
            try await perform(report)
        } catch {
            report.failed(error)
            throw error
        }
    }

    private func perform(_ report: Report) async throws {
        let work = try Work(self)
        let interruption = TerminationSignals()
        defer { interruption.end() }
        let signals = interruption.signals
        let discovery = try await ServiceDiscovery(via?.implementation)
        report.started(discovery.implementation)
        do {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for await _ in signals { break }
                    return true
                }
                if let timeout, !work.isLookup {
                    group.addTask {
                        try await Task.sleep(for: .seconds(timeout))
                        return true
                    }
                }
                group.addTask { try await work.run(discovery, report) }
                defer { group.cancelAll() }
                while let isEnd = try await group.next(), !isEnd {}
            }
        } catch {
            await discovery.close()
            throw error
        }
        await discovery.close()
    }

    static var errors: [any ExplainedError] { ServiceDiscoveryError.examples + AnnouncementProblem.examples }

    static func main() async { await runAsProgram(errors: errors) }
}
