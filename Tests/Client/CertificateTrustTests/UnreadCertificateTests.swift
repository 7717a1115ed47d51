// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

@Suite("Certificates that cannot be read are listed with their reasons") struct UnreadCertificateTests {
    /// The index of each field in a TBSCertificate of version 3.
    private enum Index {
        static let version = 0, serialNumber = 1, algorithm = 2, issuer = 3, validity = 4, subject = 5, key = 6
        static let extensions = 7
    }

    /// Replaces a field of the signed part; the signature is then wrong, which no reading checks.
    private static func replacing(_ index: Int, of certificate: [UInt8], with field: [UInt8]) throws -> [UInt8] {
        var outer = DERReader(certificate[...])
        let content = outer.enter(DERTag.sequence)
        var parts = try #require(content)
        let signed = parts.enter(DERTag.sequence)
        var reader = try #require(signed)
        var fields: [[UInt8]] = []
        while let element = reader.next() { fields.append(Array(element.bytes)) }
        fields[index] = field
        return Encoding.sequence(Encoding.sequence(fields.flatMap(\.self)), Array(parts.rest))
    }

    /// Extensions without a sequence.
    private static let brokenExtensions = Encoding.element(0xa3, Encoding.element(4))

    @Test("Each malformed field is named, and the others are shown") func fields() throws {
        let leaf = try TestChain().leaf.certificate.derBytes
        for (index, field, problem) in [
            (Index.version, Encoding.element(0xa0, Encoding.element(2, [9])), .unsupportedVersion),
            (Index.serialNumber, Encoding.element(2), .malformed(.serialNumber)),
            (Index.algorithm, Encoding.sequence(), .malformed(.signatureAlgorithm)),
            (Index.issuer, Encoding.sequence(Encoding.sequence()), .malformed(.issuer)),
            (Index.validity, Encoding.sequence(), .malformed(.validity)),
            (Index.subject, Encoding.element(0x31), .malformed(.subject)),
            (Index.key, Encoding.element(4), .malformed(.publicKey)),
            (Index.extensions, Self.brokenExtensions, .malformed(.extensions)),
        ] as [(Int, [UInt8], CertificateProblem)] {
            let certificate = try Self.replacing(index, of: leaf, with: field)
            let summary = try #require(PresentedChain(derEncoded: [certificate])?.leaf)
            #expect(summary.problem == problem)
            #expect(CertificateProblem(ofAnchor: certificate) == problem)
            #expect(CertificateSummary(anchor: certificate) == nil)
            if index != Index.subject { #expect(summary.subject == "CN=server") }
            if index < Index.subject { #expect(summary.keyName == "P-256") }
            if index != Index.validity { #expect(summary.hasValidity && summary.notBefore < summary.notAfter) }
            let copy = try JSONDecoder().decode(CertificateSummary.self, from: JSONEncoder().encode(summary))
            #expect(copy == summary && copy.problem == problem)
        }
    }

    @Test("A certificate that is cut off at any byte is not read, and its first fields are shown")
    func truncation() throws {
        let leaf = try TestChain().leaf.certificate.derBytes
        for length in 0..<leaf.count {
            let summary = try #require(PresentedChain(derEncoded: [Array(leaf[..<length])])?.leaf)
            #expect(summary.problem != nil)
        }
        let half = try #require(PresentedChain(derEncoded: [Array(leaf.dropLast(80))])?.leaf)
        #expect(half.problem == .notACertificate && half.subject == "CN=server" && half.names == ["a.test"])
        for bytes in [[], [0x30], [0x30, 0x80], [0x30, 0x84], [0x30, 0xff, 0x30], Array("<html>".utf8)] as [[UInt8]] {
            let summary = try #require(PresentedChain(derEncoded: [bytes])?.leaf)
            #expect(summary.problem == .notACertificate && summary.isBlank)
        }
    }

    private func verdict(
        _ presented: [[UInt8]], _ policy: TrustPolicy, remembered: RememberedServer? = nil
    ) throws -> Verdict {
        let chain = try #require(PresentedChain(derEncoded: presented))
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            chain, for: try HostName("a.test"), at: Instant.now, with: TrustEvidence(remembered: remembered))
    }

    @Test("An unreadable issuer harms nothing if another path exists, and is listed") func issuers() throws {
        let chain = try TestChain()
        var presented = chain.presented.map(\.derBytes)
        let broken = try Self.replacing(Index.extensions, of: presented[1], with: Self.brokenExtensions)
        presented.insert(contentsOf: [broken, [1, 2, 3]], at: 1)
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]))
        let verdict = try verdict(presented, policy)
        #expect(verdict.isTrusted)
        #expect(
            verdict.unread.map(\.description) == [
                """
                certificate 2 of 4 (subject CN=intermediate): its extensions are not as RFC 5280 requires
                """,
                "certificate 3 of 4: it is not a certificate",
            ])
        #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict)) == verdict)
        let missing = try self.verdict([presented[0], broken], policy)
        #expect(missing.failures.map(\.code) == ["trust.issuer-not-found"])
        #expect(missing.explanation.contains("Not read: certificate 2 of 2 (subject CN=intermediate)"))
    }

    @Test("An unreadable leaf is refused with its reason by every validation") func leaf() throws {
        let chain = try TestChain()
        let presented = chain.presented.map(\.derBytes)
        let leaf = try Self.replacing(Index.extensions, of: presented[0], with: Self.brokenExtensions)
        let summary = try #require(PresentedChain(derEncoded: [leaf])?.leaf)
        for validation in [.full, .firstUse, .dangerouslyDisabled] as [TrustPolicy.Validation] {
            for anchors in [.only([chain.root.certificate]), .only([summary])] as [TrustPolicy.Anchors] {
                var policy = TrustPolicy(anchors: anchors, pins: PinSet([summary.publicKeyPin]))
                policy.validation = validation
                let remembered = RememberedServer(key: summary.publicKeyPin, since: Instant.now)
                let verdict = try verdict([leaf] + presented.dropFirst(), policy, remembered: remembered)
                #expect(!verdict.isTrusted && !verdict.isRecoverable && verdict.path == nil)
                #expect(verdict.failures == [.unreadable(summary)])
                #expect(
                    verdict.explanation.hasPrefix(
                        "a.test is not trusted: its certificate cannot be read: its extensions are not as"))
                let copy = try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict))
                #expect(copy == verdict)
            }
        }
    }

    @Test("Certificates beyond the limit of a chain are listed") func limit() throws {
        let leaf = try TestChain().leaf.certificate.derBytes
        let chain = try #require(PresentedChain(derEncoded: Array(repeating: leaf, count: 300)))
        #expect(chain.issuers.count == 256)
        #expect(chain.unread.map(\.position) == [258])
        #expect(chain.unread.map(\.problem) == [.tooManyCertificates(limit: 257)])
    }

    @Test("The other certificates of an issuer's file are used") func issuerFile() throws {
        let chain = try TestChain()
        let root = chain.root.certificate.derBytes
        let broken = try Self.replacing(Index.extensions, of: root, with: Self.brokenExtensions)
        let pem = { (bytes: [UInt8]) in PEMDocument(type: "CERTIFICATE", derBytes: bytes).pemString + "\n" }
        for file in [broken + root, Array((pem(broken) + pem(root)).utf8)] {
            let contents = IssuerFile.contents(of: file)
            #expect(contents.certificates.map(\.derBytes) == [root])
            #expect(contents.unread.map(\.problem) == [.malformed(.extensions)])
        }
        #expect(IssuerFile.contents(of: root).certificates.map(\.derBytes) == [root])
        #expect(IssuerFile.contents(of: Array("<html>".utf8)).unread.isEmpty)
    }

    @Test("Each problem has its own code and clause, and survives JSON") func problems() throws {
        let examples = CertificateProblem.examples
        #expect(Set(examples.map(\.code)).count == examples.count)
        for problem in examples + CertificateProblem.Field.allCases.map(CertificateProblem.malformed) {
            let record = try JSONDecoder().decode(
                CertificateProblemRecord.self, from: JSONEncoder().encode(CertificateProblemRecord(problem)))
            #expect(try record.problem() == problem)
        }
        let lines = (1...33).map { UnreadCertificate(position: $0, count: 33, problem: .notBase64) }.lines()
        #expect(lines.count == 11 && lines.last == "and 23 others")
    }
}
