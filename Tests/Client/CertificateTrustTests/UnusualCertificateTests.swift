// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Certificates that swift-certificates rejects.
struct UnusualCertificateTests {
    /// The algorithm 1.2.840.10045.4.1.
    private static let ecdsaWithSHA1 = Encoding.sequence(
        Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01]))

    /// The fields issuerUniqueID and subjectUniqueID.
    private static let uniqueIdentifiers: [[UInt8]] = [
        Encoding.element(0x81, [0, 1, 2]), Encoding.element(0x82, [4, 0xf0]),
    ]

    /// Signs the fields of a certificate again, with another algorithm or with additional fields after the key.
    private static func rewritten(
        _ certificate: Certificate, by key: P256.Signing.PrivateKey, algorithm: [UInt8]? = nil,
        adding added: [[UInt8]] = [], version: [UInt8]? = nil
    ) throws -> [UInt8] {
        var reader = DERReader(certificate.tbsCertificateBytes)
        let outer = reader.enter(DERTag.sequence)
        var inner = try #require(outer)
        var fields: [[UInt8]] = []
        while let field = inner.next() { fields.append(Array(field.bytes)) }
        fields.insert(contentsOf: added, at: 7)
        if let version { fields[0] = version }
        if let algorithm { fields[2] = algorithm }
        let signed = Encoding.sequence(fields.flatMap(\.self))
        let signature =
            algorithm == ecdsaWithSHA1
            ? try key.signature(for: Insecure.SHA1.hash(data: signed)) : try key.signature(for: signed)
        return Encoding.sequence(
            signed, algorithm ?? ListRecipe.ecdsaWithSHA256, Encoding.bits(Array(signature.derRepresentation)))
    }

    private func verdict(_ presented: [[UInt8]], anchors: [[UInt8]]) throws -> Verdict {
        let bundle = anchors.map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString }.joined(separator: "\n")
        let evaluator = TrustEvaluator(
            policy: TrustPolicy(profile: .privatePKI), systemAnchors: try AnchorStore(pemBundle: Array(bundle.utf8)))
        let chain = try #require(PresentedChain(derEncoded: presented))
        return evaluator.evaluate(chain, for: try HostName("a.test"), at: Instant.now)
    }

    /// The identifier 1.3.6.1.4.1.99999.1, which belongs to no algorithm.
    private static let unknownAlgorithm = Encoding.sequence(
        Encoding.identifier([0x2b, 0x06, 0x01, 0x04, 0x01, 0x86, 0x8d, 0x1f, 0x01]))

    @Test(
        "The signature of an anchor is ignored, whatever its algorithm",
        arguments: [ecdsaWithSHA1, unknownAlgorithm])
    func anchorSignature(algorithm: [UInt8]) throws {
        let chain = try TestChain()
        let presented = chain.presented.map(\.derBytes)
        let root = try Self.rewritten(chain.root.certificate, by: chain.root.key, algorithm: algorithm)
        let anchor = try #require(CertificateSummary(anchor: root))
        for anchors in [TrustPolicy.Anchors.only([anchor]), .systemAnd([anchor])] {
            let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: anchors), systemAnchors: AnchorStore([]))
            let chain = try #require(PresentedChain(derEncoded: presented))
            let verdict = evaluator.evaluate(chain, for: try HostName("a.test"), at: Instant.now)
            #expect(verdict.isTrusted)
            let copy = try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict))
            #expect(copy == verdict)
        }
        #expect((try? Certificate(derEncoded: root)) == nil)
        #expect(try verdict(presented, anchors: [root]).isTrusted)
        var broken = root
        broken[broken.count - 1] ^= 1
        #expect(try verdict(presented, anchors: [broken]).isTrusted)
    }

    @Test("An anchor with an invalid time is refused, even if swift-certificates accepts it")
    func unreadableAnchor() throws {
        var root = try TestChain().root.certificate.derBytes
        // The seconds of the first UTCTime, which is 13 bytes long.
        let time = try #require(root.firstRange(of: [DERTag.utcTime, 13]))
        root.replaceSubrange(time.upperBound + 10..<time.upperBound + 12, with: Array("60".utf8))
        #expect((try? Certificate(derEncoded: root)) != nil)
        #expect(CertificateSummary(anchor: root) == nil)
    }

    @Test("A SHA-1 signature below the anchor is refused as weak") func weakSignature() throws {
        let chain = try TestChain()
        let (leaf, root) = (chain.leaf.certificate, chain.root.certificate.derBytes)
        let intermediate = try Self.rewritten(
            chain.intermediate.certificate, by: chain.root.key, algorithm: Self.ecdsaWithSHA1)
        #expect(try codes(verdict([leaf.derBytes, intermediate], anchors: [root])) == ["trust.weak-signature"])
        let weakLeaf = try Self.rewritten(leaf, by: chain.intermediate.key, algorithm: Self.ecdsaWithSHA1)
        let presented = [weakLeaf, chain.intermediate.certificate.derBytes]
        #expect(try codes(verdict(presented, anchors: [root])) == ["trust.weak-signature"])
    }

    @Test("Unique identifiers are skipped (RFC 5280 section 4.1.2.8)", arguments: 1...3)
    func uniqueIdentifiers(which: Int) throws {
        let chain = try TestChain()
        let added = Self.uniqueIdentifiers.enumerated().filter { which & 1 << $0.offset != 0 }.map(\.element)
        let presented = [
            try Self.rewritten(chain.leaf.certificate, by: chain.intermediate.key, adding: added),
            try Self.rewritten(chain.intermediate.certificate, by: chain.root.key, adding: added),
        ]
        let anchor = try Self.rewritten(chain.root.certificate, by: chain.root.key, adding: added)
        let verdict = try verdict(presented, anchors: [anchor])
        #expect(verdict.isTrusted)
        #expect(verdict.path?.map(\.derBytes) == presented + [anchor])
        #expect(verdict.path?.first?.certificate == nil && verdict.path?.first?.subject == "CN=server")
        let copy = try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict))
        #expect(copy == verdict)
        // A changed certificate does not match its signature.
        var changed = presented[0]
        changed[changed.count - 1] ^= 1
        #expect(try codes(self.verdict([changed, presented[1]], anchors: [anchor])) == ["trust.bad-signature"])
    }

    @Test("Unique identifiers out of order, in version 1 or malformed make a certificate unreadable")
    func malformedIdentifiers() throws {
        let authority = try TestAuthority(root: .authority("root"))
        let identifiers = Self.uniqueIdentifiers
        for (added, version) in [
            (identifiers.reversed(), nil), ([identifiers[0], identifiers[0]], nil), ([Encoding.element(0x81)], nil),
            ([Encoding.element(0x81, [8, 0])], nil), ([Encoding.element(0xa1, Encoding.bits([1]))], nil),
            (identifiers, []),
        ] as [([[UInt8]], [UInt8]?)] {
            let bytes = try Self.rewritten(
                authority.certificate, by: authority.key, adding: added, version: version)
            let problem = PresentedChain(derEncoded: [bytes])?.leaf.problem
            #expect(problem == .malformed(.uniqueIdentifiers) || problem == .malformed(.extensions))
        }
    }
}
