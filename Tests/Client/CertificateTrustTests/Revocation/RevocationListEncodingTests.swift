// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import Testing
import TrustRecipes

@testable import CertificateTrust

struct RevocationListEncodingTests {
    struct Refused: CustomTestStringConvertible, Sendable {
        let name: String
        let error: RevocationEncodingError
        let change: @Sendable (inout ListRecipe) -> Void
        var testDescription: String { name }
    }

    static let refused: [Refused] = [
        Refused(name: "a 31st of June", error: .malformed(.time)) {
            $0.thisUpdate = Encoding.element(0x17, Array("260631000000Z".utf8))
        },
        Refused(name: "no time", error: .malformed(.time)) { $0.thisUpdate = [5, 0] },
        Refused(name: "an undefined time zone", error: .malformed(.time)) {
            $0.thisUpdate = Encoding.element(0x17, Array("260530000000+01".utf8))
        },
        Refused(name: "a hundred extensions", error: .tooMany(.extensions)) {
            $0.extensions = (0..<100).map { Encoding.certificateExtension([0x2a, $0], [5, 0]) }
        },
    ]

    @Test("A malformed CRL is refused with its reason", arguments: refused)
    func malformed(_ one: Refused) throws {
        let bytes = try RevocationFixture().list(one.change)
        #expect(throws: one.error) { try CertificateRevocationList(derEncoded: bytes) }
    }

    @Test("Bytes after a CRL are refused") func trailingBytes() throws {
        let bytes = try RevocationFixture().list()
        #expect(throws: RevocationEncodingError.malformed(.structure)) {
            try CertificateRevocationList(derEncoded: bytes + [0])
        }
    }

    @Test("A CRL in PEM is recognized by its label") func pem() throws {
        let bytes = try RevocationFixture().list()
        let pem = PEMDocument(type: "X509 CRL", derBytes: bytes).pemString
        #expect(try CertificateRevocationList(pemEncoded: pem).derBytes == bytes)
        let other = try RevocationFixture().list()
        let text = pem + "and\n" + PEMDocument(type: "X509 CRL", derBytes: other).pemString
        #expect(EvidenceFile(Array(text.utf8)).lists.map(\.derBytes) == [bytes, other])
        #expect(EvidenceFile(bytes).lists.map(\.derBytes) == [bytes])
        for text in ["", "-----BEGIN X509 CRL-----", pem.replacing("X509 CRL", with: "CERTIFICATE")] {
            #expect(throws: RevocationEncodingError.notPEM) { try CertificateRevocationList(pemEncoded: text) }
        }
    }
}
