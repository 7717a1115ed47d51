// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Testing
@testable import CommandSupport
@testable import CountersignCommand
import EssentialFoundation

@Suite struct PolicyTests {
    private static let good = """
        version: 1
        domains:
          localhost:
            anchors: {only: [ca.pem]}
            minimum-tls: "1.3"
            plain-http: forbidden
          127.0.0.1: {validation: dangerously-disabled}

        """

    @Test("The policy of each domain is printed") func table() async throws {
        try await withLab { _, folder async throws in
            let path = try folder.write(Self.good, to: "policy.yaml")
            let run = try await CommandRun(["trust", "check-policy", path], home: folder)
            #expect(run.status == .done)
            let rows = run.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(rows.map { $0[0] } == ["domain", "127.0.0.1", "localhost", "default"])
            #expect(rows.last?.suffix(3) == ["1.2", "allowed", "all"])
            #expect(rows[2].suffix(3) == ["1.3", "forbidden", "all"])
            #expect(run.text.contains("only 1"))
            #expect(
                run.errors == """
                    \(path):7:27: domains."127.0.0.1".validation: warning: Any certificate is accepted: an attacker on the \
                    network can read and change everything. Remove 'validation', and name the certificates to trust under \
                    'anchors'.

                    """)
        }
    }

    @Test("The JSON output holds domains and warnings") func json() async throws {
        try await withLab { _, folder async throws in
            let path = try folder.write(Self.good, to: "policy.yaml")
            let run = try await CommandRun(["trust", "check-policy", path, "--json"], home: folder)
            #expect(run.status == .done)
            #expect(run.errors == "")
            struct Report: Decodable {
                struct Domain: Decodable {
                    let domain: String
                    let anchorFingerprints: [String]
                    let minimumTLS: String
                }
                struct Warning: Decodable {
                    struct Place: Decodable { let line: Int }
                    let place: Place
                }
                let domains: [Domain]
                let warnings: [Warning]
            }
            let report = try JSONDecoder().decode(Report.self, from: Data(run.output))
            #expect(report.domains.map(\.domain) == ["127.0.0.1", "localhost", "default"])
            #expect(report.domains.map(\.anchorFingerprints.count) == [0, 1, 0])
            #expect(report.domains.map(\.minimumTLS) == ["1.2", "1.3", "1.2"])
            #expect(report.warnings.map(\.place.line) == [7])
        }
    }

    static let mistakes: [(text: String, error: String)] = [
        ("version: 1\ndomain: {}", ":2:1: domain: There is no key \"domain\" here.\n"),
        (
            "version: 1\ndefault: {anchors: {only: [gone.pem]}}",
            ":2:28: default.anchors.only[0]: <gone.pem> cannot be read: No such file or directory."
        ),
        (
            "version: 1\ndefault: {anchors: {only: [client-key.pem]}}",
            ":2:28: default.anchors.only[0]: \"client-key.pem\" gives no anchors: The file holds a private "
        ),
        (
            "version: 1\ndefault: {pins: {any: [sha1/AA]}}",
            ":2:24: default.pins.any[0]: The hash sha1 is not supported for pins."
        ),
        ("version: *a", ":1:10: The alias *a has no anchor &a before it."),
        ("version: 1\n\u{1B}[31m: 1", ":2:1: This is not YAML: control characters are not allowed."),
    ]

    @Test("An error is reported with file, line and column", arguments: mistakes)
    func invalidFile(text: String, error: String) async throws {
        try await withLab { _, folder async throws in
            let path = try folder.write(text, to: "policy.yaml")
            let run = try await CommandRun(["trust", "check-policy", path], home: folder)
            #expect(run.status == .failed)
            #expect(run.output.isEmpty)
            let expected = error.replacing("<gone.pem>", with: folder.file("gone.pem"))
            #expect(run.errors.hasPrefix(path + expected), "\(run.errors)")
            let json = try await CommandRun(["trust", "check-policy", path, "--json"], home: folder)
            #expect(json.status == .failed)
            #expect(json.text.contains("\"line\" : "))
            let editor = try await CommandRun(["trust", "check-policy", path, "--format", "editor"], home: folder)
            #expect(editor.status == .failed)
            #expect(editor.errors.isEmpty)
            #expect(editor.text.firstMatch(of: /\A[^\n]*:[0-9]+:[0-9]+: error: [^\n]+\n/) != nil, "\(editor.text)")
        }
    }

    @Test("All errors of a file are printed, in each format") func allErrors() async throws {
        let folder = try Folder()
        let path = try folder.write(
            "version: 1\ndomain: {}\ndefault: {minimum-tls: 1.1}\ndomains: {\"ä b\": {}, bücher.example: {}}",
            to: "policy.yaml")
        let run = try await CommandRun(["trust", "check-policy", path], home: folder)
        #expect(run.status == .failed)
        let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix(path) }.map { $0.dropFirst(path.count) }
        #expect(lines.map { $0.prefix(5) } == [":2:1:", ":3:24", ":4:11"], "\(run.errors)")
        #expect(run.errors.contains("Write one of these values: 1.2, 1.3."))
        let json = try await CommandRun(["trust", "check-policy", path, "--json"], home: folder)
        #expect(json.text.contains("\"others\""))
        let editor = try await CommandRun(["trust", "check-policy", path, "--format", "editor"], home: folder)
        #expect(editor.text.matches(of: #/: error: /#).count == 3)
    }

    @Test("A missing policy file is named in the error") func missingFile() async throws {
        let folder = try Folder()
        let run = try await CommandRun(["trust", "check-policy", folder.file("none.yaml")], home: folder)
        #expect(run.status == .failed)
        #expect(run.errors.contains("none.yaml cannot be read: No such file"))
    }

    @Test(
        "A request follows the policy file",
        arguments: [
            (url: "{good-https}", more: [], status: CommandStatus.done, words: ""),
            ("{self-signed}", [], .notTrusted, "its certificate is signed with its own key"),
            ("{plain-http}", [], .notTrusted, "forbids plain http"),
            ("{good-https}", ["--tls-max", "1.2"], .usage, "TLS 1.3 or later"),
            ("{127-self-signed}", [], .done, "can read and change everything"),
            (
                "{good-https}", ["--pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], .usage,
                "--policy cannot be combined"
            ),
            ("{good-https}", ["--anchor", "ca.pem"], .usage, "--policy cannot be combined"),
            ("{good-https}", ["--trust", "default"], .usage, "--policy cannot be combined"),
            ("{good-https}", ["-v"], .done, "policy.yaml:7:27: "),
        ])
    func get(url: String, more: [String], status: CommandStatus, words: String) async throws {
        try await withLab { lab, folder async throws in
            let path = try folder.write(Self.good, to: "policy.yaml")
            let filled = url.replacing(
                "{127-self-signed}", with: lab[.selfSigned].url.replacing("localhost", with: "127.0.0.1"))
            let target = lab.servers.reduce(filled) { $0.replacing("{\($1.name)}", with: $1.url) }
            let run = try await CommandRun(["get", target, "--policy", path] + more, home: folder)
            #expect(run.status == status, "\(run.errors)")
            #expect(words.isEmpty || run.errors.contains(words), "\(run.errors)")
        }
    }
}
