// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// The files that the command writes.
@Suite(.separateThreads) struct PlanTests {
    private static let blocks = [
        "206.126.7.64/27", "206.126.7.128/26", "192.0.2.0/25", "198.51.100.0/24", "2001:db8:42::/48",
    ]

    private static func plan(_ arguments: [String], in folder: URL) throws -> Program {
        try Program.run(
            Program.countersignReverse,
            ["plan"] + arguments + ["--ns", "ns1.example.net", "--ns", "ns2.example.net", "--out", folder.path])
    }

    private static func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "plan-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test(
        "BIND loads the zones of several blocks by the configuration that is written",
        .enabled(if: Program.path(of: "named-checkconf") != nil, "skipped: named-checkconf is not installed"))
    func configuration() throws {
        try Self.withFolder { folder in
            let hosts = folder.appending(path: "hosts")
            try Data("206.126.7.66 mail.example.net\n192.0.2.5 a.example.net\n2001:db8:42::1 b.example.net\n".utf8)
                .write(to: hosts)
            let result = try Self.plan(Self.blocks + ["--hosts", hosts.path, "--primary", "192.0.2.53"], in: folder)
            #expect(result.status == 0, "\(result.output)")
            for (file, option) in [("named.conf.zones", ["-z"]), ("named.conf.parent", [])] {
                let configuration = folder.appending(path: "conf")
                try Data("options { directory \"\(folder.path)\"; };\ninclude \"\(folder.path)/\(file)\";\n".utf8)
                    .write(to: configuration)
                let check = try Program.run("named-checkconf", option + [configuration.path])
                #expect(check.status == 0, "\(file): \(check.output)")
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let parents = files.filter { $0.hasPrefix("parent-") }.sorted()
            #expect(
                parents == [
                    "parent-2.0.192.in-addr.arpa.zone", "parent-4.0.0.8.b.d.0.1.0.0.2.ip6.arpa.zone",
                    "parent-51.198.in-addr.arpa.zone", "parent-7.126.206.in-addr.arpa.zone",
                ])
        }
    }

    @Test("A plan made again raises the serial of each zone") func serials() throws {
        try Self.withFolder { folder in
            func serial() throws -> Int? {
                _ = try Self.plan(["192.0.2.64/27"], in: folder)
                let text = try String(
                    contentsOf: folder.appending(path: "64-27.2.0.192.in-addr.arpa.zone"), encoding: .utf8)
                return text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first { $0 > 2_000_000_000 }
            }
            let first = try #require(try serial())
            #expect(try serial() == first + 1)
        }
    }

    @Test("A zone that is there and cannot be read is not replaced") func unreadableZone() throws {
        try Self.withFolder { folder in
            let zone = folder.appending(path: "64-27.2.0.192.in-addr.arpa.zone")
            try Data("a..b IN A 192.0.2.1\n".utf8).write(to: zone)
            let result = try Self.plan(["192.0.2.64/27"], in: folder)
            #expect(result.status == 1 && result.output.contains("\(zone.path): Line 1"), "\(result.output)")
        }
    }

    static let usage = [
        "plan", "check", "fix 192.0.2.0/27", "check 192.0.2.0/27 --server a", "check 192.0.2.0/27 --concurrency 0",
        "plan 192.0.2.0/27 --primary a", "plan 192.0.2.0/27 --ns a..b", "plan 192.0.2.0/27 --ns a.b --mail a@",
        "plan 192.0.2.0/27 --style slash --label a",
        "check 192.0.2.0/27 --server 192.0.2.1 --child a",
    ]
    static let failures = [
        "plan 192.0.2.0", "plan 192.0.2.0/27", "check 192.0.2.1/27 --server 127.0.0.1:1",
        "check 192.0.2.0/27 --child /nonexistent", "check 192.0.2.0/27 --server 127.0.0.1:1",
        "check 192.0.2.0/27 192.0.2.0/28 --server 127.0.0.1:1",
    ]

    @Test("Wrong arguments end with the status of usage", arguments: usage) func wrongArguments(line: String) throws {
        try Self.expect(2, line)
    }

    @Test("What cannot be done ends with the status of failure", arguments: failures) func failure(line: String) throws
    {
        try Self.expect(1, line)
    }

    private static func expect(_ status: Int32, _ line: String) throws {
        let result = try Program.run(Program.countersignReverse, line.split(separator: " ").map(String.init))
        #expect(result.status == status && !result.output.isEmpty, "\(line): \(result.output)")
    }
}
