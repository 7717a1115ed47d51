// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import DNSClient
import NearbyProgram
import ReverseChecks
import ReverseZones

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The command `countersign reverse check`, which reports problems in the reverse DNS of blocks.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find problems in the reverse DNS of a block.",
        discussion: """
            Queries a resolver for each address, and the name servers of both sides directly; or reads zone files. Each block is one \
            delegation: within a /24, the aliases of all its addresses should point into one zone.

            IPv6 addresses, and the addresses of IPv4 blocks of more than a million, are checked only if they have a PTR record or are named by --forward or --hosts.

            Exit status: 0 no error or warning was found; 1 an error or warning was found, or the check failed; 2 usage. Notes do not count.

            Examples:
              countersign reverse check 206.126.7.64/27 --server 192.0.2.53
              countersign reverse check 206.126.7.64/27 --parent 7.126.206.zone --child 64-27.zone --forward example.net.zone
            """)

    @Argument(help: "The blocks, such as 206.126.7.64/27 or 2001:db8:42::/48.")
    var blocks: [String]

    @Option(
        name: .customLong("server"),
        help: ArgumentHelp(
            "A resolver to query, as an address with or without :port; may be repeated. The default is the resolvers in /etc/resolv.conf.",
            valueName: "address"))
    var servers: [String] = []

    @OptionGroup var files: ZoneFileOptions

    @Option(help: ArgumentHelp("The maximum number of concurrent queries.", valueName: "number"))
    var concurrency = 64

    @Flag(help: "Print the findings as JSON.")
    var json = false

    func validate() throws {
        guard !blocks.isEmpty else { throw ValidationError("Specify a block, such as 206.126.7.64/27.") }
        guard servers.isEmpty || !files.haveBothSides else {
            throw ValidationError("Use either --server, to query servers, or --parent and --child, to read files.")
        }
        guard (1...1_024).contains(concurrency) else { throw ValidationError("--concurrency must be from 1 to 1024.") }
        for server in servers where DNSServer(server) == nil {
            throw ValidationError("\"\(server)\" is not a server address, such as 192.0.2.53 or 192.0.2.53:5300.")
        }
    }

    func run() async throws {
        let blocks = try blocks.map { try AddressBlock($0) }
        try AddressBlock.requireDistinct(blocks)
        let (sides, forward, listed) = (
            try files.documents(files.parent + files.child), try files.documents(files.forward), try files.listedHosts()
        )
        let (source, client) = try await recordSource(sides + forward)
        let unrelated = FileRecords.unrelatedZones(of: sides, forward, to: blocks)
        var findings = unrelated.map { (blocks[0], ReverseFinding(.zone($0), .unrelated)) }
        for block in blocks {
            let hosts = listed + forward.flatMap { ReverseHost.hosts(in: $0.records, of: block) }
            let check = ReverseCheck(of: block, in: source, hosts: hosts, today: Day.serial)
            var progress = Progress(block)
            findings += try await check.findings { progress.show($0, of: $1) }.map { (block, $0) }
            progress.end()
        }
        try await client?.shutDown()
        let output = FindingsOutput(findings)
        print(json ? try output.json : output.table)
        if findings.contains(where: { $0.1.severity != .note }) { throw ExitCode(1) }
    }

    private func recordSource(_ documents: [ZoneDocument]) async throws -> (any RecordSource, DNSClient?) {
        if files.haveBothSides { return (FileRecords(documents), nil) }
        let configured = servers.isEmpty ? (try? FileText.read("/etc/resolv.conf")) ?? "" : ""
        let resolvers = servers.compactMap { DNSServer($0) } + DNSServer.servers(ofResolverConfiguration: configured)
        let client = DNSClient(concurrency: concurrency)
        return (try await ResolverRecords(client, resolvers: resolvers), client)
    }
}
