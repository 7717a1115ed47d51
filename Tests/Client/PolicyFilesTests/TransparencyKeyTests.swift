// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import Foundation
import PolicyFiles
import Testing
import TrustRecipes

@Suite("The policy key for Certificate Transparency") struct TransparencyKeyTests {
    private let reading: Reading

    init() throws { reading = try Reading() }

    static let texts = [
        "transparency: none", "transparency: {logs: logs.json}", "transparency: {logs: logs.json, rule: apple}",
        "transparency: all", "transparency: {rule: chrome}", "transparency: {logs: ''}", "transparency: {logs: [a]}",
        "transparency: {logs: logs.json, rule: mozilla}", "transparency: {logs: logs.json, count: 2}",
    ].map { "version: 1\ndefault: {\($0)}" }

    @Test("A list and a rule are read, and the default rule is Chrome's") func rules() throws {
        let text = """
            version: 1
            default: {transparency: {logs: logs.json, rule: apple}}
            domains:
              a.test: {transparency: {logs: logs.json}}
              b.test: {transparency: none}
              c.test: {}
            """
        let policies = try reading.file(text).policies
        let apple = CertificateTransparency(logs: reading.logs, rule: .apple)
        #expect(policies.fallback.trust.transparency == apple)
        let found = try ["a.test", "b.test", "c.test"].map { name in
            policies.policy(for: try HostName(name)).trust.transparency
        }
        #expect(found == [CertificateTransparency(logs: reading.logs, rule: .chrome), nil, apple])
    }

    @Test(
        "A mistake is reported with line, column and key",
        arguments: [
            ("all", "2:25 default.transparency unknownValue(\"all\", allowed: [\"none\"])"),
            ("{rule: chrome}", "2:25 default.transparency missingKey(\"logs\")"),
            ("{logs: ''}", "2:32 default.transparency.logs empty"),
            (
                "{logs: logs.json, rule: mozilla}",
                "2:49 default.transparency.rule unknownValue(\"mozilla\", allowed: [\"chrome\", \"apple\"])"
            ),
            (
                "{logs: other.json}",
                "2:32 default.transparency.logs logList(\"other.json\", Optional(PolicyFilesTests.Reading.NoSuchFile()))"
            ),
        ])
    func invalid(value: String, error: String) {
        #expect(reading.error("version: 1\ndefault: {transparency: \(value)}") == error)
    }

    @Test("A program that does not read log lists refuses the key with that reason") func noReader() throws {
        let text = "version: 1\ndefault: {transparency: {logs: logs.json}}"
        let error = #expect(throws: PolicyFileError.self) {
            try PolicyFile(Array(text.utf8), name: "policy.yaml", at: Instant.now) { _ in [] }
        }
        #expect(error?.explanation.message.contains("reads no such lists") == true)
    }

    @Test("A list older than 70 days and an entry without its parent domain's check cause warnings")
    func warnings() throws {
        let text = """
            version: 1
            default: {transparency: {logs: logs.json}}
            domains:
              a.test: {subdomains: true}
              b.a.test: {transparency: none}
            """
        #expect(try reading.warnings(text) == ["5 domains.\"b.a.test\" weakerThan(a.test)"])
        let later = try reading.warnings(text, at: Instant.now + 80 * 86_400)
        #expect(
            later.first
                == "2 default.transparency.logs outdatedLogList(path: \"logs.json\", made: 2026-05-20 12:00:00 +0000)")
    }
}
