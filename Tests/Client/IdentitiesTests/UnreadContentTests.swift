// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import X509

@testable import Identities

@Suite("The readable parts of a file are read, and the others are listed") struct UnreadContentTests {
    private static let broken = Fixture.certificate.replacing("MII", with: "M!I")
    private static let unended = Fixture.certificate.replacing("-----END CERTIFICATE-----", with: "")
    private static let open = "-----BEGIN CERTIFICATE-----\nMIIB\n"

    @Test(
        "Certificates between other parts are read",
        arguments: [
            (
                TestFile("key", Fixture.pkcs8 + "\n" + Fixture.certificate),
                ["block 1 of 2 (line 1): it contains a private key"]
            ),
            (
                TestFile("broken", broken + "\n" + Fixture.certificate),
                ["block 1 of 2 (line 1): the text between its boundaries is not Base64, so it is damaged"]
            ),
            (
                TestFile("unended", open + Fixture.certificate),
                ["block 1 of 2 (line 1): its -----END line is missing or has another label"]
            ),
            (
                TestFile("others", block("X509 CRL") + "\n" + Fixture.certificate + "\n" + block("CERTIFICATE")),
                [
                    "block 1 of 3 (line 1): it contains a certificate revocation list",
                    "certificate 3 of 3 (line 15): it is not a certificate",
                ]
            ),
            (TestFile("parameters", block("EC PARAMETERS") + "\n" + Fixture.certificate), []),
            (TestFile("twice", Fixture.certificate + "\n" + Fixture.certificate), []),
            (TestFile("byte order mark", [0xEF, 0xBB, 0xBF] + Fixture.certificate.bytes), []),
            (TestFile("UTF-16", [0xFF, 0xFE] + Fixture.certificate.utf16.flatMap { [UInt8($0), 0] }), []),
            (TestFile("CRLF", Fixture.certificate.replacing("\n", with: "\r\n  ")), []),
            (TestFile("attributes", "Bag Attributes\n    localKeyID: 01 \nsubject=a - b\n" + Fixture.certificate), []),
            (TestFile("old label", Fixture.certificate.replacing(" CERTIFICATE", with: " X509 CERTIFICATE")), []),
            (
                TestFile(
                    "OpenSSL's label", Fixture.certificate.replacing(" CERTIFICATE", with: " TRUSTED CERTIFICATE")),
                []
            ),
        ])
    func files(file: TestFile, unread: [String]) throws {
        let contents = try CertificateFile.contents(of: file.bytes)
        #expect(contents.certificates.map(\.subject.description) == ["CN=fixture"])
        #expect(contents.unread.map(\.description) == unread)
    }

    @Test("Certificates in DER after each other are read") func concatenation() throws {
        let (one, two) = (der(Fixture.certificate), der(Fixture.rsaCertificate))
        #expect(try CertificateFile.certificates(in: one + two + one).count == 2)
        let contents = try CertificateFile.contents(of: one + two + [0x30, 0x05, 1])
        #expect(contents.certificates.count == 2)
        #expect(
            contents.unread.map(\.description) == [
                "certificate 3 of 3: it is not a certificate"
            ])
    }

    @Test("A file of which nothing is read is an error that lists each part") func nothing() {
        let error = #expect(throws: IdentityError.self) {
            try CertificateFile.contents(of: (Self.broken + "\n" + block("X509 CRL")).bytes)
        }
        guard case .noneReadable(let parts) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(parts.map(\.position) == [1, 2])
        for part in parts { #expect("\(error.map { "\($0)" } ?? "")".contains(part.description.dropFirst())) }
    }

    @Test("No other certificate takes the place of a first one that cannot be read") func first() throws {
        let good = Fixture.certificate
        #expect(try CertificateFile.first(in: (Fixture.pkcs8 + "\n" + good).bytes).subject.description == "CN=fixture")
        for broken in [Self.broken, Self.open, block("CERTIFICATE")] {
            #expect(throws: IdentityError.self) { try CertificateFile.first(in: (broken + "\n" + good).bytes) }
        }
    }

    @Test("An identity is read beside unreadable certificates and keys") func identities() throws {
        let good = Fixture.certificate + "\n" + Fixture.pkcs8
        for other in [Self.broken, Self.open, block("CERTIFICATE"), block("PRIVATE KEY"), block("X509 CRL")] {
            let identity = try Identity.read((other + "\n" + good).bytes)
            #expect(identity.certificate.subject.description == "CN=fixture")
        }
        // The certificate of the key may be the one that was not read.
        #expect(throws: IdentityError.malformed(.certificate, offset: 2)) {
            try Identity.read((block("CERTIFICATE") + "\n" + Fixture.rsaCertificate + "\n" + Fixture.pkcs8).bytes)
        }
    }

    @Test("The contents of a file list unreadable certificates and keys") func contents() throws {
        let parts = [block("CERTIFICATE"), Fixture.certificate, block("PRIVATE KEY"), Fixture.pkcs8, Self.open]
        let contents = try IdentityContents(of: parts.joined(separator: "\n").bytes)
        #expect(contents.identities.count == 1)
        #expect(contents.unread.map(\.position) == [1, 3, 5])
        #expect(contents.unread.map(\.cause).contains(.privateKey))
        #expect(contents.unread.compactMap(\.certificate).count == 1)
    }
}
