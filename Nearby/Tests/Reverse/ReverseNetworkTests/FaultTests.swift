// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import Foundation
import ReverseZones
import Testing

/// Tests that each problem is found with its address or zone, on servers and in files, and is removed by a correction.
@Suite(
    .separateThreads,
    .enabled(
        if: Network.isPossible,
        "skipped: needs root and \(Network.needs.joined(separator: ", ")); see scripts/make/packages"
    ))
struct FaultTests {
    private static func sites() throws -> [Site] {
        try Fault.all.enumerated().map { number, fault in
            var site = try Site.small(number)
            try fault.make(&site)
            return site
        }
    }

    /// Tests one network with the problems, and another one with the corrected files.
    @Test("Each problem is found on servers, and none after the correction") func live() throws {
        let pairs = try zip(Fault.all, Self.sites()).filter { $0.0.isLive }
        let network = try Network(pairs.map(\.1))
        defer { network.close() }
        for (fault, site) in pairs {
            let report = try Self.check(site, network)
            #expect(report.faults.map(\.text).sorted() == fault.findings(site), "\(fault)")
        }
        let fixable = pairs.filter { $0.0.fix != nil }
        let corrected = try Network(fixable.map { try Self.fixed($0.1, $0.0) })
        defer { corrected.close() }
        for (fault, site) in fixable {
            #expect(try Self.check(site, corrected).faults.map(\.text) == [], "\(fault)")
        }
    }

    @Test("A zone that no server has gives one finding for each server, not one for each address")
    func lameZone() throws {
        var site = try Site(0, "203.0.112.0/23")
        (site.children[1].isOnFirst, site.children[1].isOnSecond) = (false, false)
        let network = try Network([site])
        defer { network.close() }
        let report = try Self.check(site, network)
        let expected = "refusing-server \(site.children[1].name)"
        #expect(report.faults.map(\.text) == [expected, expected])
    }

    @Test("A zone of an IPv6 block that no server has is not searched", .timeLimit(.minutes(1)))
    func lameTree() throws {
        var site = try Site(0, "2001:db8:42::/48")
        (site.children[0].isOnFirst, site.children[0].isOnSecond) = (false, false)
        let network = try Network([site])
        defer { network.close() }
        let report = try Self.check(site, network)
        let expected = "refusing-server \(site.children[0].name)"
        #expect(report.faults.map(\.text) == [expected, expected])
    }

    @Test("A server without recursion is rejected as a resolver") func noRecursion() throws {
        let site = try Site(0, "2001:db8:42::/48")
        let network = try Network([site])
        defer { network.close() }
        let server = Network.Place.first.address
        let result = try network.run(
            Program.countersignReverse, ["check", site.block.description, "--server", server])
        #expect(result.status == 1 && result.output.contains("\(server) refuses recursion"), "\(result.output)")
    }

    @Test("PTR records of IPv6 are found by searching the tree of names") func tree() throws {
        var site = try Site(0, "2001:db8:42::/48")
        let (one, other) = (site.hosts[7], site.hosts[8])
        site.children[0].replace("PTR     \(one.name)\n", "PTR     \(other.name)\n")
        let network = try Network([site])
        defer { network.close() }
        let arguments = ["check", site.block.description, "--server", Network.Place.resolver.address, "--json"]
        let report = try Report(try network.run(Program.countersignReverse, arguments).output)
        #expect(report.faults.map(\.text) == ["other-forward \(one.address)"])
    }

    private static func check(_ site: Site, _ network: Network) throws -> Report {
        let file = network.folder.appending(path: "forward-\(site.number)")
        try Data(site.forward.text.utf8).write(to: file)
        let result = try network.run(
            Program.countersignReverse,
            ["check", site.block.description, "--server", Network.Place.resolver.address, "--json"]
                + ["--forward", file.path])
        return try Report(result.output)
    }

    @Test(
        "Each problem is found in zone files, and none after the correction", arguments: Fault.all.filter(\.isInFiles))
    func files(fault: Fault) throws {
        var site = try Site.small(7)
        try fault.make(&site)
        #expect(try Self.checkFiles(site).faults.map(\.text).sorted() == fault.findings(site))
        guard fault.fix != nil else { return }
        #expect(try Self.checkFiles(Self.fixed(site, fault)).faults.map(\.text) == [])
    }

    private static func withFiles<Result>(
        _ site: Site, _ body: (_ folder: URL, _ arguments: [String]) throws -> Result
    ) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "site-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var arguments: [String] = []
        for (option, zone) in [("parent", site.parent), ("child", site.children[0]), ("forward", site.forward)] {
            let file = folder.appending(path: option)
            try Data(zone.text.utf8).write(to: file)
            arguments += ["--\(option)", file.path]
        }
        return try body(folder, arguments)
    }

    private static func checkFiles(_ site: Site) throws -> Report {
        try withFiles(site) { _, arguments in
            let result = try Program.run(
                Program.countersignReverse, ["check", site.block.description, "--json"] + arguments)
            #expect(result.status == (try Report(result.output).faults.isEmpty ? 0 : 1))
            return try Report(result.output)
        }
    }

    /// Returns the site with corrected files, which BIND must accept.
    private static func fixed(_ site: Site, _ fault: Fault) throws -> Site {
        try withFiles(site) { folder, arguments in
            let out = folder.appending(path: "out")
            let more = (fault.fix ?? []).map { $0.replacing("N", with: String(site.number)) }
            let result = try Program.run(
                Program.countersignReverse, ["fix", site.block.description, "--out", out.path] + arguments + more)
            #expect(result.status == 0, "\(fault): \(result.output)")
            var fixed = site
            fixed.parent.text = try String(contentsOf: out.appending(path: "parent"), encoding: .utf8)
            fixed.children[0].text = try String(contentsOf: out.appending(path: "child"), encoding: .utf8)
            (fixed.children[0].textOfSecond, fixed.children[0].isOnSecond) = (nil, true)
            for (zone, file) in [(site.parent, "parent"), (site.children[0], "child")] {
                let name = zone.name.description
                let check = try Program.run("named-checkzone", ["-i", "local", name, out.appending(path: file).path])
                #expect(check.status == 0, "\(fault): \(check.output)")
            }
            return fixed
        }
    }
}
