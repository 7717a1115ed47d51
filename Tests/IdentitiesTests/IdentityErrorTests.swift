// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Identities
import Secrets
import SwiftASN1
import Testing
import X509

@Suite struct MistakenFiles {
    @Test(arguments: [
        (Fixture.pkcs8, Fixture.pkcs8, IdentityError.keyWhereCertificateExpected),
        (Fixture.pkcs8, Fixture.certificate, .keyWhereCertificateExpected),
        (Fixture.encrypted[0].pem, Fixture.pkcs8, .keyWhereCertificateExpected),
        (Fixture.certificate, Fixture.certificate, .certificateWhereKeyExpected),
        (Fixture.certificate, "hello", .notPEM),
        ("", Fixture.pkcs8, .notPEM),
        (Fixture.certificate, block("PUBLIC KEY"), .noPrivateKey),
        (block("X509 CRL"), Fixture.pkcs8, .noCertificate),
        (block("TRUSTED CERTIFICATE"), Fixture.pkcs8, .unsupported("TRUSTED CERTIFICATE")),
        (Fixture.certificate, block("OPENSSH PRIVATE KEY"), .unsupported("OPENSSH PRIVATE KEY")),
        (Fixture.certificate, block("PRIVATE KEY"), .malformed(.privateKey, offset: 2)),
        (block("CERTIFICATE"), Fixture.pkcs8, .malformed(.certificate, offset: 2)),
    ])
    func pairOfFilesIsRefusedForWhatItIs(certificates: String, key: String, error: IdentityError) {
        #expect(throws: error) {
            try Identity(pemCertificates: certificates.bytes, privateKey: key.bytes, passphrase: Secret("swordfish"))
        }
    }

    @Test func keyOfAnotherCertificateIsRefusedWithTheSubject() throws {
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

    @Test(arguments: [
        ([], IdentityError.unrecognized),
        ("hello\n".bytes, .unrecognized),
        ([0x30], .unrecognized),
        ([0x30, 0x80, 0, 0], .unrecognized),
        ([0x30, 0x03, 0x02, 0x01, 0x03], .unrecognized),
        (Fixture.certificate.bytes, .noPrivateKey),
        (der(Fixture.certificate), .noPrivateKey),
        (Fixture.pkcs8.bytes, .noCertificate),
        (der(Fixture.pkcs8), .noCertificate),
        (der(Fixture.sec1), .noCertificate),
        (der(Fixture.encrypted[0].pem), .noCertificate),
    ])
    func oneFileIsRefusedForWhatItLacks(file: [UInt8], error: IdentityError) {
        #expect(throws: error) { try Identity.read(file) }
    }

    @Test(arguments: [
        ("-----BEGIN CERTIFICATE-----\nMA==\n", 0),
        ("x\n-----BEGIN CERTIFICATE-----\nMA==\n-----END PRIVATE KEY-----\n", 35),
        ("-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n", 0),
        ("-----BEGIN CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n", 28),
        ("-----BEGIN CERTIFICATE-----\nM!==\n-----END CERTIFICATE-----\n", 0),
        ("-----BEGIN CERTIFICATE-----\nMA=\n-----END CERTIFICATE-----\n", 0),
        ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", 0),
        ("-----BEGIN CERTIFICATE-----\nName: value\nMA==\n-----END CERTIFICATE-----\n", 28),
    ])
    func brokenArmourIsRefusedWhereItBreaks(file: String, offset: Int) {
        #expect(throws: IdentityError.malformed(.pem, offset: offset)) {
            try CertificateFile.certificates(in: file.bytes)
        }
    }

    @Test func fileOverTheLimitIsRefused() {
        let limit = 8 << 20
        #expect(throws: IdentityError.tooLarge(.bytes, limit: limit)) {
            try Identity.read([UInt8](repeating: 0x0a, count: limit + 1))
        }
        let blocks = String(repeating: "-----BEGIN X-----\nMA==\n-----END X-----\n", count: 10_001)
        #expect(throws: IdentityError.tooLarge(.elements, limit: 10_000)) { try Identity.read(blocks.bytes) }
    }
}

@Suite struct CertificateFiles {
    @Test func readsDEROrPEMOfOneOrManyEachOnce() throws {
        let one = try CertificateFile.certificates(in: Fixture.certificate.bytes)
        #expect(one.count == 1)
        #expect(try CertificateFile.certificates(in: der(Fixture.certificate)) == one)
        let many = [Fixture.certificate, Fixture.rsaCertificate, Fixture.certificate].joined(separator: "\n")
        let subjects = try CertificateFile.certificates(in: many.bytes).map(\.subject.description)
        #expect(subjects == ["CN=fixture", "CN=fixture rsa"])
    }

    @Test(arguments: [
        (Fixture.pkcs8.bytes, IdentityError.keyWhereCertificateExpected),
        ((Fixture.certificate + "\n" + Fixture.pkcs8).bytes, .keyWhereCertificateExpected),
        (der(Fixture.pkcs1), .keyWhereCertificateExpected),
        (der(Fixture.encrypted[0].pem), .keyWhereCertificateExpected),
        (Fixture.pkcs12, .unsupported("PKCS#12")),
        (block("PKCS7").bytes, .unsupported("PKCS7")),
        (block("PUBLIC KEY").bytes, .noCertificate),
        ("<html>".bytes, .notPEM),
        ([], .notPEM),
        (Array(der(Fixture.certificate).dropLast()), .unrecognized),
        (der(Fixture.certificate) + [0], .unrecognized),
    ])
    func anythingElseIsRefusedForWhatItIs(file: [UInt8], error: IdentityError) {
        #expect(throws: error) { try CertificateFile.certificates(in: file) }
    }
}

/// A block whose content is an empty SEQUENCE that lacks its last byte.
func block(_ label: String) -> String {
    "-----BEGIN \(label)-----\nMAUCAQ==\n-----END \(label)-----\n"
}

/// The content of a PEM text's only block.
func der(_ pem: String) -> [UInt8] {
    (try? PEMDocument(pemString: pem).derBytes) ?? []
}
