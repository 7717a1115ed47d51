// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import ChallengeLab
import Foundation
import Testing

@testable import CommandSupport
@testable import CountersignCommand
@testable import AuthorityCommand
@testable import KeychainCommand

@Suite("JSON output follows the schemas of docs/reference/schemas") struct JSONOutputTests {
    @Test("Every command with --json has a schema, and the stages of errors are those of the schema") func schemas()
        throws
    {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/reference/schemas")
        let commands = [
            "get", "head", "post", "put", "patch", "delete", "explain", "lab", "tour", "trust-inspect",
            "trust-evaluate", "identity-inspect", "trust-import", "trust-list", "trust-remove", "trust-forget",
            "trust-check-policy", "compose",
        ]
        for command in commands {
            #expect(
                FileManager.default.fileExists(atPath: folder.appending(path: command + ".json").path), "\(command)")
        }
        struct Definitions: Decodable {
            struct Contents: Decodable { let error: ErrorSchema }
            struct ErrorSchema: Decodable { let properties: Properties }
            struct Properties: Decodable { let stage: Stage }
            struct Stage: Decodable { let `enum`: [String] }
            let defs: Contents
            enum CodingKeys: String, CodingKey { case defs = "$defs" }
        }
        let definitions = try JSONDecoder().decode(
            Definitions.self, from: Data(contentsOf: folder.appending(path: "definitions.json")))
        let stages = Set(
            [CountersignCommand.errors, KeychainProgram.errors, AuthorityProgram.errors].flatMap(\.entries).map(\.stage)
        )
        #expect(Set(definitions.defs.error.properties.stage.enum) == stages)
        let words = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
        for stage in stages { #expect(words.contains("| `\(stage)` |"), "\(stage)") }
    }

    /// Command lines with the stage, code and URL of their error; `CommandRun` checks the schema.
    private static let errors: [(arguments: [String], stage: String, code: String, url: String?)] = [
        (
            ["get", "http://127.0.0.1:1/?token=hunter2"], "connection", "connection.refused",
            "http://127.0.0.1:1/?token=redacted"
        ),
        (["get", "ftp://a.test/"], "request", "request.unsupported-scheme", "ftp://a.test/"),
        (["get", "http://u:hunter2@a.test:0/"], "request", "request.invalid-url", "http://a.test:0/"),
        (["get", "{self-signed}"], "trust", "trust.self-signed", "{self-signed}"),
        (["get", "{plain-http}status/404"], "response", "response.status", "{plain-http}status/404"),
        (["get", "{basic}", "--trust", "disabled"], "authentication", "authentication.rejected", "{basic}"),
        (["post", "{plain-http}", "--data-file", "/nonexistent"], "file", "file.read-failed", "{plain-http}"),
        (["explain", "none"], "usage", "usage.unknown-code", nil),
        (["get", "{plain-http}", "-C"], "usage", "usage.needs-option", "{plain-http}"),
        (["trust", "inspect", "127.0.0.1:1"], "connection", "connection.refused", "127.0.0.1:1"),
        (["trust", "inspect", "none.pem"], "file", "file.read-failed", nil),
        (
            ["trust", "evaluate", "--host", "a", "--chain", "none.pem", "--at", "2027-02-30"], "usage", "usage.time",
            nil
        ),
        (["trust", "import", "none.pem"], "file", "file.read-failed", nil),
        (["trust", "remove", "AB"], "anchor", "anchor.not-found", nil),
        (["trust", "forget", "a.test"], "known-server", "known-server.not-found", "a.test"),
        (["trust", "check-policy", "none.yaml"], "file", "file.read-failed", nil),
    ]

    @Test("An error contains the stage, the code and the URL in every command") func errors() async throws {
        try await withLab { lab, folder async throws in
            for (arguments, stage, code, url) in Self.errors {
                let fill = { (text: String) in
                    lab.servers.reduce(text) { $0.replacing("{\($1.name)}", with: $1.url) }
                }
                let run = try await CommandRun(arguments.map(fill) + ["--json"], home: folder)
                let report = try JSONDecoder().decode(Report.self, from: Data(run.output))
                #expect(report.error.stage == stage, "\(run.text)")
                #expect(report.error.code == code, "\(run.text)")
                #expect(report.error.url == url.map(fill), "\(run.text)")
                #expect(!run.text.contains("hunter2"))
            }
        }
    }

    private struct Report: Decodable {
        struct Contents: Decodable {
            let stage: String
            let code: String
            let url: String?
        }
        let error: Contents
    }

    @Test("A report contains each certificate once and no synthesized key") func certificates() async throws {
        try await withLab { lab, folder async throws in
            let anchor = ["--anchor", folder.file("ca.pem"), "--json"]
            for kind in [LabServer.Kind.goodHTTPS, .expired, .wrongHost, .unknownRoot, .selfSigned] {
                for command in [["get"], ["trust", "inspect"]] {
                    let run = try await CommandRun(command + [lab[kind].url] + anchor, home: folder)
                    let count = run.text.components(separatedBy: "\"serialNumber\"").count - 1
                    let distinct = Set(run.text.matches(of: #/"certificate" : "(MI[^"]*)"/#).map { String($0.1) }).count
                    #expect(count == distinct && count > 0, "\(kind) \(count) \(distinct)")
                    #expect(!run.text.contains("\"_0\""))
                }
            }
            let list = try await CommandRun(
                ["trust", "import", folder.file("ca.pem"), "--yes", "--json"], home: folder)
            #expect(list.status == .done)
            let listed = try await CommandRun(["trust", "list", "--json"], home: folder)
            let fingerprint = try #require(listed.text.firstMatch(of: #/"fingerprint" : "([^"]*)"/#)?.1)
            let removed = try await CommandRun(
                ["trust", "remove", String(fingerprint), "--yes", "--json"], home: folder)
            #expect(removed.status == .done)
        }
    }
}
