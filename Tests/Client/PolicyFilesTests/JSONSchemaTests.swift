// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import PolicyFiles
import TestServer
import Testing

@Suite("The JSON Schema of policy files") struct JSONSchemaTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test(
        "The schema files equal the schema that the types generate",
        arguments: ["docs/reference/schemas", "editors/vscode"])
    func files(folder: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = Self.root.appending(path: folder).appending(path: "trust-policy.json")
        let text = String(decoding: try encoder.encode(PolicySchema()), as: UTF8.self) + "\n"
        #expect(
            try String(contentsOf: file, encoding: .utf8) == text,
            "make it with: countersign trust policy-schema > \(folder)/trust-policy.json")
    }

    @Test(
        "The articles show a valid file with every key",
        arguments: ["docs/reference/policy-file.md", "Sources/Client/PolicyFiles/PolicyFiles.docc/PolicyFiles.md"])
    func articles(path: String) throws {
        let article = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        let example = try #require(article.components(separatedBy: "```yaml\n").dropFirst().first)
        let text = try #require(example.components(separatedBy: "```").first)
            .replacing("sha256/...", with: Reading.pin).replacing("corp-root.pem", with: "root.pem")
            .replacing("log_list.json", with: "logs.json")
        let policies = try Reading().file(text).policies
        #expect(policies.entries.count == 1)
        let schema = try JSONSerialization.jsonObject(with: JSONEncoder().encode(PolicySchema())) as? [String: Any]
        let server = (schema?["properties"] as? [String: Any])?["default"] as? [String: Any]
        for key in try #require(server?["properties"] as? [String: Any]).keys {
            #expect(text.contains("    \(key):"), "\(key)")
        }
    }

    static let names = [
        "a", "a.test", "A.Test.", "a_b.test", "xn--bcher-kva.example", "1.a", "1.2.3.a1", "192.0.2.1", "::1", "[::1]",
        "2001:db8::192.0.2.1", "-a.test", "a-.test", "a..test", ".test", "*.a.test", "a b", "bücher.example", "1.2",
        "a.1", "192.0.2.256", "0x7f", "a.0x1", "[192.0.2.1]", String(repeating: "a", count: 64), "a.test:443",
        String(repeating: "a23456789.", count: 25) + "abc", String(repeating: "a23456789.", count: 25) + "abcd",
    ]
    static let pins = [
        Reading.pin, Reading.pin.replacing("sha256", with: "certificate-sha256"),
        Reading.pin.replacing("sha256", with: "authority-sha256"), "sha256/" + String(repeating: "0a", count: 32),
        "sha256/" + Array(repeating: "0A", count: 32).joined(separator: ":"), "sha1/AA", "sha256/AA", "sha256",
        Reading.pin + "A", "sha256/" + String(repeating: "0", count: 63), " " + Reading.pin,
    ]
    static let identifiers = [
        "1.2", "2.999", "3.1", "'1.40'", "1.39.5", "5", "'5'", "any", "extended-validation", "'1.2 '", "' 1.2'",
        "1.2 A name",
        "1.2.x", "1.2.+1", "1..2", "{identifier: 1.2}", "2.25.9999999999999999",
    ]
    static let days = ["2027-01-31", "2028-02-29", "2027-02-29", "2027-13-01", "2027-1-1", "2027-01-31T00:00:00Z"]

    static let texts: [String] =
        SchemaTests.minimal + [SchemaTests.everyKey, SchemaTests.overridden] + SchemaTests.mistakes.map(\.text)
        + TransparencyKeyTests.texts + DocumentTests.rubbish.map(\.text)
        + WarningTests.remarks.map { "version: 1\ndomains:\n  a: \($0.entry)" }
        + names.map { "version: 1\ndomains: {\"\($0)\": {subdomains: false}}" }
        + names.map { "version: 1\ndomains: {\"\($0)\": {subdomains: true}}" }
        + pins.map { "version: 1\ndefault: {pins: {any: [\"\($0)\"]}}" }
        + days.map { "version: 1\ndefault: {pins: {any: [\(Reading.pin)], until: \($0)}}" }
        + identifiers.map { "version: 1\ndefault: {certificate-policies: {acceptable: [\($0)]}}" }
        + SchemaTests.newKeys.map { "version: 1\ndefault: {\($0.text)}" }
        + [
            "purpose: client", "purpose: tls", "revocation-scope: leaf", "revocation-scope: none", "accept-weak: none",
            "accept-weak: [sha-1]", "accept-weak: [md5]", "accept-weak: []", "tolerate: [version]", "tolerate: version",
            "tls-library: nss", "legacy-tls: true", "openssl-configuration: no", "methods: []", "methods: [ntml]",
            "methods: all", "methods: none", "methods: [basic, basic]",
            "pins: {any: []}", "pins: all", "plain-http: true", "minimum-tls: 1.30", "profile: [web-pki]",
            "certificate-policies: none", "certificate-policies: []", "certificate-policies: {acceptable: any}",
            "certificate-policies: {required: no}", "certificate-policies: {any-policy: true}",
            "revocation: ''", "anchors: [a.pem]", "anchors: {add: ['']}", "anchors: {only: [root.pem], more: 1}",
        ].map { "version: 1\ndefault: {\($0)}" }

    @Test("The schema agrees with the reader, except for rules that a schema cannot express") func agreement()
        async throws
    {
        guard let found = try await check(Self.texts) else { return }
        let reading = try Reading()
        try #require(found.count == Self.texts.count)
        for (text, messages) in zip(Self.texts, found) {
            do throws(PolicyFileError) {
                _ = try reading.file(text)
                // JSON numbers have no trailing zeros, so the schema takes 1.30 for 1.3.
                #expect(messages == [], "\(text)")
            } catch  where error.reason.isExpressible {
                #expect(messages != [] || text.contains("1.30"), "\(text) \(error.reason)")
            } catch {}
        }
    }

    /// Validates the texts against the schema.
    ///
    /// - Returns: The schema's messages for each text, or `nil` if there is no Python with the required modules.
    private func check(_ texts: [String]) async throws -> [[String]?]? {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appending(path: "texts"), folder.appending(path: "found"))
        try JSONEncoder().encode(texts).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = Self.root.appending(path: "scripts/check/policies")
        process.arguments = [Self.root.appending(path: "docs/reference/schemas/trust-policy.json").path, input.path]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardInput = FileHandle.nullDevice
        guard try await process.end() == 0 else {
            print("The schema is not checked: no python3 with jsonschema and yaml; scripts/make/setup installs it")
            return nil
        }
        return try JSONDecoder().decode([[String]?].self, from: Data(contentsOf: output))
    }
}

extension PolicyFileError.Reason {
    /// Whether a schema, which sees only the values of one file, can express the error.
    fileprivate var isExpressible: Bool {
        switch self {
        case .duplicateKey, .duplicateDomain, .anchors, .logList, .syntax, .unsupportedYAML, .unknownAlias,
            .expandedTooFar:
            false
        case .domain(let cause): if case .notASCII = cause { false } else { true }
        default: true
        }
    }
}
