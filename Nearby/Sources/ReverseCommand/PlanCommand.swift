// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import DNSMessages
import DNSNames
import NearbyProgram
import ReverseZones

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `countersign reverse plan`: the files of both sides.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Write what the parent adds to its zone, and the zones of who uses the addresses.",
        discussion: """
            The parent is who assigns the addresses. A block of IPv4 within a /24 gets its names by aliases (RFC 2317); any other block \
            by a delegation of its reverse names.

            Example: countersign reverse plan 206.126.7.64/27 --ns ns1.example.net --ns ns2.example.net --hosts hosts.txt --out zones
            """)

    enum Style: String, CaseIterable, ExpressibleByArgument {
        case slash, hyphen, range, addresses, zones
    }

    struct Files: Encodable {
        struct File: Encodable {
            let zone: String
            let path: String?
            let text: String?
        }

        let block: String
        let parent: File
        let zones: [File]
        let namedConf: File
    }

    @Argument(help: "The block, such as 206.126.7.64/27 or 2001:db8:42::/48.")
    var block: String

    @Option(
        help: ArgumentHelp(
            "How the aliases' zone is called: slash (64/27), hyphen (64-27), range (64-95); or addresses, which delegates each address, and zones, which delegates reverse names.",
            valueName: "style"))
    var style: Style?

    @Option(help: ArgumentHelp("The label of the aliases' zone, instead of a style.", valueName: "label"))
    var label: String?

    @Option(help: ArgumentHelp("A domain for the PTR records, instead of a zone of their own.", valueName: "name"))
    var domain: String?

    @Option(help: ArgumentHelp("A domain that a DNAME record leads to.", valueName: "name"))
    var dname: String?

    @Option(
        name: .customLong("ns"), help: ArgumentHelp("A name server of the zones; may be repeated.", valueName: "name"))
    var nameServers: [String] = []

    @Option(help: ArgumentHelp("The mailbox of who is responsible, as user@domain.", valueName: "address"))
    var mail: String?

    @Option(help: ArgumentHelp("A hosts file: an address and a name in each line.", valueName: "file"))
    var hosts: String?

    @Option(help: ArgumentHelp("A forward zone whose A and AAAA records of the block are taken.", valueName: "file"))
    var zone: String?

    @Option(help: ArgumentHelp("The name of the forward zone, where its file has no $ORIGIN.", valueName: "name"))
    var origin = "."

    @Flag(help: "Write the aliases as one line with BIND's $GENERATE.")
    var generate = false

    @Option(
        help: ArgumentHelp(
            "The folder of the files; without it they are printed. A zone that is there gets the next serial.",
            valueName: "folder"))
    var out: String?

    @Flag(help: "Print the files as JSON.")
    var json = false

    func validate() throws {
        let ways = [style?.rawValue, label, domain, dname].compactMap(\.self)
        guard ways.count <= 1 else {
            throw ValidationError("Only one of --style, --label, --domain and --dname can apply.")
        }
    }

    func run() throws {
        let block = try AddressBlock(block)
        let servers = try nameServers.map { try DomainName($0) }
        let delegation = try ReverseDelegation(of: block, style: try chosenStyle(), nameServers: servers)
        let parent = try ReverseDelegation.parentFile(of: [delegation], generates: generate)
        let authority = StartOfAuthority(
            primary: servers.first ?? .root, mailbox: try mailbox(servers.first), serial: Self.today)
        let zones = try delegation.zoneFiles(of: try readHosts(block), authority: authority)
        try write(block, parent, try zones.map(withNextSerial))
    }

    private func chosenStyle() throws -> DelegationStyle? {
        if let label { return .label(label) }
        if let domain { return .domain(try DomainName(domain)) }
        if let dname { return .dname(try DomainName(dname)) }
        return switch style {
        case .slash?: .slash
        case .hyphen?: .hyphen
        case .range?: .range
        case .addresses?: .addresses
        case .zones?: .zones
        case nil: nil
        }
    }

    /// The part before the at sign is one label, with its dots (RFC 1035 section 8).
    private func mailbox(_ server: DomainName?) throws -> DomainName {
        guard let mail else {
            return try DomainName("hostmaster", relativeTo: DomainName(labels: Array(server?.labels.dropFirst() ?? [])))
        }
        let parts = mail.split(separator: "@", maxSplits: 1)
        guard parts.count == 2 else { throw ValidationError("--mail is user@domain.") }
        return try DomainName(String(parts[1])).adding(String(parts[0]))
    }

    private func readHosts(_ block: AddressBlock) throws -> [ReverseHost] {
        var found: [ReverseHost] = []
        if let hosts { found += try ReverseHost.hosts(in: try Self.read(hosts)) }
        if let zone {
            let records = try ZoneFileReader.records(in: try Self.read(zone), origin: try DomainName(origin))
            found += ReverseHost.hosts(in: records, of: block)
        }
        return found
    }

    private static func read(_ path: String) throws -> String {
        do {
            return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        } catch {
            throw FileProblem.notRead(path)
        }
    }

    private static var today: ZoneSerial {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let day = calendar.dateComponents([.year, .month, .day], from: Date())
        return .of(year: day.year ?? 0, month: day.month ?? 0, day: day.day ?? 0)
    }

    /// A zone with the serial after that of the file which is there.
    private func withNextSerial(_ file: ZoneFile) throws -> ZoneFile {
        guard let out, let text = try? Self.read(out + "/" + file.fileName),
            case .authority(let old)? = try ZoneFileReader.records(in: text, origin: file.origin).lazy.map(\.value)
                .first(where: { if case .authority = $0 { true } else { false } })
        else { return file }
        return ZoneFile(
            origin: file.origin, timeToLive: file.timeToLive,
            lines: file.lines.map { line in
                guard case .record(let record) = line, case .authority(var soa) = record.value else { return line }
                soa.serial = old.serial.next(on: soa.serial)
                return .record(ZoneRecord(record.owner, .authority(soa)))
            })
    }

    private func write(_ block: AddressBlock, _ parent: ZoneFile, _ zones: [ZoneFile]) throws {
        let stanzas = zones.filter { $0.timeToLive != nil }.map { zone in
            "zone \"\(zone.origin.description.dropLast())\" { type primary; file \"\(zone.fileName)\"; };\n"
        }.joined()
        let texts =
            [("parent-" + parent.fileName, parent.text)] + zones.map { ($0.fileName, $0.text) } + [
                ("named.conf.zones", stanzas)
            ]
        if let out {
            do {
                try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
                for (name, text) in texts {
                    try Data(text.utf8).write(to: URL(filePath: out + "/" + name), options: .atomic)
                }
            } catch {
                throw FileProblem.notWritten(out)
            }
        }
        if json {
            func file(_ zone: String, _ index: Int) -> Files.File {
                Files.File(
                    zone: zone, path: out.map { $0 + "/" + texts[index].0 }, text: out == nil ? texts[index].1 : nil)
            }
            let files = Files(
                block: block.description, parent: file(parent.origin.description, 0),
                zones: zones.enumerated().map { file($1.origin.description, $0 + 1) },
                namedConf: file("", texts.count - 1))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(files), as: UTF8.self))
        } else if let out {
            for (name, _) in texts { print("\(out)/\(name)") }
        } else {
            print(texts.map { "; \($0)\n\($1)" }.joined(separator: "\n"), terminator: "")
        }
    }
}
