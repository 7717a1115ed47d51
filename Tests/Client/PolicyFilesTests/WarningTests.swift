// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import PolicyFiles
import Testing
import TrustRecipes
import X509

@Suite struct WarningTests {
    private let reading: Reading

    init() throws { reading = try Reading() }

    private static let good = "any: [\(Reading.pin)], backups: [\(Reading.otherPin)]"

    static let remarks: [(entry: String, warning: String?)] = [
        ("{pins: {\(good)}, plain-http: forbidden}", nil),
        ("{pins: {any: [\(Reading.pin)]}, plain-http: forbidden}", "pins.any pinsWithoutBackup"),
        (
            "{pins: {any: [\(Reading.pin)], backups: [\(Reading.pin)]}, plain-http: forbidden}",
            "pins.backups pinsWithoutBackup"
        ),
        (
            "{pins: {\(good), until: 2026-05-31}, plain-http: forbidden}",
            "pins.until pinsExpired(2026-06-01 00:00:00 +0000)"
        ),
        (
            "{pins: {\(good), until: 2026-06-30}, plain-http: forbidden}",
            "pins.until pinsExpireSoon(2026-07-01 00:00:00 +0000)"
        ),
        ("{pins: {\(good), until: 2026-07-01}, plain-http: forbidden}", nil),
        ("{pins: {\(good), enforcement: report-only}, plain-http: forbidden}", "pins.enforcement pinsReportOnly"),
        ("{validation: dangerously-disabled}", "validation validationDisabled"),
        ("{pins: {\(good)}}", "pins plainHTTPBesidePins"),
        ("{pins: {\(good)}, plain-http: allowed}", "plain-http plainHTTPBesidePins"),
    ]

    @Test("A risky setting causes a warning", arguments: remarks)
    func warnings(entry: String, warning: String?) throws {
        let found = try reading.warnings("version: 1\ndomains:\n  a: \(entry)")
        #expect(found == (warning.map { ["3 domains.a.\($0)"] } ?? []))
        let inDefault = try reading.warnings("version: 1\ndefault: \(entry)\ndomains: {a: {}}")
        #expect(inDefault == (warning.map { ["2 default.\($0)"] } ?? []))
    }

    @Test(
        "An entry that is weaker than its parent domain's causes a warning",
        arguments: [
            (entry: "minimum-tls: \"1.2\"", isWeaker: true), ("validation: first-use", true),
            ("revocation: soft-fail", true),
            ("local-evidence: allowed", true), ("methods: all", true), ("methods: [basic, ntlm]", true),
            ("methods: [ntlm]", false), ("methods: [basic]", true),
            ("purpose: any", true), ("accept-weak: [sha-1]", true), ("tolerate: [version]", true),
            ("revocation-scope: leaf", true), ("purpose: client", false), ("tolerate: none", false),
            ("legacy-tls: allowed", true), ("tls-library: openssl", false),
            ("openssl-configuration: used", true),
            ("plain-http: allowed", true), ("pins: none", true), ("profile: private-pki", false),
            ("certificate-policies: any", true), ("certificate-policies: {}", true),
            ("certificate-policies: {acceptable: [domain-validated], mapping: inhibited}", true),
            ("certificate-policies: {acceptable: [extended-validation]}", true),
            ("certificate-policies: {acceptable: [extended-validation], mapping: inhibited}", false),
            ("certificate-policies: {acceptable: [extended-validation], mapping: inhibited, required: false}", true),
        ])
    func weakerEntry(entry: String, isWeaker: Bool) throws {
        let strict =
            "pins: {\(Self.good)}, minimum-tls: '1.3', revocation: hard-fail, plain-http: forbidden, methods: [ntlm, digest]"
            + ", certificate-policies: {acceptable: [extended-validation, organization-validated], mapping: inhibited}"
        let text = """
            version: 1
            default: {\(strict)}
            domains:
              a.test: {subdomains: true}
              b.a.test: {\(entry)}
            """
        let warning = PolicyFileWarning.Reason.weakerThan(try HostName("a.test"))
        let found = try reading.file(text).warnings.filter { $0.reason == warning }
        #expect(found.map(\.place.line) == (isWeaker ? [5] : []))
        let apart = try reading.file(text.replacing("subdomains: true", with: "subdomains: false")).warnings
        #expect(!apart.contains { $0.reason == warning })
    }

    @Test("An expired anchor causes a warning") func expiredAnchor() throws {
        let text = "version: 1\ndefault: {anchors: {add: [root.pem]}}"
        #expect(try reading.file(text).warnings.isEmpty)
        let later = try reading.file(text, at: Instant.now + 10 * 86_400).warnings
        #expect(
            later.map(\.reason) == [
                .expiredAnchor(path: "root.pem", subject: "CN=Corp Root", since: reading.root.notValidAfter)
            ])
    }

    @Test(
        "Each part of an anchor file that is not read causes a warning, at most ten and their number",
        arguments: [1, 10, 33])
    func unreadAnchors(count: Int) throws {
        let unread = (1...count).map {
            UnreadCertificate(position: $0, count: count + 1, line: 10 * $0, problem: .notBase64)
        }
        let policy = try PolicyFile(
            Array("version: 1\ndefault:\n  anchors: {only: [root.pem]}".utf8), name: "policy.yaml", at: Instant.now,
            anchorContents: { _ in ([CertificateSummary(reading.root)], unread) })
        #expect(policy.policies.fallback.trust.anchors == .only([reading.root]))
        #expect(policy.warnings.count == min(count, 10) + (count > 10 ? 1 : 0))
        #expect(policy.warnings.allSatisfy { $0.place.line == 3 })
        #expect(policy.warnings[0].message.contains("certificate 1 of \(count + 1) (line 10): the text between"))
        if count > 10 { #expect(policy.warnings[10].reason == .unreadAnchors(path: "root.pem", count: 23)) }
    }

    @Test("An anchor that is not an authority's certificate causes a warning") func leafAnchor() throws {
        let root = try TestAuthority(root: .authority("Corp Root"))
        let chain = [CertificateSummary(try root.issue(Recipe()).certificate), CertificateSummary(root.certificate)]
        let policy = try PolicyFile(
            Array("version: 1\ndefault: {anchors: {only: [chain.pem]}}".utf8), name: "policy.yaml", at: Instant.now,
            anchors: { _ in chain })
        #expect(policy.warnings.map(\.reason) == [.leafAnchor(path: "chain.pem", subject: "CN=server")])
    }
}
