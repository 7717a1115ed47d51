// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Testing

@Suite struct DomainPoliciesTests {
    private static let domains: [(String, subdomains: Bool)] = [
        ("example", true), ("intranet.example", true), ("www.intranet.example", false), ("other.test", false),
        ("192.0.2.7", true),
    ]

    private let policies: DomainPolicies

    init() throws {
        policies = DomainPolicies(
            entries: try Self.domains.map { domain, subdomains in
                .init(domain: try HostName(domain), includesSubdomains: subdomains, policy: ServerPolicy())
            })
    }

    @Test(
        "The host's own entry applies, then the longest domain above it",
        arguments: [
            (host: "intranet.example", entry: "intranet.example"),
            ("INTRANET.example.", "intranet.example"),
            ("mail.intranet.example", "intranet.example"),
            ("a.b.intranet.example", "intranet.example"),
            ("www.intranet.example", "www.intranet.example"),
            ("a.www.intranet.example", "intranet.example"),  // The www entry excludes its subdomains.
            ("xintranet.example", "example"),
            ("example", "example"),
            ("other.test", "other.test"),
            ("a.other.test", nil),
            ("test", nil),
            ("192.0.2.7", "192.0.2.7"),
            ("1.192.0.2.7.test", nil),
            ("192.0.2.8", nil),
            ("::ffff:192.0.2.7", nil),
        ])
    func lookup(host: String, entry: String?) throws {
        #expect(policies.entry(for: try HostName(host))?.domain.description == entry)
    }

    @Test("A host without an entry gets the fallback") func fallback() throws {
        let strict = ServerPolicy(minimumTLSVersion: .tls13, allowsPlainHTTP: false)
        var policies = policies
        policies.fallback = strict
        #expect(policies.policy(for: try HostName("elsewhere.test")) == strict)
        #expect(policies.policy(for: try HostName("other.test")) == ServerPolicy())
    }

    @Test("A later entry replaces an earlier one of the same domain") func replacement() throws {
        var policies = policies
        policies.set(.init(domain: try HostName("other.test"), policy: ServerPolicy(minimumTLSVersion: .tls13)))
        #expect(policies.entries.count == Self.domains.count)
        #expect(policies.policy(for: try HostName("other.test")).minimumTLSVersion == .tls13)
    }

    @Test("An entry without subdomains leaves them to the next entry that includes them") func both() throws {
        var policies = policies
        policies.set(.init(domain: try HostName("intranet.example"), policy: ServerPolicy(minimumTLSVersion: .tls13)))
        #expect(policies.entries.count == Self.domains.count + 1)
        #expect(policies.policy(for: try HostName("intranet.example")).minimumTLSVersion == .tls13)
        #expect(policies.policy(for: try HostName("mail.intranet.example")) == ServerPolicy())
    }
}
