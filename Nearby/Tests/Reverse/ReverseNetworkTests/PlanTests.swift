// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// Tests of the files that the command writes.
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
        "BIND loads the zones of several blocks with the generated configuration",
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

    @Test("A repeated plan adds missing records with the next serial, and otherwise changes nothing") func again()
        throws
    {
        try Self.withFolder { folder in
            let zone = folder.appending(path: "64-27.2.0.192.in-addr.arpa.zone")
            let hosts = folder.appending(path: "hosts")
            func plan(_ text: String) throws -> String {
                try Data(text.utf8).write(to: hosts)
                let result = try Self.plan(["192.0.2.64/27", "--hosts", hosts.path], in: folder)
                #expect(result.status == 0, "\(result.output)")
                return try String(contentsOf: zone, encoding: .utf8)
            }
            func serial(_ text: String) -> Int? {
                text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first { $0 > 2_000_000_000 }
            }
            let first = try plan("192.0.2.66 a.example.net\n")
            #expect(try plan("192.0.2.66 a.example.net\n") == first)
            let second = try plan("192.0.2.66 a.example.net\n192.0.2.67 b.example.net\n")
            #expect(second.contains("67 ") && second.contains("b.example.net."))
            #expect(try serial(second) == #require(serial(first)) + 1)
        }
    }

    @Test("A plan preserves other records and comments, and lists these records") func foreignRecords() throws {
        try Self.withFolder { folder in
            let zone = folder.appending(path: "64-27.2.0.192.in-addr.arpa.zone")
            let parent = folder.appending(path: "parent-2.0.192.in-addr.arpa.zone")
            let configuration = folder.appending(path: "named.conf.zones")
            let own = """
                ; The office. Ask Mary before you change this.
                $ORIGIN 64/27.2.0.192.in-addr.arpa.
                $TTL 1h
                @ IN SOA ns9.example.net. mary.example.net. ( 2020010101 4h 1h 2w 1h ) ; since 2020
                  IN NS ns9.example.net.
                66 IN PTR printer.example.net. ; second floor
                   IN TXT "asset 4711"

                """
            let parts = "$ORIGIN 2.0.192.in-addr.arpa.\n128 IN CNAME 128.other.example. ; another customer\n"
            let stanza = "// by hand\nzone \"example.net\" { type primary; file \"example.net\"; };"
            try Data(own.utf8).write(to: zone)
            try Data(parts.utf8).write(to: parent)
            try Data(stanza.utf8).write(to: configuration)
            let result = try Self.plan(["192.0.2.64/27"], in: folder)
            #expect(result.status == 0 && result.output.contains("printer.example.net."), "\(result.output)")
            let text = try String(contentsOf: zone, encoding: .utf8)
            for line in own.split(separator: "\n") {
                #expect(text.contains(line.replacing("2020010101", with: "")) || line.contains("SOA"), "\(line)")
            }
            #expect(
                text.contains("mary.example.net.") && text.contains("; since 2020") && text.contains("ns1.example.net.")
            )
            #expect(!text.contains("2020010101"))
            let together = try String(contentsOf: parent, encoding: .utf8)
            #expect(together.hasPrefix(parts) && together.contains("64/27"))
            let stanzas = try String(contentsOf: configuration, encoding: .utf8)
            #expect(stanzas.hasPrefix(stanza + "\n") && stanzas.contains("zone \"64/27.2.0.192.in-addr.arpa\""))
            // A second run adds nothing.
            let files = [zone, parent, configuration]
            let before = try files.map { try Data(contentsOf: $0) }
            _ = try Self.plan(["192.0.2.64/27", "--generate"], in: folder)
            #expect(try files.map { try Data(contentsOf: $0) } == before)
        }
    }

    @Test("A record that conflicts with an existing one is an error, and no file is changed") func conflict() throws {
        try Self.withFolder { folder in
            let zone = folder.appending(path: "64-27.2.0.192.in-addr.arpa.zone")
            let hosts = folder.appending(path: "hosts")
            try Data("192.0.2.66 a.example.net\n".utf8).write(to: hosts)
            let own = "$ORIGIN 64/27.2.0.192.in-addr.arpa.\n@ 60 IN SOA a. b. 1 2 3 4 5\n66 60 IN CNAME x.example.\n"
            try Data(own.utf8).write(to: zone)
            let result = try Self.plan(["192.0.2.64/27", "--hosts", hosts.path], in: folder)
            #expect(result.status == 1 && result.output.contains("\(zone.path): "), "\(result.output)")
            #expect(try String(contentsOf: zone, encoding: .utf8) == own)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }

    @Test(
        "A zone that is unrelated to the block is an error",
        arguments: [
            (
                "192.0.2.64/27", "--child",
                "$ORIGIN example.org.\n@ 3600 IN SOA a. b. 1 7200 3600 1209600 3600\nwww 3600 IN A 203.0.113.1\n"
            ),
            (
                "192.0.2.64/27", "--child",
                "$ORIGIN 0/27.2.0.192.in-addr.arpa.\n@ 3600 IN SOA a. b. 1 7200 3600 1209600 3600\n1 3600 IN PTR a.\n"
            ),
            (
                "192.0.2.64/27", "--parent",
                "$ORIGIN 3.0.192.in-addr.arpa.\n@ 3600 IN SOA a. b. 1 7200 3600 1209600 3600\n"
            ),
            (
                "192.0.2.64/27", "--forward",
                "$ORIGIN example.org.\n@ 3600 IN SOA a. b. 1 7200 3600 1209600 3600\nwww 3600 IN A 203.0.113.1\n"
            ),
            ("2001:db8:42::/48", "--child", "$ORIGIN example.org.\n@ 3600 IN SOA a. b. 1 7200 3600 1209600 3600\n"),
        ])
    func unrelatedZone(block: String, option: String, text: String) throws {
        try Self.withFolder { folder in
            let hosts = folder.appending(path: "hosts")
            let isIPv4 = !block.contains(":")
            try Data("\(isIPv4 ? "192.0.2.66" : "2001:db8:42::1") a.example.net\n".utf8).write(to: hosts)
            _ = try Self.plan([block, "--hosts", hosts.path], in: folder)
            let forward = folder.appending(path: "forward")
            try Data(
                """
                $ORIGIN example.net.
                @ 3600 IN SOA ns1 hostmaster 1 7200 3600 1209600 3600
                  3600 IN NS ns1
                  3600 IN NS ns2
                ns1 3600 IN A 198.51.100.1
                ns2 3600 IN A 198.51.100.2
                a 3600 IN \(isIPv4 ? "A 192.0.2.66" : "AAAA 2001:db8:42::1")

                """.utf8
            ).write(to: forward)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix(".zone")
            }
            let right = files.flatMap {
                [$0.hasPrefix("parent-") ? "--parent" : "--child", folder.appending(path: $0).path]
            }
            let arguments = ["check", block] + right + ["--forward", forward.path]
            let good = try Program.run(Program.countersignReverse, arguments)
            #expect(good.status == 0, "\(good.output)")
            let stranger = folder.appending(path: "stranger")
            try Data(text.utf8).write(to: stranger)
            let result = try Program.run(Program.countersignReverse, arguments + [option, stranger.path])
            #expect(
                result.status == 1 && result.output.contains("The zone contains no reverse name of the block"),
                "\(result.output)")
        }
    }

    @Test("An existing unreadable zone file is not replaced") func unreadableZone() throws {
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

    @Test("Invalid arguments give the exit status for usage errors", arguments: usage) func wrongArguments(line: String)
        throws
    {
        try Self.expect(2, line)
    }

    @Test("A failed operation gives the exit status for failures", arguments: failures) func failure(line: String)
        throws
    {
        try Self.expect(1, line)
    }

    private static func expect(_ status: Int32, _ line: String) throws {
        let result = try Program.run(Program.countersignReverse, line.split(separator: " ").map(String.init))
        #expect(result.status == status && !result.output.isEmpty, "\(line): \(result.output)")
    }
}
