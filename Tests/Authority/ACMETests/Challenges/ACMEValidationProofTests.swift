// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@Suite struct ACMEValidationProofTests {
    static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 31]

    static func proof() throws -> KeyAuthorization {
        KeyAuthorization(
            token: "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ", key: try JSONWebKey(.init(P256.Signing.PrivateKey().publicKey)))
    }

    @Test(
        "The certificate has the form of RFC 8737 section 3", arguments: ["home.example", "192.0.2.1", "2001:db8::1"])
    func form(name: String) throws {
        let (identifier, authorization) = (try #require(ACMEIdentifier(name)), try Self.proof())
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let certificate = try ValidationCertificate.make(for: identifier, proving: authorization, key: key, now: now)
        let found = try #require(certificate.extensions[oid: Self.identifier])
        #expect(found.critical)
        // The value is an OCTET STRING of the 32 digest bytes.
        #expect(Array(found.value) == [0x04, 0x20] + Array(SHA256.hash(data: Data(authorization.text.utf8))))
        let names = try #require(try certificate.extensions.subjectAlternativeNames)
        #expect(names.count == 1)
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.publicKey.isValidSignature(certificate.signature, for: certificate))
        #expect(certificate.notValidBefore < now && certificate.notValidAfter > now)
        #expect(try certificate.extensions.basicConstraints == .notCertificateAuthority)
        #expect(ValidationCertificate.proves(authorization, in: certificate, for: identifier))
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var names: [GeneralName] = [.dnsName("home.example")]
        var isCritical: Bool? = true
        var digest: @Sendable ([UInt8]) -> [UInt8] = { [0x04, 0x20] + $0 }
        var proves = false
    }

    static let faults = [
        Fault(testDescription: "nothing wrong", proves: true),
        Fault(testDescription: "upper case", names: [.dnsName("HOME.example")], proves: true),
        Fault(testDescription: "another name", names: [.dnsName("other.example")]),
        Fault(testDescription: "two names", names: [.dnsName("home.example"), .dnsName("other.example")]),
        Fault(testDescription: "the name twice", names: [.dnsName("home.example"), .dnsName("home.example")]),
        Fault(testDescription: "no name", names: []),
        Fault(testDescription: "a wildcard", names: [.dnsName("*.example")]),
        Fault(testDescription: "a URI", names: [.uniformResourceIdentifier("home.example")]),
        Fault(testDescription: "a mail address", names: [.rfc822Name("home.example")]),
        Fault(testDescription: "an address", names: [.ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 1]))]),
        Fault(testDescription: "a digest that is not critical", isCritical: false),
        Fault(testDescription: "no digest", isCritical: nil),
        Fault(testDescription: "another digest", digest: { [0x04, 0x20, $0[0] ^ 1] + $0.dropFirst() }),
        Fault(testDescription: "half a digest", digest: { [0x04, 0x10] + $0.prefix(16) }),
        Fault(testDescription: "an empty digest", digest: { _ in [0x04, 0x00] }),
        Fault(testDescription: "a digest without its tag", digest: { $0 }),
        Fault(testDescription: "a bit string", digest: { [0x03, 0x21, 0x00] + $0 }),
        Fault(testDescription: "bytes behind the digest", digest: { [0x04, 0x20] + $0 + [0x00] }),
    ]

    @Test("A certificate is accepted only with a single name and a single critical digest", arguments: faults)
    func proves(fault: Fault) throws {
        let authorization = try Self.proof()
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let name = try DistinguishedName { CommonName("test") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey, notValidBefore: Date() - 60,
            notValidAfter: Date() + 60, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                if !fault.names.isEmpty { SubjectAlternativeNames(fault.names) }
                if let isCritical = fault.isCritical {
                    Certificate.Extension(
                        oid: Self.identifier, critical: isCritical, value: fault.digest(authorization.digest)[...])
                }
            },
            issuerPrivateKey: key)
        let identifier = ACMEIdentifier(type: .dns, value: "home.example")
        #expect(ValidationCertificate.proves(authorization, in: certificate, for: identifier) == fault.proves)
    }

    @Test("An address is proved by an IP address name, not by a DNS name with its text") func addresses() throws {
        let authorization = try Self.proof()
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let address = try #require(ACMEIdentifier("192.0.2.1"))
        let neighbour = try #require(ACMEIdentifier("192.0.2.2"))
        let asName = ACMEIdentifier(type: .dns, value: "192.0.2.1")
        let good = try ValidationCertificate.make(for: address, proving: authorization, key: key, now: Date())
        #expect(ValidationCertificate.proves(authorization, in: good, for: address))
        #expect(!ValidationCertificate.proves(authorization, in: good, for: asName))
        #expect(!ValidationCertificate.proves(authorization, in: good, for: neighbour))
        let bad = try ValidationCertificate.make(for: asName, proving: authorization, key: key, now: Date())
        #expect(!ValidationCertificate.proves(authorization, in: bad, for: address))
    }

    @Test(
        "An address is requested by its name in the reverse zone (RFC 8738 section 6)",
        arguments: [
            ("127.0.0.1", "1.0.0.127.in-addr.arpa"), ("255.254.253.252", "252.253.254.255.in-addr.arpa"),
            ("::", (0..<32).map { _ in "0" }.joined(separator: ".") + ".ip6.arpa"),
            (
                "1234:5678:9abc:def0::42",
                "2.4.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.f.e.d.c.b.a.9.8.7.6.5.4.3.2.1.ip6.arpa"
            ),
        ])
    func reverseNames(name: String, serverName: String) throws {
        #expect(ValidationCertificate.serverName(for: try #require(ACMEIdentifier(name))) == serverName)
    }
}
