// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Identities
import Secrets
import SwiftASN1
import Testing
import X509

@Suite("Files without a usable identity") struct UnusableFiles {
    @Test(
        "A pair of files that are not a certificate and a key is refused with its reason",
        arguments: [
            (
                TestFile("PKCS#8", Fixture.pkcs8), TestFile("PKCS#8", Fixture.pkcs8),
                IdentityError.keyWhereCertificateExpected
            ),
            (
                TestFile("PKCS#8", Fixture.pkcs8), TestFile("certificate", Fixture.certificate),
                .keyWhereCertificateExpected
            ),
            (
                TestFile("encrypted PKCS#8", Fixture.encrypted[0].pem), TestFile("PKCS#8", Fixture.pkcs8),
                .keyWhereCertificateExpected
            ),
            (
                TestFile("certificate", Fixture.certificate), TestFile("certificate", Fixture.certificate),
                .certificateWhereKeyExpected
            ),
            (TestFile("certificate", Fixture.certificate), TestFile("text", "hello"), .notPEM),
            (TestFile("nothing", ""), TestFile("PKCS#8", Fixture.pkcs8), .empty),
            (
                TestFile("certificate", Fixture.certificate), TestFile("PUBLIC KEY", block("PUBLIC KEY")),
                .wrongContent(found: .publicKey, wanted: .privateKey)
            ),
            (
                TestFile("X509 CRL", block("X509 CRL")), TestFile("PKCS#8", Fixture.pkcs8),
                .wrongContent(found: .revocationList, wanted: .certificate)
            ),
            (
                TestFile("TRUSTED CERTIFICATE", block("TRUSTED CERTIFICATE")), TestFile("PKCS#8", Fixture.pkcs8),
                .wrongContent(found: .trustedCertificate, wanted: .certificate)
            ),
            (
                TestFile("certificate", Fixture.certificate),
                TestFile("OPENSSH PRIVATE KEY", block("OPENSSH PRIVATE KEY")),
                .wrongContent(found: .openSSHKey, wanted: .privateKey)
            ),
            (
                TestFile("certificate", Fixture.certificate), TestFile("PRIVATE KEY", block("PRIVATE KEY")),
                .malformed(.privateKey, offset: 2)
            ),
            (
                TestFile("CERTIFICATE", block("CERTIFICATE")), TestFile("PKCS#8", Fixture.pkcs8),
                .malformed(.certificate, offset: 2)
            ),
        ])
    func wrongPairs(certificates: TestFile, key: TestFile, error: IdentityError) {
        #expect(throws: error) {
            try Identity(pemCertificates: certificates.bytes, privateKey: key.bytes, passphrase: Secret("swordfish"))
        }
    }

    @Test("A key that does not match its certificate is refused with the subject") func otherKey() throws {
        let subject = try DistinguishedName { CommonName("fixture rsa") }
        #expect(throws: IdentityError.keyDoesNotMatch(subject: subject)) {
            try Identity(pemCertificates: Fixture.rsaCertificate.bytes, privateKey: Fixture.pkcs8.bytes)
        }
        let identity = try Identity(pem: (Fixture.certificate + "\n" + Fixture.pkcs8).bytes)
        let other = Certificate.PrivateKey(P256.Signing.PrivateKey())
        #expect(throws: IdentityError.keyDoesNotMatch(subject: identity.certificate.subject)) {
            try Identity(chain: identity.chain, privateKey: other)
        }
        #expect(throws: IdentityError.noCertificate) { try Identity(chain: [], privateKey: other) }
    }

    @Test(
        "A file without an identity is refused with the missing part",
        arguments: [
            (TestFile("nothing", ""), IdentityError.empty),
            (TestFile("text", "hello\n"), .unrecognized),
            (TestFile("start of DER", [0x30]), .unrecognized),
            (TestFile("text that starts with 0", "0 degrees\n"), .unrecognized),
            (TestFile("half of a PKCS#12 file", Array(Fixture.pkcs12.prefix(550))), .malformed(.encoding, offset: 4)),
            (TestFile("empty SEQUENCE", [0x30, 0x80, 0, 0]), .unrecognized),
            (TestFile("SEQUENCE of 3", [0x30, 0x03, 0x02, 0x01, 0x03]), .unrecognized),
            (TestFile("certificate", Fixture.certificate), .noPrivateKey),
            (TestFile("certificate in DER", der(Fixture.certificate)), .noPrivateKey),
            (TestFile("PKCS#8", Fixture.pkcs8), .noCertificate),
            (TestFile("PKCS#8 in DER", der(Fixture.pkcs8)), .noCertificate),
            (TestFile("SEC 1 in DER", der(Fixture.sec1)), .noCertificate),
            (TestFile("encrypted PKCS#8 in DER", der(Fixture.encrypted[0].pem)), .noCertificate),
        ])
    func wrongFiles(file: TestFile, error: IdentityError) {
        #expect(throws: error) { try Identity.read(file.bytes) }
    }

    @Test(
        "A malformed PEM block is refused with its offset",
        arguments: [
            ("-----BEGIN CERTIFICATE-----\nMA==\n", 0),
            ("x\n-----BEGIN CERTIFICATE-----\nMA==\n-----END PRIVATE KEY-----\n", 2),
            ("-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nM!==\n-----END CERTIFICATE-----\n", 26),
            ("-----BEGIN CERTIFICATE-----\nM!==\n-----END CERTIFICATE-----\n", 0),
            ("-----BEGIN CERTIFICATE-----\nMA=\n-----END CERTIFICATE-----\n", 0),
            ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", 0),
            ("-----BEGIN CERTIFICATE-----\nName: value\nMA==\n-----END CERTIFICATE-----\n", 28),
        ])
    func brokenPEM(file: String, offset: Int) {
        #expect(throws: IdentityError.malformed(.pem, offset: offset)) {
            try CertificateFile.certificates(in: file.bytes)
        }
    }

    @Test("A file over a size limit is refused") func sizeLimits() {
        let limit = 8 << 20
        #expect(throws: IdentityError.tooLarge(.bytes, limit: limit)) {
            try Identity.read([UInt8](repeating: 0x0a, count: limit + 1))
        }
        let blocks = String(repeating: "-----BEGIN X-----\nMA==\n-----END X-----\n", count: 10_001)
        #expect(throws: IdentityError.tooLarge(.elements, limit: 10_000)) { try Identity.read(blocks.bytes) }
    }
}

@Suite struct CertificateFiles {
    @Test("Certificates are read from DER and from PEM, each once") func forms() throws {
        let one = try CertificateFile.certificates(in: Fixture.certificate.bytes)
        #expect(one.count == 1)
        #expect(try CertificateFile.certificates(in: der(Fixture.certificate)) == one)
        let many = [Fixture.certificate, Fixture.rsaCertificate, Fixture.certificate].joined(separator: "\n")
        let subjects = try CertificateFile.certificates(in: many.bytes).map(\.subject.description)
        #expect(subjects == ["CN=fixture", "CN=fixture rsa"])
    }

    @Test(
        "A file without certificates is refused with its reason",
        arguments: [
            (TestFile("PKCS#8", Fixture.pkcs8), IdentityError.keyWhereCertificateExpected),
            (TestFile("PKCS#1 in DER", der(Fixture.pkcs1)), .keyWhereCertificateExpected),
            (TestFile("encrypted PKCS#8 in DER", der(Fixture.encrypted[0].pem)), .keyWhereCertificateExpected),
            (TestFile("PKCS#12", Fixture.pkcs12), .unsupported("PKCS#12")),
            (TestFile("PKCS#7", block("PKCS7")), .malformed(.pkcs7, offset: 2)),
            (TestFile("public key", block("PUBLIC KEY")), .wrongContent(found: .publicKey, wanted: .certificate)),
            (TestFile("request", Fixture.request), .wrongContent(found: .certificateRequest, wanted: .certificate)),
            (
                TestFile("request in DER", der(Fixture.request)),
                .wrongContent(found: .certificateRequest, wanted: .certificate)
            ),
            (
                TestFile("list in DER", der(Fixture.revocationList)),
                .wrongContent(found: .revocationList, wanted: .certificate)
            ),
            (
                TestFile("Java keystore (JKS)", [0xfe, 0xed, 0xfe, 0xed, 0, 0, 0, 2]),
                .wrongContent(found: .javaKeyStore, wanted: .certificate)
            ),
            (TestFile("HTML", "<html>"), .notPEM),
            (TestFile("nothing", ""), .empty),
            (
                TestFile("one byte too short", Array(der(Fixture.certificate).dropLast())),
                .malformed(.encoding, offset: 4)
            ),
            (TestFile("one byte too long", der(Fixture.certificate) + [0]), .malformed(.encoding, offset: 383)),
        ])
    func refused(file: TestFile, error: IdentityError) {
        #expect(throws: error) { try CertificateFile.certificates(in: file.bytes) }
    }
}

@Suite struct UnsupportedKinds {
    @Test(
        "A certificate with an unsupported key is refused by the key's name",
        arguments: Fixture.unsupportedCertificates.map(\.key))
    func certificates(key: String) throws {
        let pem = try #require(Fixture.unsupportedCertificates.first { $0.key == key }?.pem)
        #expect(throws: IdentityError.unsupported(key)) { try CertificateFile.certificates(in: pem.bytes) }
    }

    @Test("An unsupported key is refused by its name", arguments: Fixture.unsupportedKeys.map(\.key))
    func keys(key: String) throws {
        let pem = try #require(Fixture.unsupportedKeys.first { $0.key == key }?.pem)
        #expect(throws: IdentityError.unsupported(key)) {
            try Identity(pemCertificates: Fixture.certificate.bytes, privateKey: pem.bytes)
        }
    }
}

/// Returns a PEM block whose content is an empty SEQUENCE without its last byte.
func block(_ label: String) -> String {
    "-----BEGIN \(label)-----\nMAUCAQ==\n-----END \(label)-----\n"
}

/// Returns the content of the only block of a PEM text.
func der(_ pem: String) -> [UInt8] {
    (try? PEMDocument(pemString: pem).derBytes) ?? []
}
