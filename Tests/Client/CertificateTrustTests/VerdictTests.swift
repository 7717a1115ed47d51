// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust
@testable import LimboHarness

struct VerdictTests {
    @Test("A verdict is decoded to an equal one") func coding() throws {
        let chain = try TestChain()
        let verdicts = [
            try chain.verdict(), try chain.verdict(for: "b.test"), try chain.verdict(at: Instant.now + 1_000_000),
            try evaluate(chain.presented, anchors: []),
            try evaluate(
                chain.presented, anchors: [chain.root.certificate],
                pins: [Pin(of: try TestChain().root.certificate)]),
        ]
        for verdict in verdicts {
            #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict)) == verdict)
        }
    }

    @Test("Control characters in a subject are escaped in explanations") func controlCharacters() throws {
        let hostile = "a\u{1b}[2Jb\u{202e}c\u{7}\u{2028}d"
        let leaf = try TestAuthority(root: Recipe().with { $0.commonName = hostile }).certificate
        let summary = CertificateSummary(leaf)
        for text in [TrustFailure.unknownRoot(summary).description, summary.subject, summary.issuer] {
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202e && $0.value != 0x2028 })
            #expect(text.contains("\\u{1b}") && text.contains("\\u{202e}"))
        }
    }

    @Test("Control characters in alternative names are escaped in explanations") func alternativeNames() throws {
        let verdict = try TestChain(leaf: { $0.names = [.dnsName("b\u{1b}[2J.test")] }).verdict()
        #expect(!verdict.explanation.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test("The fingerprint is the hash of the certificate's bytes") func fingerprint() throws {
        let chain = try TestChain()
        for certificate in chain.presented {
            let bytes = try certificate.bytes()
            let parsed = try Certificate(derEncoded: bytes)
            let digest = SHA256.hash(data: bytes).map { String(format: "%02X", $0) }.joined(separator: ":")
            #expect(CertificateSummary(parsed).fingerprint == digest)
        }
    }

    /// The certificates are real or have unusual encodings; some are of version 1.
    @Test("A certificate keeps its bytes, including those with unusual encodings") func unusualEncodings() throws {
        guard let suite = try LimboSuite.fromFile() else { return }
        for one in suite.testcases {
            for text in one.trustedCerts + one.untrustedIntermediates + [one.peerCertificate] {
                guard let document = try? PEMDocument(pemString: text),
                    let certificate = try? Certificate(pemDocument: document)
                else { continue }
                #expect(certificate.derBytes == document.derBytes, "\(one.id)")
            }
        }
    }

    @Test("Only failures of identity or time are recoverable") func recoverable() {
        #expect(
            TrustFailure.examples.filter(\.isRecoverable).map(\.code) == [
                "trust.self-signed", "trust.unknown-root", "trust.issuer-not-found", "trust.expired",
                "trust.not-yet-valid",
                "trust.host-mismatch", "trust.no-subject-alternative-names",
            ])
    }

    @Test("One unrecoverable failure makes the verdict unrecoverable") func worstFailure() throws {
        let verdict = try TestChain(leaf: { ($0.notAfter, $0.purposes) = (Instant.now - 1, [.clientAuth]) }).verdict()
        #expect(codes(verdict) == ["trust.extended-key-usage", "trust.expired"])
        #expect(!verdict.isRecoverable)
    }
}

struct WeaknessTests {
    /// swift-certificates 1.21 rejects RSA keys under 2048 bits, so the evaluator's check is a second line of defense.
    @Test("A certificate with a short RSA key is not parsed") func shortKeys() {
        #expect(throws: (any Error).self) { try Certificate(pemEncoded: Self.shortKey) }
    }

    @Test("A SHA-1 signature is refused") func sha1() throws {
        let old = try Certificate(pemEncoded: Self.sha1Leaf)
        let root = try Certificate(pemEncoded: Self.sha1Root)
        #expect(try codes(evaluate([old], anchors: [root], at: old.notValidBefore + 10)) == ["trust.weak-signature"])
    }
}
