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
        Refused(name: "version 3", error: .unsupportedVersion) { $0.version = [2] },
        Refused(name: "version 1 said", error: .unsupportedVersion) { $0.version = [0] },
        Refused(name: "extensions in version 1", error: .unsupportedVersion) { $0.version = nil },
        Refused(name: "entry extensions in version 1", error: .unsupportedVersion) {
            ($0.version, $0.number) = (nil, nil)
            $0.entries = [.init([1], reason: 1)]
        },
        Refused(name: "two algorithms", error: .malformed(.algorithm)) {
            $0.outerAlgorithm = Encoding.sequence(
                Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03]))
        },
        Refused(name: "an extension twice", error: .malformed(.extensions)) {
            $0.extensions = [Encoding.extensionNumber(20, [2, 1, 8])]
        },
        Refused(name: "a reason twice", error: .malformed(.extensions)) {
            $0.entries = [.init([1], extensions: [1, 4].map { Encoding.extensionNumber(21, [0x0a, 1, $0]) })]
        },
        Refused(name: "reason 7", error: .malformed(.extensions)) { $0.entries = [.init([1], reason: 7)] },
        Refused(name: "a false that is written", error: .malformed(.extensions)) {
            $0.extensions = [
                Encoding.sequence(Encoding.identifier([0x55, 0x1d, 99]), [1, 1, 0], Encoding.octets([5, 0]))
            ]
        },
        Refused(name: "a padded serial number", error: .malformed(.entry)) { $0.entries = [.init([0, 1])] },
        Refused(name: "no serial number", error: .malformed(.entry)) { $0.entries = [.init([])] },
        Refused(name: "a 31st of June", error: .malformed(.time)) {
            $0.thisUpdate = Encoding.element(0x17, Array("260631000000Z".utf8))
        },
        Refused(name: "a time without seconds", error: .malformed(.time)) {
            $0.thisUpdate = Encoding.element(0x17, Array("2606010000Z".utf8))
        },
        Refused(name: "a time with a zone", error: .malformed(.time)) {
            $0.nextUpdate = Encoding.element(0x17, Array("260601000000+0100".utf8))
        },
        Refused(name: "fractions of a second", error: .malformed(.time)) {
            $0.thisUpdate = Encoding.element(0x18, Array("20260601000000.5Z".utf8))
        },
        Refused(name: "an end before the start", error: .malformed(.time)) {
            $0.nextUpdate = Encoding.utcTime(Instant.now - 7201)
        },
        Refused(name: "something after the last field", error: .malformed(.structure)) { $0.trailer = [5, 0] },
    ]

    @Test("A malformed CRL is refused with its reason", arguments: refused)
    func malformed(_ one: Refused) throws {
        let bytes = try RevocationBench().list(one.change)
        #expect(throws: one.error) { try CertificateRevocationList(derEncoded: bytes) }
    }

    @Test("Bytes after a CRL are refused") func trailingBytes() throws {
        let bytes = try RevocationBench().list()
        #expect(throws: RevocationEncodingError.malformed(.structure)) {
            try CertificateRevocationList(derEncoded: bytes + [0])
        }
    }

    @Test("A CRL in PEM is read by its label") func pem() throws {
        let bytes = try RevocationBench().list()
        let pem = PEMDocument(type: "X509 CRL", derBytes: bytes).pemString
        #expect(try CertificateRevocationList(pemEncoded: pem).derBytes == bytes)
        for text in ["", "-----BEGIN X509 CRL-----", pem.replacing("X509 CRL", with: "CERTIFICATE")] {
            #expect(throws: RevocationEncodingError.notPEM) { try CertificateRevocationList(pemEncoded: text) }
        }
    }
}
