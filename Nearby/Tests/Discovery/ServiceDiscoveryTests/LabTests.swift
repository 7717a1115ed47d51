// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// The program `countersign` of the main package.
enum MainProgram {
    /// The path of the program, from a build in the same folder or an earlier build; `nil` if there is none.
    static let path = [
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
        URL(filePath: #filePath).appending(path: "../../../../../.build/debug").standardized,
    ].map { $0.appending(path: "countersign").path }.first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isBuilt: Bool {
        guard NamespaceNetwork.isPossible else { return false }
        if path == nil { print("Skipped, because countersign is not built: 'swift build --product countersign'.") }
        return path != nil
    }
}

/// Tests `countersign lab` and `countersign get` by running the programs.
@Suite("Announced lab", .serialized, .enabled(if: MainProgram.isBuilt))
struct LabTests {
    /// Runs `countersign`, with `countersign-discover` on the PATH.
    private func countersign(
        _ network: NamespaceNetwork, _ host: String, _ arguments: [String]
    ) throws -> PeerProcess {
        let discover = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
        return try network.start(
            host,
            ["env", "PATH=\(discover):/usr/bin:/bin", "HOME=\(network.folder.path)", try #require(MainProgram.path)]
                + arguments)
    }

    private func withAnnouncedLab(
        _ body: (NamespaceNetwork, _ lab: PeerProcess, _ ca: String) async throws -> Void
    ) async throws {
        let network = try NamespaceNetwork(2)
        defer { network.tearDown() }
        let files = network.folder.appending(path: "lab").path
        let lab = try countersign(network, "a", ["lab", "--announce", "--directory", files])
        try await lab.waits(for: "Announced: ", seconds: 60)
        try await body(network, lab, files + "/ca.pem")
    }

    @Test("The servers of the lab are reached by service name, and only with the lab's authority") func get()
        async throws
    {
        try await withAnnouncedLab { network, lab, ca in
            #expect(lab.text.contains("warning: every computer on the network can reach this lab"))
            let good = try countersign(
                network, "b", ["get", "Lab good-https._https._tcp.local", "--anchor", ca])
            #expect(good.finish() == "Countersign lab\n")
            let basic = try countersign(
                network, "b",
                ["get", "lab BASIC._https._tcp.local", "--anchor", ca, "-v", "--user", "lab:countersign"])
            #expect(basic.finish().contains("\nCountersign lab\n"), "\(basic.text)")
            #expect(basic.text.contains(#"* "lab BASIC" is at https://"#) && basic.text.contains(".local:"))
            #expect(basic.text.contains("/protected/, 192.0.2.1:"))
            let refused = try countersign(network, "b", ["get", "Lab good-https._https._tcp.local"])
            #expect(refused.finish().contains("Nothing says which certificate"))
            #expect(refused.status == 3)
            let plain = try countersign(network, "b", ["get", "Lab plain-http._http._tcp.local"])
            #expect(plain.finish().hasSuffix("nothing proves which one does.\nCountersign lab\n"), "\(plain.text)")
            let missing = try countersign(network, "b", ["get", "Lab no-such._https._tcp.local", "--anchor", ca])
            #expect(missing.finish().contains("was not found"))
            #expect(missing.status == 1)
        }
    }

    @Test("A server without a certificate of the authority, or without the pinned key, is rejected") func wrong()
        async throws
    {
        try await withAnnouncedLab { network, _, ca in
            for (name, message) in [
                ("Lab unknown-root", "trust.unknown-root"), ("Lab wrong-host", "trust.host-mismatch"),
                ("Lab expired", "trust.expired"),
            ] {
                let run = try countersign(
                    network, "b", ["get", name + "._https._tcp.local", "--anchor", ca, "--json"])
                #expect(run.finish().contains(message), "\(run.text)")
                #expect(run.status == 3)
            }
            let pin = "sha256/" + Data(count: 32).base64EncodedString()
            let pinned = try countersign(
                network, "b",
                [
                    "get", "Lab good-https._https._tcp.local", "--anchor", ca, "--trust", "anchors-only", "--pin", pin,
                    "--json",
                ])
            #expect(pinned.finish().contains("trust.pin-mismatch"), "\(pinned.text)")
            // The name that the user specifies must match, not the name that was found.
            let named = try countersign(
                network, "b",
                [
                    "get", "Lab wildcard._https._tcp.local", "--anchor", ca, "--service-host", "www.lab.localhost",
                ])
            #expect(named.finish() == "Countersign lab\n")
            let other = try countersign(
                network, "b",
                [
                    "get", "Lab wildcard._https._tcp.local", "--anchor", ca, "--service-host", "www.lab.example",
                    "--json",
                ])
            #expect(other.finish().contains("trust.host-mismatch"), "\(other.text)")
        }
    }

    @Test("Avahi finds the lab, and reports its withdrawal") func avahi() async throws {
        let network = try NamespaceNetwork(2)
        defer { network.tearDown() }
        _ = try await network.startAvahi("b")
        let browser = try network.start("b", ["avahi-browse", "-rp", "_https._tcp"])
        let lab = try countersign(network, "a", ["lab", "--announce", "--json"])
        try await lab.waits(for: #""announced""#, seconds: 60)
        try await browser.waits(for: #"IPv4;Lab\032basic;"#)
        try await browser.waits(for: #""path=/protected/""#)
        lab.interrupt()
        try await browser.waits(for: #"-;eth0;IPv4;Lab\032basic;"#)
    }

    @Test("Two servers with the same name on two networks are ambiguous, and are rejected") func ambiguous()
        async throws
    {
        let network = try NamespaceNetwork(2)
        defer { network.tearDown() }
        try network.connect("b", to: "c")
        let service = ["_https._tcp", "--announce", "Web", "--via", "own", "--port"]
        for (host, port) in [("a", "1001"), ("c", "1002")] {
            try await network.discover(host, service + [port]).waits(for: "announced")
        }
        let run = try countersign(network, "b", ["get", "Web._https._tcp.local", "--anchor", "ca.pem"])
        #expect(run.finish().contains("Several servers are called"), "\(run.text)")
    }

    @Test("Usage errors are explained") func wrongUses() async throws {
        let network = try NamespaceNetwork(1)
        defer { network.tearDown() }
        for (arguments, message, status) in [
            (["--announce", "--listen", "127.0.0.1"], "contradict each other", 2),
            (["--listen", "localhost"], "write an address of this computer", 2),
            (["--listen", "198.51.100.9"], "cannot listen on 198.51.100.9", 1),
        ] as [([String], String, Int32)] {
            let run = try countersign(network, "a", ["lab"] + arguments)
            #expect(run.finish().contains(message), "\(run.text)")
            #expect(run.status == status)
        }
        for arguments in [["lab", "--announce"], ["get", "Web._https._tcp.local", "--anchor", "ca.pem"]] {
            // The copy has no `countersign-discover` next to it or on the PATH.
            let copy = network.folder.appending(path: "countersign").path
            if !FileManager.default.fileExists(atPath: copy) {
                // Another process makes the copy: a program that a concurrent test starts could inherit the open file,
                // and the copy would be busy.
                try PeerProcess.run(["cp", try #require(MainProgram.path), copy])
            }
            let run = try network.start("a", ["env", "PATH=/usr/bin:/bin", copy] + arguments)
            #expect(run.finish().contains("countersign-discover was not found"), "\(run.text)")
            #expect(run.status == 1)
        }
    }
}
