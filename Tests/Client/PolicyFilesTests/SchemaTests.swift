// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import PolicyFiles
import Testing

@Suite struct SchemaTests {
    private let reading: Reading

    init() throws { reading = try Reading() }

    static let everyKey =
        """
        version: 1
        default:
          anchors: {add: [root.pem]}
          revocation: soft-fail
        domains:
          Intranet.Example:     # in any case
            subdomains: true
            anchors: {only: [root.pem]}
            profile: private-pki
            pins:
              any: [\(Reading.pin)]
              backups: ["\(Reading.otherPin)"]
              until: 2027-01-31
              enforcement: report-only
            certificate-policies:
              acceptable: [domain-validated, 1.3.6.1.4.1.32473.7 Intranet servers, "2.999"]
              required: false
              mapping: inhibited
              any-policy: inhibited
            purpose: any
            accept-weak: [sha-1, rsa-1024]
            tolerate: [serial-number, version]
            revocation: hard-fail
            revocation-scope: leaf
            missing-issuers: fetched
            validation: first-use
            minimum-tls: "1.3"
            tls-library: openssl
            legacy-tls: allowed
            openssl-configuration: used
            plain-http: forbidden
            local-evidence: allowed
            methods: [negotiate, ntlm]
          "2001:db8::1": {minimum-tls: 1.3}
        """

    @Test("Each key is read") func keys() throws {
        let policies = try reading.file(Self.everyKey).policies
        #expect(policies.fallback.trust == TrustPolicy(anchors: .systemAnd([reading.root]), revocation: .softFail))
        let entry = try #require(policies.entry(for: HostName("intranet.example")))
        #expect(entry.includesSubdomains)
        let february = Date(timeIntervalSince1970: 1_801_440_000)
        let pins = PinSet(
            [try Pin(Reading.pin)], backups: [try Pin(Reading.otherPin)], expiry: february, enforcement: .reportOnly)
        let acceptable = Set(
            [.domainValidated] + ["1.3.6.1.4.1.32473.7", "2.999"].compactMap { CertificatePolicyIdentifier($0) })
        #expect(entry.policy.trust.certificatePolicies.acceptable?.contains { $0.name == "Intranet servers" } == true)
        #expect(
            entry.policy
                == ServerPolicy(
                    trust: TrustPolicy(
                        anchors: .only([reading.root]), profile: .privatePKI, pins: pins, revocation: .hardFail,
                        missingIssuers: .fetched, localEvidence: .allowed, validation: .firstUse,
                        certificatePolicies: CertificatePolicyInputs(
                            acceptable: acceptable, allowsMapping: false, allowsAnyPolicy: false),
                        purpose: .any, revocationScope: .leaf, acceptedWeaknesses: [.sha1, .rsa1024],
                        toleratedRules: [.serialNumber, .version]),
                    minimumTLSVersion: .tls13, allowsPlainHTTP: false,
                    methods: AllowedMethods(names: ["negotiate", "ntlm"]), tlsLibrary: .openSSL,
                    allowsLegacyTLS: true, usesOpenSSLConfiguration: true))
        let address = try #require(policies.entry(for: HostName("2001:db8::1")))
        #expect(address.policy.minimumTLSVersion == .tls13)
        #expect(address.policy.trust == policies.fallback.trust)
    }

    static let minimal = [
        "version: 1", "version: \"1\"\ndefault: {}\ndomains: {}\n", "---\nversion: 1\n...\n", "{version: 1}",
    ]

    @Test("An absent key has its default value", arguments: minimal)
    func defaults(text: String) throws {
        #expect(try reading.file(text).policies == DomainPolicies())
    }

    static let overridden =
        """
        version: 1
        default:
          anchors: {only: [root.pem]}
          profile: web-pki
          pins: {any: [\(Reading.pin)]}
          minimum-tls: "1.3"
          tls-library: automatic
          legacy-tls: allowed
          openssl-configuration: used
          plain-http: forbidden
          local-evidence: allowed
          certificate-policies: {acceptable: [extended-validation]}
          purpose: client
          accept-weak: [sha-1]
          tolerate: [version]
          revocation-scope: leaf
          methods: [basic]
        domains:
          a.test:
            {anchors: system, profile: automatic, pins: none, minimum-tls: "1.2", plain-http: allowed,
             tls-library: boringssl, legacy-tls: forbidden, openssl-configuration: ignored,
             local-evidence: beside-server, certificate-policies: any, methods: all,
             purpose: server, accept-weak: none, tolerate: none, revocation-scope: path}
          b.test: {}
        """

    @Test("A domain can override each key of the default") func overriding() throws {
        let policies = try reading.file(Self.overridden).policies
        #expect(policies.policy(for: try HostName("a.test")) == ServerPolicy())
        #expect(policies.policy(for: try HostName("b.test")) == policies.fallback)
        #expect(!policies.fallback.trust.pins.isEmpty)
    }

    static let topKeys = "allowed: [\"version\", \"default\", \"domains\"]"
    private static let serverKeys = """
        allowed: ["anchors", "purpose", "profile", "pins", "certificate-policies", "accept-weak", "tolerate", "revocation", \
        "revocation-scope", "transparency", "missing-issuers", "local-evidence", "validation", "minimum-tls", "tls-library", \
        "legacy-tls", "openssl-configuration", "plain-http", "methods"]
        """

    static let mistakes: [(text: String, error: String)] = [
        ("", "1:1  missingKey(\"version\")"),
        ("version: 2", "1:10 version unknownValue(\"2\", allowed: [\"1\"])"),
        (
            "version: 99999999999999999999999999",
            "1:10 version unknownValue(\"99999999999999999999999999\", allowed: [\"1\"])"
        ),
        ("version: [1]", "1:10 version wrongShape(expected: Shape.text)"),
        ("- version", "1:1  wrongShape(expected: Shape.mapping)"),
        ("version: 1\ndomain: {}", "2:1 domain unknownKey(\"domain\", nearest: Optional(\"domains\"), \(topKeys))"),
        ("version: 1\ncolour: red", "2:1 colour unknownKey(\"colour\", nearest: nil, \(topKeys))"),
        ("version: 1\nversion: 1", "2:1 version duplicateKey(\"version\")"),
        ("version: 1\n\"version\": 1", "2:1 version duplicateKey(\"version\")"),
        ("version: 1\ndomains: []", "2:10 domains wrongShape(expected: Shape.mapping)"),
        ("version: 1\ndomains:\n", "2:9 domains wrongShape(expected: Shape.mapping)"),
        ("version: 1\ndomains:\n  a.test:\n", "3:10 domains.\"a.test\" wrongShape(expected: Shape.mapping)"),
        (
            "version: 1\ndomains:\n  a.test: {}\n  A.test.: {}",
            "4:3 domains.\"A.test.\" duplicateDomain(a.test)"
        ),
        (
            "version: 1\ndomains:\n  '*.a.test': {}",
            "3:3 domains.\"*.a.test\" domain(\(HostNameError.malformed("*.a.test")))"
        ),
        ("version: 1\ndomains:\n  1.2: {}", "3:3 domains.\"1.2\" domain(\(HostNameError.ambiguousAddress("1.2")))"),
        (
            "version: 1\ndomains:\n  192.0.2.1:\n    subdomains: true",
            "4:17 domains.\"192.0.2.1\".subdomains subdomainsOfAddress(192.0.2.1)"
        ),
        (
            "version: 1\ndomains:\n  a.test: {subdomains: yes}",
            "3:24 domains.\"a.test\".subdomains wrongShape(expected: Shape.boolean)"
        ),
        (
            "version: 1\ndomains:\n  a.test: {subdomains: 'true'}",
            "3:24 domains.\"a.test\".subdomains wrongShape(expected: Shape.boolean)"
        ),
        (
            "version: 1\ndefault: {subdomains: true}",
            "2:11 default.subdomains unknownKey(\"subdomains\", nearest: nil, \(serverKeys))"
        ),
        (
            "version: 1\ndefault: {plain_http: allowed}",
            "2:11 default.\"plain_http\" unknownKey(\"plain_http\", nearest: Optional(\"plain-http\"), \(serverKeys))"
        ),
        (
            "version: 1\ndefault: {certificate-policies: all}",
            "2:33 default.certificate-policies unknownValue(\"all\", allowed: [\"any\"])"
        ),
        (
            "version: 1\ndefault: {certificate-policies: {acceptable: [ev]}}",
            "2:47 default.certificate-policies.acceptable[0] certificatePolicy(\"ev\")"
        ),
        (
            "version: 1\ndefault: {certificate-policies: {acceptable: []}}",
            "2:46 default.certificate-policies.acceptable empty"
        ),
        (
            "version: 1\ndefault: {certificate-policies: {mapping: yes}}",
            "2:43 default.certificate-policies.mapping unknownValue(\"yes\", allowed: [\"allowed\", \"inhibited\"])"
        ),
        ("version: 1\ndefault: {anchors: none}", "2:20 default.anchors unknownValue(\"none\", allowed: [\"system\"])"),
        ("version: 1\ndefault: {anchors: {}}", "2:20 default.anchors notOne(of: [\"add\", \"only\"])"),
        (
            "version: 1\ndefault: {anchors: {add: [root.pem], only: [root.pem]}}",
            "2:20 default.anchors notOne(of: [\"add\", \"only\"])"
        ),
        ("version: 1\ndefault: {anchors: {only: []}}", "2:27 default.anchors.only empty"),
        (
            "version: 1\ndefault: {anchors: {only: root.pem}}",
            "2:27 default.anchors.only wrongShape(expected: Shape.list)"
        ),
        (
            "version: 1\ndefault: {anchors: {only: [root.pem, other.pem]}}",
            "2:38 default.anchors.only[1] anchors(\"other.pem\", PolicyFilesTests.Reading.NoSuchFile())"
        ),
        (
            "version: 1\ndefault: {pins: {any: [sha256/AA]}}",
            "2:24 default.pins.any[0] pin(\(PinError.malformed("sha256/AA")))"
        ),
        ("version: 1\ndefault: {pins: {backups: [\(Reading.pin)]}}", "2:17 default.pins missingKey(\"any\")"),
        (
            "version: 1\ndefault: {pins: {any: [\(Reading.pin)], until: 2027-02-30}}",
            "2:85 default.pins.until day(\"2027-02-30\")"
        ),
        (
            "version: 1\ndefault: {pins: {any: [\(Reading.pin)], until: 2027-2-3}}",
            "2:85 default.pins.until day(\"2027-2-3\")"
        ),
        (
            "version: 1\ndefault: {minimum-tls: 1.1}",
            "2:24 default.minimum-tls unknownValue(\"1.1\", allowed: [\"1.2\", \"1.3\"])"
        ),
    ]

    static let newKeys: [(text: String, error: String)] = [
        (
            "purpose: servers",
            "purpose unknownValue(\"servers\", allowed: [\"server\", \"client\", \"email\", \"code-signing\", \"time-stamping\", \"any\"])"
        ),
        ("revocation-scope: all", "revocation-scope unknownValue(\"all\", allowed: [\"path\", \"leaf\"])"),
        ("accept-weak: sha-1", "accept-weak unknownValue(\"sha-1\", allowed: [\"none\"])"),
        ("accept-weak: [md5]", "accept-weak[0] unknownValue(\"md5\", allowed: [\"sha-1\", \"rsa-1024\"])"),
        ("accept-weak: []", "accept-weak empty"), ("tolerate: {}", "tolerate wrongShape(expected: Shape.list)"),
    ]

    @Test("A wrong value of a key for a purpose, a weakness or a rule is reported", arguments: newKeys)
    func wrongValue(text: String, error: String) {
        let found = reading.error("version: 1\ndefault: {\(text)}")
        #expect(found.hasSuffix(" default." + error), "\(found)")
    }

    @Test("All mistakes of a file are reported, in its order") func allMistakes() {
        let text = """
            version: 2
            default: {anchors: {only: [gone.pem, root.pem, lost.pem]}, pins: {any: [x, y], until: 2027-02-30}}
            domain: {}
            domains:
              "a..b": {minimum-tls: 1.1}
              a.test: {subdomain: true, methods: [ntml, basic, digets], plain-http: yes}
              A.TEST: {}
              b.test: []
              192.0.2.1: {subdomains: true, transparency: {rule: mozilla}}
            """
        let found = reading.errors(text).map { error in
            error.split(separator: " ").prefix(3).joined(separator: " ").prefix { $0 != "(" }.description
        }
        #expect(
            found == [
                "1:10 version unknownValue", "2:28 default.anchors.only[0] anchors",
                "2:48 default.anchors.only[2] anchors",
                "2:73 default.pins.any[0] pin", "2:76 default.pins.any[1] pin", "2:87 default.pins.until day",
                "3:1 domain unknownKey", "5:3 domains.\"a..b\" domain",
                "5:25 domains.\"a..b\".minimum-tls unknownValue",
                "6:12 domains.\"a.test\".subdomain unknownKey", "6:39 domains.\"a.test\".methods[0] unknownValue",
                "6:52 domains.\"a.test\".methods[2] unknownValue", "6:73 domains.\"a.test\".plain-http unknownValue",
                "7:3 domains.\"A.TEST\" duplicateDomain", "8:11 domains.\"b.test\" wrongShape",
                "9:27 domains.\"192.0.2.1\".subdomains subdomainsOfAddress",
                "9:47 domains.\"192.0.2.1\".transparency missingKey",
                "9:54 domains.\"192.0.2.1\".transparency.rule unknownValue",
            ], "\(found)")
    }

    @Test("At most 100 mistakes are reported") func limit() {
        let text = "version: 1\ndomains:\n" + (0..<300).map { "  d\($0).test: {colour: red}\n" }.joined()
        #expect(reading.errors(text).count == 100)
    }

    @Test("A misspelled required key is one mistake") func misspelledRequiredKey() {
        #expect(reading.errors("verison: 1").count == 1)
        #expect(reading.errors("colour: 1").count == 2)
    }

    @Test("A domain of another script is converted") func internationalDomain() throws {
        let policies = try reading.file("version: 1\ndomains:\n  bücher.example: {minimum-tls: '1.3'}").policies
        #expect(policies.policy(for: try HostName("xn--bcher-kva.example")).minimumTLSVersion == .tls13)
        let twice = "version: 1\ndomains:\n  bücher.example: {}\n  xn--bcher-kva.example: {}"
        #expect(reading.error(twice).hasPrefix("4:3 "))
    }

    @Test("A mistake is reported with line, column and key", arguments: mistakes)
    func invalid(text: String, error: String) {
        #expect(reading.error(text) == error)
    }
}
