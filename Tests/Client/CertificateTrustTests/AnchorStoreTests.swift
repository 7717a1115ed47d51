// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct AnchorStoreTests {
    static let systemBundle = "/etc/ssl/certs/ca-certificates.crt"

    @Test("The certificates of a bundle are read, and the other blocks are listed") func bundle() throws {
        let chain = try TestChain()
        let root = try chain.root.certificate.serializeAsPEM().pemString + "\n"
        let rubbish = "-----BEGIN CERTIFICATE-----\nMAMCAQA=\n-----END CERTIFICATE-----\n"
        let key = "-----BEGIN PRIVATE KEY-----\nMAMCAQA=\n-----END PRIVATE KEY-----\n"
        let crlf = root.replacing("\n", with: "\r\n")
        let wide = { (isLittle: Bool, text: String) -> [UInt8] in
            ([0xFEFF] + text.utf16).flatMap { unit in
                let octets = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isLittle ? octets.reversed() : octets
            }
        }
        let lineCount = root.count { $0 == "\n" }
        let openSSL = "Bag Attributes\n    friendlyName: a - b\nsubject=CN = root\n"
        for (text, unread) in [
            (Array(root.utf8), []), (Array(("# a comment\n" + root).utf8), []),
            (Array((rubbish + root).utf8), ["certificate 1 of 2 (line 1): it is not a certificate"]),
            (Array((root + rubbish).utf8), ["certificate 2 of 2 (line \(lineCount + 1)): it is not a certificate"]),
            (Array((key + root).utf8), ["block 1 of 2 (line 1): it contains PRIVATE KEY, not a certificate"]),
            (Array(crlf.utf8), []), (Array((root + "\n" + root).utf8), []), (Array((openSSL + root).utf8), []),
            (
                Array(("-----BEGIN CERTIFICATE-----\n" + root).utf8),
                [
                    "certificate 1 of 2 (line 1): its -----END line is missing or has another label"
                ]
            ),
            (
                Array(("\r\n  -----BEGIN CERTIFICATE-----\r\nA!A=\r\n-----END CERTIFICATE-----\r\n" + crlf).utf8),
                [
                    "certificate 1 of 2 (line 2): the text between its boundaries is not Base64, so it is damaged"
                ]
            ),
            (Array(root.replacing("CERTIFICATE", with: "X509 CERTIFICATE").utf8), []),
            (Array(root.replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE").utf8), []),
            ([0xEF, 0xBB, 0xBF] + Array(root.utf8), []), (wide(true, crlf), []), (wide(false, root), []),
            (Array(("see -----BEGIN CERTIFICATE----- below\n" + root).utf8), []),
        ] as [([UInt8], [String])] {
            let store = try AnchorStore(pemBundle: text)
            #expect(store.unread.map(\.description) == unread)
            #expect(store.contains(.init(chain.root.certificate)))
            #expect(!store.contains(.init(chain.intermediate.certificate)))
            let root = ParsedCertificate(chain.root.certificate)
            #expect(store.anchors(withSubject: root.subject).first?.certificate == root)
        }
    }

    @Test("A bundle without blocks is an error", arguments: ["", "\n", "BEGIN CERTIFICATE"])
    func emptyBundle(text: String) {
        #expect(throws: AnchorStoreError.noCertificates) { try AnchorStore(pemBundle: Array(text.utf8)) }
    }

    @Test(
        "A bundle of which nothing can be read is an error that lists each block",
        arguments: [
            ("-----BEGIN CERTIFICATE-----", [.unended]),
            ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----", [.notBase64]),
            (
                """
                -----BEGIN X509 CRL-----
                AAAA
                -----END X509 CRL-----
                -----BEGIN CERTIFICATE-----
                MAA=
                -----END CERTIFICATE-----
                """,
                [.otherContent("X509 CRL"), .notACertificate]
            ),
        ] as [(String, [CertificateProblem])])
    func unreadableBundle(text: String, problems: [CertificateProblem]) {
        let error = #expect(throws: AnchorStoreError.self) { try AnchorStore(pemBundle: Array(text.utf8)) }
        guard case .noneReadable(let unread) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(unread.map(\.problem) == problems)
        for one in unread { #expect(error?.explanation.reason.contains(one.problem.clause) == true) }
    }

    @Test("The index of the system's anchors agrees with the parser") func systemIndex() throws {
        guard let bundle = FileManager.default.contents(atPath: Self.systemBundle) else {
            print("system anchors skipped: no \(Self.systemBundle)")
            return
        }
        var (store, parsed): (AnchorStore?, [Certificate]) = (nil, [])
        let text = String(decoding: bundle, as: UTF8.self)
        let bytes = Array(bundle)
        let clock = ContinuousClock()
        let parsing = try clock.measure {
            parsed = try PEMDocument.parseMultiple(pemString: text).map { try Certificate(pemDocument: $0) }
        }
        let indexing = try clock.measure { store = try AnchorStore(pemBundle: bytes) }
        print("\(parsed.count) anchors: indexed in \(indexing), parsed in \(parsing)")
        let system = try #require(store)
        #expect(system.unread.isEmpty)
        for certificate in parsed.map(ParsedCertificate.init) {
            #expect(system.contains(certificate))
            #expect(system.anchors(withSubject: certificate.subject).contains { $0.certificate == certificate })
        }
    }

    /// Rules that the system's own roots violate would make the evaluator reject valid servers.
    @Test("The system's anchors conform to the rules of the web profile") func systemRules() throws {
        guard let bundle = FileManager.default.contents(atPath: Self.systemBundle) else { return }
        for document in try PEMDocument.parseMultiple(pemString: String(decoding: bundle, as: UTF8.self)) {
            let anchor = try Certificate(pemDocument: document)
            let broken = ParsedCertificate(anchor).brokenRules(asLeaf: false).intersection(RuleSet.webPKI.anchorRules)
            #expect(broken.isEmpty, "\(anchor.subject)")
        }
    }
}
