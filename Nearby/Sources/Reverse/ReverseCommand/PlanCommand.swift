// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import DNSMessages
import DNSNames
import ReverseZones

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The command `countersign reverse plan`, which creates the files of both sides.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Write the records to add to the parent zone, and the zones of the address holder.",
        discussion: """
            The parent is the organization that assigned the addresses. An IPv4 block within a /24 is delegated with aliases (RFC 2317); any other block \
            by a delegation of its reverse names. Several blocks may have different parents; each parent gets a file.

            Missing records are added to an existing file, together with the next serial. Its other lines are unchanged; the \
            command lists the records that are not in the plan.

            Example: countersign reverse plan 206.126.7.64/27 --ns ns1.example.net --ns ns2.example.net --hosts hosts.txt --out zones
            """)

    @Argument(help: "The blocks, such as 206.126.7.64/27 or 2001:db8:42::/48.")
    var blocks: [String]

    @OptionGroup var style: StyleOptions

    @Option(
        name: .customLong("ns"), help: ArgumentHelp("A name server of the zones; may be repeated.", valueName: "name"))
    var nameServers: [DomainName] = []

    @Option(
        help: ArgumentHelp("The mailbox of the person responsible for the zones, as user@domain.", valueName: "address")
    )
    var mail: String?

    @Option(help: ArgumentHelp("A hosts file with an address and a name on each line.", valueName: "file"))
    var hosts: String?

    @Option(
        help: ArgumentHelp(
            "A forward zone, whose A and AAAA records with addresses of the blocks are used.", valueName: "file"))
    var zone: String?

    @Option(help: ArgumentHelp("The name of the forward zone, if its file has no $ORIGIN.", valueName: "name"))
    var origin = DomainName.root

    @Option(
        help: ArgumentHelp(
            "The address of the zones' primary server, if the parent's servers are secondary servers (RFC 2317 section 5.1).",
            valueName: "address"))
    var primary: String?

    @Flag(help: "Write the aliases as one line with BIND's $GENERATE.")
    var generate = false

    @Option(
        help: ArgumentHelp(
            "The output folder; by default the files are printed. Missing records are added to an existing file.",
            valueName: "folder"))
    var out: String?

    @Flag(help: "Print the files as JSON.")
    var json = false

    func validate() throws {
        guard primary.map({ IPAddress($0) != nil }) ?? true else {
            throw ValidationError("--primary must be an address.")
        }
        _ = try mailbox()
    }

    func run() throws {
        let blocks = try blocks.map { try AddressBlock($0) }
        try AddressBlock.requireDistinct(blocks)
        let style = style.chosen()
        let delegations = try blocks.map { try ReverseDelegation(of: $0, style: style, nameServers: nameServers) }
        let authority = StartOfAuthority(
            primary: nameServers.first ?? .root, mailbox: try mailbox(), serial: Day.serial)
        let zones = try ReverseDelegation.zoneFiles(of: delegations, hosts: try readHosts(blocks), authority: authority)
        let output = PlanOutput(
            blocks: blocks, parents: try ReverseDelegation.parentFiles(of: delegations, generates: generate),
            zones: zones, primary: primary, folder: out)
        try output.write(asJSON: json)
    }

    /// Returns the mailbox as a domain name; the part before the at sign is a single label, including its dots (RFC
    /// 1035 section 8).
    private func mailbox() throws -> DomainName {
        guard let mail else {
            let domain = Array(nameServers.first?.labels.dropFirst() ?? [])
            return try DomainName("hostmaster", relativeTo: DomainName(labels: domain))
        }
        let parts = mail.split(separator: "@", maxSplits: 1)
        guard parts.count == 2, let domain = DomainName(argument: String(parts[1])),
            let mailbox = try? domain.adding(String(parts[0]))
        else { throw ValidationError("\"\(mail)\" is not a mailbox, such as hostmaster@example.net.") }
        return mailbox
    }

    private func readHosts(_ blocks: [AddressBlock]) throws -> [ReverseHost] {
        var found: [ReverseHost] = []
        if let hosts {
            found += try FileText.withPath(hosts) { try ReverseHost.hosts(in: FileText.read(hosts)) }
        }
        if let zone {
            let records = try FileText.withPath(zone) {
                try ZoneFileReader.records(in: FileText.read(zone), origin: origin)
            }
            for block in blocks { found += ReverseHost.hosts(in: records, of: block) }
        }
        return found
    }
}
