// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import Foundation
import Identities
import SwiftASN1
import Testing
import X509

@Suite struct RequestTests {
    @Test(
        "A request carries its names and its key",
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

    @Test("Every changed byte of a request is noticed") func damage() throws {
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

    @Test("A request that asks for more than a server or a client has is refused")
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
        // Without alternative names, a common name that is a server's name is one.
        #expect(try CertificateRequest(request { KeyUsage(digitalSignature: true) }).names == ["a.test"])
        #expect(try CertificateRequest(request("Mary Smith") { KeyUsage(digitalSignature: true) }).names == [])
        #expect(throws: CertificateRequestError.tooLarge) {
            try CertificateRequest([UInt8](repeating: 0x30, count: 65_537))
        }
        let pem = try CertificateAuthority(name: "R", now: now).certificate.serializeAsPEM().pemString
        #expect(throws: CertificateRequestError.otherContent("CERTIFICATE")) { try CertificateRequest(pem.utf8) }
    }
}
