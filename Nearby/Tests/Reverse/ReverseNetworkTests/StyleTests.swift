// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import Foundation
import ReverseZones
import Testing

/// Tests every delegation style through servers of both sides and a resolver.
@Suite(
    .serialized, .separateThreads,
    .enabled(
        if: Network.isPossible,
        "skipped: needs root and \(Network.needs.joined(separator: ", ")); see scripts/make/packages"
    ))
struct StyleTests {
    /// Returns a site for each style and prefix, with separate networks.
    private static func sites() throws -> [Site] {
        var sites: [Site] = []
        for length in 25...31 {
            for style in [DelegationStyle.slash, .hyphen, .range, .label("customer"), .addresses] {
                let first = length == 25 ? 128 : 64
                sites.append(try Site(sites.count, "198.18.\(sites.count).\(first)/\(length)", style))
            }
            let number = sites.count
            sites.append(
                try Site(number, "198.18.\(number).0/\(length)", .domain(try DomainName("rev.f\(number).test"))))
        }
        sites.append(try Site(sites.count, "198.19.0.0/24"))
        sites.append(try Site(sites.count, "203.0.112.0/23"))
        sites.append(try Site(sites.count, "100.64.0.0/24", .dname(try DomainName("rev.f\(sites.count).test"))))
        sites.append(try Site(sites.count, "2001:db8:42::/48"))
        sites.append(try Site(sites.count, "2001:db8:140::/45"))
        sites.append(try Site(sites.count, "2001:dba::/64", .dname(try DomainName("rev.f\(sites.count).test"))))
        return sites
    }

    @Test("dig -x finds the host name of each address with each server", arguments: Network.Second.allCases)
    func resolution(second: Network.Second) throws {
        guard Program.path(of: second.rawValue) != nil else {
            print("skipped: \(second.rawValue) is not installed; see scripts/make/packages")
            return
        }
        let sites = try Self.sites()
        let network = try Network(sites, second: second)
        defer { network.close() }
        let hosts = sites.flatMap(\.hosts)
        let batch = hosts.map { "-x \($0.address) +short\n" }.joined()
        let result = try network.run("dig", ["@\(Network.Place.resolver.address)", "-f", "-"], input: batch)
        // With +short, dig also prints each alias of the chain; the name of the PTR record is the last line.
        let names = result.output.split(separator: "\n").filter { $0.hasPrefix("h") }.map(String.init)
        #expect(names == hosts.map(\.name.description))
        // The second server itself has each zone, so that no aliases of the parent are involved.
        let zones = sites.flatMap { $0.children + [$0.forward] }
        let questions = zones.map { "\($0.name) SOA +short +norecurse\n" }.joined()
        let answers = try network.run("dig", ["@\(Network.Place.second.address)", "-f", "-"], input: questions)
        #expect(answers.output.split(separator: "\n").count == zones.count, "\(answers.output.suffix(500))")
        for site in sites {
            let check = try network.run(
                Program.countersignReverse,
                ["check", site.block.description, "--server", Network.Place.resolver.address, "--json"])
            let report = try Report(check.output)
            #expect(check.status == 0 && report.faults.isEmpty, "\(site.block): \(check.output)")
        }
    }

    @Test(
        "nsd and knot accept each file", arguments: [("nsd-checkzone", [String]()), ("kzonecheck", ["-o"])])
    func otherCheckers(program: String, option: [String]) throws {
        guard Program.path(of: program) != nil else {
            print("skipped: \(program) is not installed; see scripts/make/packages")
            return
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "zone").path
        for zone in try Self.sites().flatMap({ [$0.parent, $0.forward] + $0.children }) {
            try Data(zone.text.utf8).write(to: URL(filePath: file))
            let name = String(zone.name.description.dropLast())
            let result = try Program.run(program, option.isEmpty ? [name, file] : option + [name, file])
            #expect(result.status == 0, "\(name): \(result.output)")
        }
    }
}

/// The findings printed by `check --json`.
struct Report {
    struct Finding: Decodable, Hashable {
        let address: String?
        let zone: String?
        let code: String
        let severity: String

        /// The code and the subject.
        var text: String { "\(code) \(address ?? zone ?? "")" }
    }

    private struct Findings: Decodable { let findings: [Finding] }

    let findings: [Finding]

    init(_ output: String) throws {
        findings = try JSONDecoder().decode(Findings.self, from: Data(output.utf8)).findings
    }

    /// The findings that cause exit status 1.
    var faults: [Finding] { findings.filter { $0.severity != "note" } }
}
