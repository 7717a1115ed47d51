// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Encodings
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// An anchor is trusted as a name and a key (RFC 5280 section 6.1.1 d).
struct AnchorFormTests {
    private static let purposes: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03]
    private static let server = Encoding.identifier(purposes + [1])
    private static let client = Encoding.identifier(purposes + [2])
    private static let any = Encoding.identifier([0x55, 0x1d, 0x25, 0x00])

    @Test("A root of version 1 is an anchor, with a remark", arguments: [nil, [0], [1]] as [[UInt8]?])
    func versionOne(version: [UInt8]?) throws {
        let encoded = version.map { Encoding.tagged(0, Encoding.integer($0)) }
        let chain = try RawChain(root: { ($0.version, $0.extensions) = (encoded, nil) })
        try chain.expectTolerance(of: .authorityBasicConstraints)
        // Without the anchor, its own certificate proves nothing, and only an anchor may lack basic constraints.
        let below = try RawChain(intermediate: { ($0.version, $0.extensions) = (encoded, nil) })
        #expect(try codes(below.verdict()) == ["trust.not-an-authority"])
        // A certificate of another issuer is not a root.
        let issued = try RawChain(root: {
            ($0.version, $0.extensions, $0.issuer) = (encoded, nil, RawRecipe.name("other"))
        })
        #expect(try codes(issued.verdict()) == ["trust.not-an-authority"])
    }

    @Test(
        "The form of an anchor does not matter in the private profile",
        arguments: [
            // Policies: malformed, critical with an unknown qualifier, and constraints on them.
            Encoding.extensionNumber(32, critical: true, [1, 2, 3]), Encoding.extensionNumber(32, [0x30, 0]),
            Encoding.extensionNumber(
                32, critical: true,
                Encoding.sequence(
                    Encoding.sequence(
                        Encoding.identifier([0x2b, 9, 1]),
                        Encoding.sequence(Encoding.sequence(Encoding.identifier([0x2b, 9]), [5, 0]))))),
            Encoding.extensionNumber(36, Encoding.sequence([0x80, 1, 0])), Encoding.extensionNumber(54, [2, 1, 0]),
            Encoding.extensionNumber(33, [5, 0]), Encoding.extensionNumber(35, critical: true, [5, 0]),
            Encoding.extensionNumber(37, critical: true, Encoding.sequence(server)),
            Encoding.extensionNumber(15, Encoding.element(3, [0, 0x06])),
        ])
    func form(encoded: [UInt8]) throws {
        #expect(try codes(RawChain(root: { $0.extensions?.append(encoded) }).verdict()) == [])
    }

    @Test("Two signature algorithms and extensions of version 1 do not matter in an anchor") func strictRules() throws {
        let chain = try RawChain(root: { $0.version = nil })
        let verdict = try chain.verdict()
        #expect(codes(verdict) == [] && verdict.leniencies.contains { $0.rule == .version })
        var other = chain.root
        let algorithm = try #require(
            other.firstRange(of: Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])))
        other[algorithm.upperBound - 1] = 3
        let anchor = try #require(CertificateSummary(anchor: other))
        let policy = TrustPolicy(anchors: .only([anchor]))
        let evaluated = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(derEncoded: chain.presented)), for: try HostName("a.test"), at: Instant.now)
        #expect(codes(evaluated) == [] && evaluated.leniencies.contains { $0.rule == .signatureAlgorithm })
    }

    @Test("Readable restrictions of an anchor count") func restrictions() throws {
        let constraints = Encoding.sequence(
            Encoding.tagged(0, Encoding.sequence(Encoding.element(0x82, Array("b.test".utf8)))))
        for (encoded, code) in [
            (Encoding.extensionNumber(30, constraints), "trust.name-constraints"),
            (Encoding.extensionNumber(37, Encoding.sequence(Self.client)), "trust.extended-key-usage"),
            (Encoding.extensionNumber(15, Encoding.element(3, [1, 0x02])), "trust.key-usage"),
            (Encoding.extensionNumber(30, [5, 0]), "trust.malformed-extension"),
        ] {
            #expect(try codes(RawChain(root: { $0.extensions?.append(encoded) }).verdict()) == [code])
        }
        let length = try RawChain(root: { $0.extensions = [RawRecipe.basicConstraints([1, 1, 0xff, 2, 1, 0])] })
        #expect(try codes(length.verdict()) == ["trust.path-too-long"])
        let expired = try RawChain(root: { $0.notAfter = Encoding.utcTime(Instant.now - 3600) })
        #expect(try codes(expired.verdict()) == ["trust.expired"])
    }

    // MARK: Names and keys

    private func verdict(_ chain: TestChain, _ anchor: CertificateSummary?, profile: TrustPolicy.Profile? = nil) throws
        -> Verdict
    {
        let policy = TrustPolicy(anchors: .only([try #require(anchor)]), profile: profile)
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now)
    }

    @Test("A name and a key are an anchor") func nameAndKey() throws {
        let chain = try TestChain()
        let (name, info) = (chain.root.certificate.subject, Array(chain.root.key.publicKey.derRepresentation))
        let anchor = try #require(CertificateSummary(anchorNamed: name, publicKeyInfo: info))
        #expect(anchor.subject == "CN=root" && anchor.publicKeyPin == Pin(of: chain.root.certificate))
        let verdict = try verdict(chain, anchor)
        #expect(verdict.isTrusted && verdict.anchor == anchor)
        #expect(verdict.leniencies.allSatisfy { $0.certificate != anchor })
        let copy = try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict))
        #expect(copy == verdict)
        // The chain lacks what the Web profile demands, and the anchor does not.
        let web = try self.verdict(chain, anchor, profile: .webPKI)
        guard case .nonconforming(let certificate, _)? = web.failure else {
            Issue.record("\(web)")
            return
        }
        #expect(certificate != anchor)
        let stranger = P256.Signing.PrivateKey()
        let other = CertificateSummary(
            anchorNamed: name, publicKeyInfo: Array(stranger.publicKey.derRepresentation))
        #expect(try codes(self.verdict(chain, other)) == ["trust.bad-signature"])
        let renamed = CertificateSummary(
            anchorNamed: try DistinguishedName { CommonName("other") }, publicKeyInfo: info)
        #expect(try codes(self.verdict(chain, renamed)) == ["trust.issuer-not-found"])
        #expect(CertificateSummary(anchorNamed: name, publicKeyInfo: [5, 0]) == nil)
        #expect(CertificateSummary(anchorNamed: name, publicKeyInfo: info + [0]) == nil)
        #expect(CertificateSummary(anchorNamed: name, publicKeyInfo: []) == nil)
    }

    @Test("A name and a key have name constraints") func constrainedKey() throws {
        let chain = try TestChain()
        for (domain, expected) in [("test", []), ("b.test", ["trust.name-constraints"])] as [(String, [String])] {
            let anchor = CertificateSummary(
                anchorNamed: chain.root.certificate.subject,
                publicKeyInfo: Array(chain.root.key.publicKey.derRepresentation),
                nameConstraints: NameConstraints(permittedDNSDomains: [domain]))
            #expect(try codes(verdict(chain, anchor)) == expected)
        }
    }

    @Test("A presented certificate without a signature proves nothing") func unsigned() throws {
        let chain = try TestChain()
        let plain = try #require(
            CertificateSummary(
                anchorNamed: chain.intermediate.certificate.subject,
                publicKeyInfo: Array(chain.intermediate.key.publicKey.derRepresentation)))
        let presented = PresentedChain(derEncoded: [chain.leaf.certificate.derBytes, plain.derBytes])
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]))
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(presented), for: try HostName("a.test"), at: Instant.now)
        #expect(!verdict.isTrusted)
    }

    // MARK: OpenSSL's trust settings

    private static func bundle(_ certificate: [UInt8], _ settings: [UInt8], label: String = "TRUSTED CERTIFICATE")
        -> [UInt8]
    {
        PEMBlock.encode(label, certificate + settings)
    }

    @Test(
        "The trusted uses of a block replace the anchor's purposes, and the rejected ones count",
        arguments: [
            ([], ["trust.extended-key-usage"], []), (Encoding.sequence(), ["trust.extended-key-usage"], []),
            (Encoding.sequence(Encoding.sequence(server)), [], []),
            (Encoding.sequence(Encoding.sequence(any)), [], []),
            (Encoding.sequence(Encoding.sequence(client)), ["trust.extended-key-usage"], ["trust.extended-key-usage"]),
            (
                Encoding.sequence(Encoding.sequence(server), Encoding.tagged(0, server)), ["trust.extended-key-usage"],
                ["trust.extended-key-usage"]
            ),
            (
                Encoding.sequence(Encoding.sequence(server), Encoding.tagged(0, any)), ["trust.extended-key-usage"],
                ["trust.extended-key-usage"]
            ),
            (Encoding.sequence(Encoding.tagged(0, client)), ["trust.extended-key-usage"], []),
            (
                Encoding.sequence(
                    Encoding.sequence(server), Encoding.element(0x0c, Array("alias".utf8)), Encoding.octets([1])),
                [], []
            ),
        ] as [([UInt8], [String], [String])])
    func trustSettings(settings: [UInt8], forClients: [String], without: [String]) throws {
        // The first root has a purpose that the settings replace; the other has none.
        let purposes = Encoding.extensionNumber(37, Encoding.sequence(Self.client))
        for (extensions, expected) in [([purposes], forClients), ([], without)] {
            let chain = try RawChain(root: { $0.extensions? += extensions })
            let host = try HostName("a.test")
            let presented = try #require(PresentedChain(derEncoded: chain.presented))
            let store = try AnchorStore(pemBundle: Self.bundle(chain.root, settings))
            #expect(store.unread.isEmpty)
            let system = TrustEvaluator(policy: TrustPolicy(profile: .privatePKI), systemAnchors: store)
            #expect(codes(system.evaluate(presented, for: host, at: Instant.now)) == expected)
            let anchor = try #require(CertificateSummary(anchor: chain.root + settings))
            #expect(anchor.derBytes == chain.root)
            let given = TrustEvaluator(policy: TrustPolicy(anchors: .only([anchor])), systemAnchors: AnchorStore([]))
            #expect(codes(given.evaluate(presented, for: host, at: Instant.now)) == expected)
        }
    }

    @Test("Trust settings are part of a policy, and malformed ones make the anchor unreadable") func settings() throws {
        let root = try RawChain().root
        let settings = Encoding.sequence(Encoding.sequence(Self.client))
        let (plain, restricted) = (CertificateSummary(anchor: root), CertificateSummary(anchor: root + settings))
        #expect(plain != restricted && restricted == CertificateSummary(anchor: root + settings))
        for malformed in [[0x30, 1], settings + [0], Encoding.sequence([0x30, 1, 6]), [5, 0]] as [[UInt8]] {
            #expect(CertificateSummary(anchor: root + malformed) == nil)
        }
    }

    @Test("A leaf that is an anchor is subject to its trust settings") func trustedLeaf() throws {
        let chain = try RawChain()
        let host = try HostName("a.test")
        for (settings, expected) in [
            (Encoding.sequence(Encoding.sequence(Self.server)), []),
            (Encoding.sequence(Encoding.tagged(0, Self.server)), ["trust.extended-key-usage"]),
        ] as [([UInt8], [String])] {
            let anchor = try #require(CertificateSummary(anchor: chain.presented[0] + settings))
            let verdict = TrustEvaluator(policy: TrustPolicy(anchors: .only([anchor])), systemAnchors: AnchorStore([]))
                .evaluate(try #require(PresentedChain(derEncoded: [chain.presented[0]])), for: host, at: Instant.now)
            #expect(codes(verdict) == expected)
        }
    }

    @Test(
        "An anchor that is rejected for every purpose is not trusted for any purpose",
        arguments: [TrustPolicy.Purpose.server, .any])
    func rejectedAnchor(purpose: TrustPolicy.Purpose) throws {
        let chain = try RawChain()
        for (rejected, expected) in [
            (Self.client, []), (Self.any, ["trust.extended-key-usage"]),
        ] as [([UInt8], [String])] {
            let settings = Encoding.sequence(Encoding.tagged(0, rejected))
            let anchor = try #require(CertificateSummary(anchor: chain.root + settings))
            let policy = TrustPolicy(anchors: .only([anchor]), purpose: purpose)
            let verdict = try TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
                #require(PresentedChain(derEncoded: chain.presented)), named: nil, at: Instant.now)
            #expect(codes(verdict) == expected)
        }
    }

    // MARK: Public roots

    /// The bundles of Debian, and of Mozilla in the Python package certifi, whose path the variable names.
    private static let bundles: [String] =
        [AnchorStoreTests.systemBundle] + (ProcessInfo.processInfo.environment["CERTIFI"].map { [$0] } ?? [])

    @Test("Every root of a public bundle is usable as an anchor", arguments: bundles) func publicRoots(path: String)
        throws
    {
        guard let bundle = FileManager.default.contents(atPath: path) else {
            print("public roots skipped: no \(path)")
            return
        }
        let blocks = PEMBlock.contents(labeled: ["CERTIFICATE"], in: Array(bundle)).compactMap(\.self)
        let store = try AnchorStore(pemBundle: Array(bundle))
        #expect(store.unread.isEmpty && blocks.count > 100)
        for block in blocks {
            let anchor = try #require(CertificateSummary(anchor: block))
            #expect(store.contains(anchor.parsed))
            let broken = anchor.parsed.brokenRules(asLeaf: false).intersection(RuleSet.webPKI.anchorRules)
            #expect(broken.isEmpty, "\(anchor): \(broken.rules)")
            #expect(throws: Never.self, "\(anchor)") {
                try AuthorityChecks.check(anchor.parsed, above: [anchor.parsed], for: .init(), isAnchor: true)
            }
        }
    }
}
