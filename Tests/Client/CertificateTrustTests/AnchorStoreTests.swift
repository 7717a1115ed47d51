// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct AnchorStoreTests {
    static let systemBundle = "/etc/ssl/certs/ca-certificates.crt"

    @Test("The certificates of a bundle are read, and malformed ones are counted") func bundle() throws {
        let chain = try TestChain()
        let root = try chain.root.certificate.serializeAsPEM().pemString + "\n"
        let rubbish = "-----BEGIN CERTIFICATE-----\nMAMCAQA=\n-----END CERTIFICATE-----\n"
        let key = "-----BEGIN PRIVATE KEY-----\nMAMCAQA=\n-----END PRIVATE KEY-----\n"
        let crlf = root.replacing("\n", with: "\r\n")
        for (text, unreadable) in [
            (root, 0), ("# a comment\n" + root, 0), (rubbish + root, 1), (root + rubbish, 1), (key + root, 0),
            (crlf, 0),
            (root + "\n" + root, 0), ("-----BEGIN CERTIFICATE-----\n" + root, 1),
            (root + "-----BEGIN CERTIFICATE-----", 1),
        ] {
            let store = try AnchorStore(pemBundle: Array(text.utf8))
            #expect(store.unreadableCount == unreadable)
            #expect(store.contains(.init(chain.root.certificate)))
            #expect(!store.contains(.init(chain.intermediate.certificate)))
            let root = ParsedCertificate(chain.root.certificate)
            #expect(store.anchors(withSubject: root.subject).first?.certificate == root)
        }
    }

    @Test(
        "A bundle without certificates is an error",
        arguments: [
            "", "\n", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----",
        ])
    func emptyBundle(text: String) {
        #expect(throws: AnchorStoreError.noCertificates) { try AnchorStore(pemBundle: Array(text.utf8)) }
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
        #expect(system.unreadableCount == 0)
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
