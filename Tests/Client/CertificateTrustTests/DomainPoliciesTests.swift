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

    private static let strict = ServerPolicy(minimumTLSVersion: .tls13)

    @Test(
        "A name applies to a single host, and a name after *. to all names below it, without itself",
        arguments: [
            ("example.internal", true), ("EXAMPLE.internal.", true), ("a.example.internal", false),
            ("partner.example", false), ("a.partner.example", true), ("b.a.partner.example", true),
            ("xpartner.example", false), ("192.0.2.7", true), ("own.partner.example", false),
        ])
    func literal(host: String, isStrict: Bool) throws {
        let policies: DomainPolicies = [
            "Example.Internal": Self.strict, "*.partner.example": Self.strict, "192.0.2.7": Self.strict,
            "own.partner.example": ServerPolicy(),
        ]
        #expect((policies.policy(for: try HostName(host)) == Self.strict) == isStrict)
        // The settings of a keychain change neither the domains nor their order.
        let same = TrustSettings().policies(policies)
        #expect(same == policies)
    }

    @Test("A name below a wildcard's domain is left to the next entry above") func wildcardItself() throws {
        var policies: DomainPolicies = ["*.partner.example": ServerPolicy()]
        policies.set(.init(domain: try HostName("example"), includesSubdomains: true, policy: Self.strict))
        #expect(policies.policy(for: try HostName("partner.example")) == Self.strict)
        #expect(policies.policy(for: try HostName("a.partner.example")) == ServerPolicy())
    }

    @Test("A policy is set for a domain that is known only at run time, and replaces an earlier one")
    func set() throws {
        var policies: DomainPolicies = ["*.partner.example": ServerPolicy()]
        try policies.set(Self.strict, for: "*.Partner.example")
        #expect(policies == ["*.partner.example": Self.strict])
    }

    @Test(
        "A malformed domain is an error",
        arguments: ["", "*", "*.", "*.*.example", "a.*.example", "*example", "*.192.0.2.7", "https://a.example", "a b"])
    func malformed(domain: String) {
        var policies = DomainPolicies()
        #expect(throws: HostNameError.self) { try policies.set(Self.strict, for: domain) }
        #expect(policies == [:])
    }

    @Test("A literal with a malformed or a repeated domain stops the program") func mistakes() async {
        await #expect(processExitsWith: .failure) { _ = ["*": ServerPolicy()] as DomainPolicies }
        await #expect(processExitsWith: .failure) {
            _ = ["a.example": ServerPolicy(), "A.example": ServerPolicy()] as DomainPolicies
        }
    }
}
