// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ChallengeLab
import CommandSupport
import LabTour

/// `countersign tour`, which prints one table for all lab servers.
struct TourCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "tour",
        abstract: "Start the lab, fetch from each of its servers, and print one table.",
        discussion: """
            Exits with 0 only if every row is as expected.

            --client runs another client instead, once for each server: a row is right if the client delivers what it should \
            (its status is 0, and its standard output the body or nothing) and refuses what it should (its status is not 0). \
            The command line is split as a shell does, without a shell. Its placeholders are {url}, {ca}, {name}, {user}, \
            {password}, {token}, {client-certificate}, {client-key}, {proxy}, {proxy-user}, {proxy-password}, {pin}, {crl}, {ocsp}, \
            {fetch}, {logs}, {range}, {host}, {port} and {address}. A part in [ and ] is left out for servers that have no value for it; a \
            server whose value has no placeholder is not run.

            Example: countersign tour --svg tour.svg
            Example: countersign tour --client 'curl -sSfL --cacert {ca} [--anyauth -u {user}:{password}] [-x {proxy}] {url}'
            """)

    @Flag(help: "Print the rows as JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Also draw the table to this file; '-' draws to standard output, instead of the text.", valueName: "file"),
        transform: OutputDestination.init)
    var svg: OutputDestination?

    @Option(
        help: ArgumentHelp("Run this client instead of the command's own session.", valueName: "command"),
        transform: TourCommand.template)
    var client: ClientTemplate?

    @Option(help: ArgumentHelp("The timeout of one client run, in seconds.", valueName: "seconds"))
    var clientTimeout: Double = 10

    @Option(help: ArgumentHelp("The servers to use: names separated by commas.", valueName: "names"))
    var only: String?

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        if json, svg == .standardOutput { throw UsageError.contradiction("--json", "--svg -") }
        let names = try only.map(names)
        let lab = try await Lab.start(kinds(names))
        let result: Result<[TourRow], any Error>
        do {
            result = .success(try await rows(of: lab, names))
        } catch {
            result = .failure(error)
        }
        try await lab.stop()
        try Task.checkCancellation()
        let rows = try result.get()
        let table = TourTable(rows: rows, showsChallenges: client == nil, width: console.outputWidth ?? 240)
        if json {
            try console.print(json: rows)
        } else if svg != .standardOutput {
            try table.lines(usesColor: console.usesColor).forEach(console.print)
        }
        try svg?.write(table.svg, on: console)
        return rows.allSatisfy { $0.isAsExpected != false } ? .done : .failed
    }

    private func names(_ list: String) throws(UsageError) -> Set<String> {
        let names = Set(list.split(separator: ",").map(String.init))
        guard let unknown = names.subtracting(LabServer.Kind.allCases.map(\.rawValue)).min() else { return names }
        throw .value("--only", "the lab has no server \(unknown)")
    }

    /// Returns the servers to start, including the valid ones to which proxies and redirects lead.
    private func kinds(_ names: Set<String>?) -> Set<LabServer.Kind> {
        guard let names else { return Set(LabServer.Kind.allCases) }
        return Set(names.compactMap(LabServer.Kind.init)).union([.plainHTTP, .goodHTTPS])
    }

    private func rows(of lab: Lab, _ names: Set<String>?) async throws -> [TourRow] {
        let stops = TourStop.all(of: lab).filter { names?.contains($0.server.name) ?? true }
        let tour = Tour(
            client.map { .program($0, limit: .milliseconds(Int64(clientTimeout * 1_000))) } ?? .session)
        var rows: [TourRow] = []
        try await tour.visit(stops, of: lab) { rows.append($0) }
        return rows
    }

    private static func template(_ text: String) throws(UsageError) -> ClientTemplate {
        do throws(ClientTemplate.Malformed) {
            return try ClientTemplate(text)
        } catch {
            throw .value("--client", error.reason)
        }
    }
}
