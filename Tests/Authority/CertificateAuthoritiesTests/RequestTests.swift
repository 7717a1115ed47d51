// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Identities
import SwiftASN1
import Testing
import X509

@testable import CertificateAuthorities

@Suite struct RequestTests {
    @Test(
        "A request contains its names and its key",
        arguments: CertificateAuthority.KeyType.allCases.filter { $0 != .rsa4096 })
    func roundTrip(keyType: CertificateAuthority.KeyType) throws {
        let key = try keyType.makeKey()
        let profile = LeafProfile.server(names: ["a.test", "*.b.test", "192.0.2.1", "2001:db8::1"])
        let bytes = try CertificateRequest.encode(profile, key: key)
        let pem =
            "-----BEGIN CERTIFICATE REQUEST-----\n\(Data(bytes).base64EncodedString())\n-----END CERTIFICATE REQUEST-----\n"
        for form in [bytes, Array(pem.utf8)] {
            let request = try CertificateRequest(form)
            #expect(request.publicKey == key.publicKey)
            #expect(request.names == profile.names)
            #expect(request.mailboxes == [])
            let root = try CertificateAuthority(name: "Root", keyType: keyType, now: now)
            let chain = try root.issue(.server(names: request.names), for: request.publicKey, now: now)
            #expect(chain.map(\.publicKey) == [key.publicKey])
            #expect(root.certificate.publicKey.isValidSignature(chain[0].signature, for: chain[0]))
        }
    }

    @Test("A request with any changed byte is refused") func damage() throws {
        let bytes = try CertificateRequest.encode(
            .client(name: "mary", mailboxes: ["mary@a.test"]), key: CertificateAuthority.KeyType.p256.makeKey())
        #expect(try CertificateRequest(bytes).mailboxes == ["mary@a.test"])
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x21
            #expect(throws: CertificateRequestError.self, "byte \(index)") { try CertificateRequest(damaged) }
            #expect(throws: CertificateRequestError.self) { try CertificateRequest(bytes.prefix(index)) }
        }
    }

    @Test("A request with extensions that neither servers nor clients need is refused")
    func refused() throws {
        let key = try CertificateAuthority.KeyType.p256.makeKey()
        func request(
            _ name: String = "a.test",
            @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
        ) throws -> [UInt8] {
            let request = try CertificateSigningRequest(
                version: .v1, subject: DistinguishedName { CommonName(name) }, privateKey: key,
                attributes: .init([.init(ExtensionRequest(extensions: Certificate.Extensions(builder: extensions)))]),
                signatureAlgorithm: .ecdsaWithSHA256)
            return try request.serializeAsPEM().derBytes
        }
        let authority = try request { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }
        #expect(throws: CertificateRequestError.wantsAuthority) { try CertificateRequest(authority) }
        for name in [
            GeneralName.dnsName("a b"), .dnsName("w*.a.test"), .uniformResourceIdentifier("https://a.test"),
            .rfc822Name("mary"),
        ] {
            let bytes = try request { SubjectAlternativeNames([name]) }
            #expect(throws: CertificateRequestError.self) { try CertificateRequest(bytes) }
        }
        // Without alternative names, a common name that is a valid server name is used as one.
        #expect(try CertificateRequest(request { KeyUsage(digitalSignature: true) }).names == ["a.test"])
        #expect(try CertificateRequest(request("Mary Smith") { KeyUsage(digitalSignature: true) }).names == [])
        #expect(throws: CertificateRequestError.tooLarge) {
            try CertificateRequest([UInt8](repeating: 0x30, count: 65_537))
        }
        let pem = try CertificateAuthority(name: "R", now: now).certificate.serializeAsPEM().pemString
        #expect(throws: CertificateRequestError.otherContent("CERTIFICATE")) { try CertificateRequest(pem.utf8) }
    }

    @Test(
        "A common name counts as a name only if it is a DNS name or an address",
        arguments: [
            (["b.test"], ["a.test"], ["b.test", "a.test"], nil), (["A.Test"], ["a.test"], ["a.test"], nil),
            (["a.test"], ["a.test", "b.test"], ["a.test", "b.test"], nil),
            (["*.b.test"], ["a.test"], ["*.b.test", "a.test"], nil),
            (["192.0.2.1"], ["a.test"], ["192.0.2.1", "a.test"], nil),
            (["2001:DB8:0::1"], ["2001:db8::1"], ["2001:db8::1"], nil),
            (["b.test", "c.test"], ["a.test"], ["b.test", "c.test", "a.test"], nil),
            (["b.test", "Mary"], ["a.test"], ["b.test", "mary", "a.test"], nil),
            (["xn--bcher-kva.test"], [], ["xn--bcher-kva.test"], nil), ([], ["a.test"], ["a.test"], nil),
            (["My printer"], ["a.test"], ["a.test"], "My printer"), (["a.test."], ["a.test"], ["a.test"], "a.test."),
            (["bücher.test"], ["a.test"], ["a.test"], "bücher.test"),
            (["[2001:db8::1]"], ["a.test"], ["a.test"], "[2001:db8::1]"),
            (["mary@a.test"], ["a.test"], ["a.test"], "mary@a.test"),
            (["https://a.test"], ["a.test"], ["a.test"], "https://a.test"),
            (["a.test:443"], ["a.test"], ["a.test"], "a.test:443"),
            (["b.test", "a b"], ["a.test"], ["b.test", "a.test"], "a b"),
        ] as [([String], [String], [String], String?)])
    func commonNames(common: [String], alternatives: [String], names: [String], other: String?) throws {
        let subject = DistinguishedName(
            common.map { .init([.init(type: .RDNAttributeType.commonName, utf8String: $0)]) })
        let request = try CertificateRequest(Self.encoded(subject, alternatives))
        #expect(request.names == names)
        #expect(request.otherCommonName == other)
        if let other {
            #expect(throws: CertificateRequestError.unusableCommonName(other)) { try request.requireServerNames() }
        } else {
            try request.requireServerNames()
        }
    }

    @Test("A common name is also read in the encodings of old software") func oldEncodings() throws {
        let units = "b.test".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        let values = try [
            ASN1Any(erasing: ASN1TeletexString(contentBytes: Array("b.test".utf8)[...])),
            ASN1Any(erasing: ASN1BMPString(contentBytes: units[...])),
        ]
        for value in values {
            let subject = DistinguishedName([
                .init([.init(type: .RDNAttributeType.commonName, value: .init(asn1Any: value))])
            ])
            #expect(try CertificateRequest(Self.encoded(subject, ["a.test"])).names == ["b.test", "a.test"])
        }
    }

    private static func encoded(_ subject: DistinguishedName, _ alternatives: [String]) throws -> [UInt8] {
        let names = try alternatives.map { try AlternativeName($0).generalName }
        let extensions = try Certificate.Extensions { if !names.isEmpty { SubjectAlternativeNames(names) } }
        let request = try CertificateSigningRequest(
            version: .v1, subject: subject, privateKey: CertificateAuthority.KeyType.p256.makeKey(),
            attributes: .init([.init(ExtensionRequest(extensions: extensions))]), signatureAlgorithm: .ecdsaWithSHA256)
        return try request.serializeAsPEM().derBytes
    }
}
