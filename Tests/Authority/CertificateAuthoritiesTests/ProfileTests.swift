// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Identities
import Testing
import X509

@testable import CertificateAuthorities

@Suite struct Profiles {
    let root: CertificateAuthority

    init() throws {
        root = try CertificateAuthority(name: "Root", now: now)
    }

    @Test(
        "A leaf has one purpose and both key identifiers",
        arguments: [
            (profile: LeafProfile.server(names: ["a.test"]), usage: KeyUsage(digitalSignature: true), "serverAuth"),
            (.client(name: "alice"), KeyUsage(digitalSignature: true), "clientAuth"),
            (
                .server(names: ["a.test"], keyType: .rsa2048), KeyUsage(digitalSignature: true, keyEncipherment: true),
                "serverAuth"
            ),
            (.client(name: "alice", keyType: .rsa2048), KeyUsage(digitalSignature: true), "clientAuth"),
        ])
    func leaf(profile: LeafProfile, usage: KeyUsage, purpose: String) throws {
        let extensions = try root.issue(profile, now: now).certificate.extensions
        #expect(try extensions.keyUsage == usage)
        #expect(try extensions.extendedKeyUsage.map { $0.map(\.description) } == [purpose])
        #expect(try extensions.basicConstraints == .notCertificateAuthority)
        #expect(extensions[oid: .X509ExtensionID.keyUsage]?.critical == true)
        #expect(extensions[oid: .X509ExtensionID.basicConstraints]?.critical == true)
        #expect(try extensions.subjectKeyIdentifier != nil)
        let issuer = try root.certificate.extensions.subjectKeyIdentifier?.keyIdentifier
        #expect(try extensions.authorityKeyIdentifier?.keyIdentifier == issuer)
    }

    @Test("An authority signs certificates and CRLs only") func authority() throws {
        let extensions = root.certificate.extensions
        #expect(try extensions.keyUsage == KeyUsage(keyCertSign: true, cRLSign: true))
        #expect(extensions[oid: .X509ExtensionID.basicConstraints]?.critical == true)
        #expect(try extensions.extendedKeyUsage == nil)
        #expect(try extensions.subjectAlternativeNames == nil)
    }

    @Test("10,000 certificates have different serial numbers of at most 20 bytes") func serialNumbers() throws {
        let request = try CertificateRequest(
            CertificateRequest.encode(.client(name: "x"), key: CertificateAuthority.KeyType.p256.makeKey()))
        let serials = try (0..<10_000).map { _ in
            Array(try root.issue(.client(name: "x"), for: request.publicKey, now: now)[0].serialNumber.bytes)
        }
        #expect(Set(serials).count == serials.count)
        #expect(serials.allSatisfy { $0.count <= 20 && ($0.count < 20 || $0[0] < 0x80) })
        // Each of the 159 bits is set in about half of the serial numbers.
        for bit in 0..<159 {
            let count = serials.count { $0.count > bit / 8 && $0[$0.count - 1 - bit / 8] >> (bit % 8) & 1 == 1 }
            #expect((4_500...5_500).contains(count), "bit \(bit)")
        }
    }

    @Test("A client's name is in the subject only") func clientName() throws {
        let certificate = try root.issue(.client(name: "Zoë"), now: now).certificate
        #expect(certificate.subject.description == "CN=Zoë")
        #expect(try certificate.extensions.subjectAlternativeNames == nil)
    }

    @Test("A name that exceeds a common name leaves the subject empty and makes the SAN critical")
    func longName() throws {
        let name = String(repeating: "a", count: 60) + ".example.test"
        let certificate = try root.issue(.server(names: [name]), now: now).certificate
        #expect(certificate.subject.isEmpty)
        #expect(certificate.extensions[oid: .X509ExtensionID.subjectAlternativeName]?.critical == true)
    }

    @Test(
        "A server's common name is its first DNS name that fits, in the form of the SAN",
        arguments: [
            (["192.0.2.1"], ""), (["2001:db8::1"], ""), (["192.0.2.1", "a.test"], "CN=a.test"),
            (["2001:DB8::1", "*.a.test"], "CN=*.a.test"), (["A.Test", "a.test", "b.test"], "CN=a.test"),
            ([String(repeating: "a", count: 60) + ".example.test", "b.test"], "CN=b.test"),
        ])
    func serverCommonName(names: [String], subject: String) throws {
        let certificate = try root.issue(.server(names: names), now: now).certificate
        #expect(certificate.subject.description == subject)
        let alternatives = try #require(try certificate.extensions.subjectAlternativeNames)
        #expect(Set(alternatives).count == alternatives.count)
        #expect(certificate.extensions[oid: .X509ExtensionID.subjectAlternativeName]?.critical == subject.isEmpty)
        let renewed = try #require(LeafProfile(of: certificate))
        #expect(try root.issue(renewed, now: now).certificate.subject == certificate.subject)
    }

    @Test(
        "A self-signed certificate for addresses only has an issuer", arguments: ["192.0.2.1", "a.test"])
    func selfSigned(name: String) throws {
        let certificate = try CertificateAuthority.selfSigned(.server(names: [name]), now: now).certificate
        #expect(certificate.issuer.description == "CN=\(name)")
        #expect(certificate.subject == certificate.issuer)
    }

    @Test("A server's certificate that has an address as its common name is renewed without it") func oldCommonName()
        throws
    {
        let old = LeafProfile(
            purpose: .server, subject: .commonName("192.0.2.1"), names: ["192.0.2.1", "a.test"], mailboxes: [],
            validity: .days(1), keyType: .p256)
        let certificate = try root.issue(old, now: now).certificate
        #expect(certificate.subject.description == "CN=192.0.2.1")
        let renewed = try #require(LeafProfile(of: certificate))
        #expect(renewed.names == old.names)
        #expect(try root.issue(renewed, now: now).certificate.subject.description == "CN=a.test")
    }

    @Test(
        "A malformed server name is refused",
        arguments: [
            "", ".", "a..test", "-a.test", "a-.test", "a b.test", "*", "*.", "w*.test", "a.*.test", "a.test.", "1.2.3",
            "256.0.0.1", "1.2.3.04", "fe80::1%eth0", "[::1]", "é.test", "a_b.test", "a.test\0.b", "1::2::3", "12345::",
            "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", ":1:2:3:4:5:6:7", "::+1", "1.2.3.4:5::",
            String(repeating: "a", count: 64) + ".test", String(repeating: "abcdefgh.", count: 30) + "test",
        ])
    func malformedNames(name: String) {
        #expect(throws: CertificateAuthorityError.malformedName(name)) { try AlternativeName(name) }
    }

    @Test(
        "An address literal becomes its octets",
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]),
            ("::", [UInt8](repeating: 0, count: 16)),
            ("::1", [UInt8](repeating: 0, count: 15) + [1]),
            ("2001:DB8::a:b", [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 11]),
            ("::ffff:192.0.2.1", [UInt8](repeating: 0, count: 10) + [255, 255, 192, 0, 2, 1]),
            ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
            ("1:2:3:4:5:6:7::", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0]),
            ("1::", [0, 1] + [UInt8](repeating: 0, count: 14)),
            ("1:2:3:4:5:6:1.2.3.4", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 2, 3, 4]),
        ] as [(String, [UInt8])])
    func addresses(text: String, octets: [UInt8]) {
        #expect(IPAddressText.ipv4(text) ?? IPAddressText.ipv6(text) == octets)
    }

    @Test("A profile without names is refused") func noNames() {
        #expect(throws: CertificateAuthorityError.noNames) { try root.issue(.server(names: []), now: now) }
        let long = String(repeating: "x", count: 65)
        for name in ["", long] {
            #expect(throws: CertificateAuthorityError.malformedCommonName(name)) {
                try root.issue(.client(name: name), now: now)
            }
        }
    }
}
