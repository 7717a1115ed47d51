// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

@Suite("A file of revocation evidence is read part by part") struct EvidenceFileTests {
    private let fixture: RevocationFixture
    private let list: [UInt8]
    private let response: [UInt8]
    private let certificate: [UInt8]

    init() throws {
        fixture = try RevocationFixture()
        list = try fixture.list()
        response = try fixture.response()
        certificate = try fixture.root.certificate.bytes()
    }

    private func counts(_ file: EvidenceFile) -> [Int] {
        [file.lists.count, file.responses.count, file.certificates.count, file.unreadable.count]
    }

    @Test("DER encodings may follow each other in any order") func concatenated() throws {
        let v1 = try fixture.list { ($0.version, $0.number) = (nil, nil) }
        let file = EvidenceFile(response + list + certificate + v1 + response + [0x0a])
        #expect(counts(file) == [2, 2, 1, 0])
        #expect(file.certificates == [fixture.root.certificate])
    }

    @Test("PEM blocks of all kinds may be mixed, with text around them") func mixed() throws {
        let text =
            Array("Issuer: root\n".utf8) + PEMBlock.encode("X509 CRL", list)
            + PEMBlock.encode("CERTIFICATE", certificate)
            + PEMBlock.encode("OCSP RESPONSE", response) + PEMBlock.encode("X509 CRL", list)
        let file = EvidenceFile(text, from: EvidenceOrigin(.file, at: "a.pem"))
        #expect(counts(file) == [2, 1, 1, 0])
        #expect(file.lists.map(\.origin.place) == ["a.pem", "a.pem"])
    }

    @Test("An unreadable part is listed with its reason, and the others are used") func unreadable() throws {
        let broken = Encoding.sequence(Encoding.sequence([2, 1, 1]))
        let text =
            PEMBlock.encode("X509 CRL", list) + PEMBlock.encode("X509 CRL", broken)
            + Array("-----BEGIN OCSP RESPONSE-----\n?!\n-----END OCSP RESPONSE-----\n".utf8)
            + PEMBlock.encode("X509 CRL", list)
        let file = EvidenceFile(text)
        #expect(counts(file) == [2, 0, 0, 2])
        #expect(file.unreadable.map(\.kind) == [.list, .response] && file.unreadable.map(\.position) == [2, 1])
        #expect(file.unreadable.map(\.reason) == [.malformed(.algorithm), .notBase64])
        let concatenated = EvidenceFile(list + broken + response + [1, 2, 3])
        #expect(counts(concatenated) == [1, 1, 0, 2])
        #expect(concatenated.unreadable.last?.kind == .unknown)
    }

    @Test(
        "Other bytes have one unreadable part", arguments: ["", "<html></html>", "-----BEGIN PRIVATE KEY-----\nAAAA\n"])
    func others(text: String) {
        let file = EvidenceFile(Array(text.utf8))
        #expect(file.isEmpty && file.unreadable.map(\.reason) == [.notPEM])
    }

    @Test("A CMS collection contributes its lists, responses and certificates") func collection() throws {
        let other = Encoding.tagged(1, Encoding.identifier([0x2b, 6, 1, 5, 5, 7, 0x10, 2]), response)
        let signedData = Encoding.sequence(
            [2, 1, 1], [0x31, 0], Encoding.sequence(Encoding.identifier([0x2a])), Encoding.tagged(0, certificate),
            Encoding.tagged(1, list, other, list), [0x31, 0])
        let bytes = Encoding.sequence(
            Encoding.identifier([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]), Encoding.tagged(0, signedData))
        #expect(counts(EvidenceFile(bytes)) == [2, 1, 1, 0])
        #expect(counts(EvidenceFile(PEMBlock.encode("PKCS7", bytes))) == [2, 1, 1, 0])
    }

    @Test("Any truncation or changed byte is read without a trap") func mutations() throws {
        let bytes = list + response + certificate
        var random = SplitMix64(seed: 4)
        for _ in 0..<400 {
            var changed = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            if let index = changed.indices.randomElement(using: &random) {
                changed[index] = .random(in: 0...255, using: &random)
            }
            let file = EvidenceFile(changed)
            #expect(!file.isEmpty || !file.unreadable.isEmpty || !file.certificates.isEmpty)
        }
    }
}
