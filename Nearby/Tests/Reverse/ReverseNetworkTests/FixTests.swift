// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// Tests the correction of zone files.
@Suite(.separateThreads) struct FixTests {
    private static let parent = """
        $TTL 30
        @ IN SOA ns1.isp.net. hostmaster.isp.net. 2024010101 14400 3600 1209600 3600
          NS ns1.isp.net.
          NS ns2.isp.net.
        64/30 NS ns1.example.net.
        64/30 NS ns2.example.net.
        64 CNAME 64.64/30
        65 PTR mail.example.net.
        66 PTR other.example.net.
        66 TXT "not understood"
        67 CNAME 67.64/30

        """
    private static let child = """
        @ IN SOA ns1.example.net. hostmaster.example.net. 2024010101 14400 3600 1209600 3600
          NS ns1.example.net.
          NS ns2.example.net.
        * PTR dynamic.example.net.

        """
    private static let names = ["7.126.206.in-addr.arpa", "64/30.7.126.206.in-addr.arpa"]

    /// Runs the command in a folder with the files of both sides, which do not specify their zones.
    private static func fix(_ more: [String], _ body: (URL, Program) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fix-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var arguments = ["fix", "206.126.7.64/30"]
        for (option, text) in [("parent", parent), ("child", child)] {
            let file = folder.appending(path: option)
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
            arguments += ["--\(option)", file.path]
        }
        let filled = more.map { $0.replacing("FOLDER", with: folder.path) }
        try body(folder, try Program.run(Program.countersignReverse, arguments + filled))
    }

    private static let origins = zip(["parent", "child"], names).flatMap { ["--origin", "FOLDER/\($0)=\($1)"] }

    @Test(
        "Wildcards and records of other types are preserved, and BIND accepts the files",
        .enabled(if: Program.path(of: "named-checkzone") != nil, "skipped: named-checkzone is not installed"))
    func retained() throws {
        try Self.fix(Self.origins + ["--out", "FOLDER"]) { folder, result in
            #expect(result.status == 0 && result.output.contains("- $TTL 30\n"), "\(result.output)")
            for (file, zone) in zip(["parent", "child"], Self.names) {
                let path = folder.appending(path: file).path
                // A CNAME record cannot coexist with the record of another type.
                let check = try Program.run("named-checkzone", ["-i", "local", zone, path])
                #expect(check.status == 0, "\(check.output)")
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o640)
            }
            let child = try String(contentsOf: folder.appending(path: "child"), encoding: .utf8)
            let pointers = child.split(separator: "\n").filter { $0.contains("PTR") }.map {
                $0.split(separator: " ").joined(separator: " ")
            }
            #expect(
                pointers == [
                    "* PTR dynamic.example.net.", "65 IN PTR mail.example.net.", "66 IN PTR other.example.net.",
                ])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["child", "parent"])
        }
    }

    @Test("If one file cannot be written, none is written, and the error names the file") func allOrNone() throws {
        let out = FileManager.default.temporaryDirectory.appending(path: "out-\(UInt64.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(at: out) }
        try FileManager.default.createDirectory(at: out.appending(path: "child"), withIntermediateDirectories: true)
        try Self.fix(Self.origins + ["--out", out.path]) { _, result in
            #expect(result.status == 1 && result.output.contains("\(out.path)/child cannot be written"))
            let files = try FileManager.default.contentsOfDirectory(atPath: out.path)
            #expect(files == ["child"])
        }
    }

    @Test("Files that do not specify a zone are rejected by name") func unnamedZones() throws {
        try Self.fix([]) { folder, result in
            #expect(result.status == 1 && result.output.contains("\(folder.path)/parent: "), "\(result.output)")
        }
        try Self.fix(["--origin", "x=example.net"]) { _, result in
            #expect(result.status == 2 && result.output.contains("no option specifies that file"))
        }
    }
}
