// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Whether the system's OpenSSL verifies signatures in this build.
private let hasOpenSSL = OpenSSLSignatures.problem == nil

@Suite("The algorithms of keys and signatures (RFC 4055, RFC 5480, RFC 5639, RFC 8410)")
struct AlgorithmTests {
    let vectors: AlgorithmVectors

    init() throws { vectors = try AlgorithmVectors() }

    @Test(
        "A signature is valid, and a changed one is not",
        arguments: [
            "pss-sha256", "pss-sha384", "pss-sha512", "psskey", "pssrestricted", "rsa-sha256", "rsa-sha512",
            "p521-sha256", "p521-sha384", "p521-sha512", "p384-sha256", "p384-sha384", "p384-sha512", "p256-sha256",
            "p256-sha384", "p256-sha512", "ed25519",
        ])
    func ownLibrary(name: String) throws {
        #expect(try vectors.verdict(name).failures == [])
        #expect(try codes(vectors.verdict(name, forge)) == ["trust.bad-signature"])
    }

    @Test(
        "A signature that needs OpenSSL is valid with it, and a changed one is not",
        arguments: [
            "pss-sha224", "pss-salt0", "pss-salt-maximum", "pss-mgf-sha1", "rsa-sha224", "p521-sha224", "p384-sha224",
            "p256-sha224", "brainpoolP256r1", "brainpoolP384r1", "brainpoolP512r1", "brainpoolP256t1",
            "brainpoolP320r1", "secp256k1", "secp224r1", "ed448",
        ])
    func systemLibrary(name: String) throws {
        let found = try codes(vectors.verdict(name))
        guard hasOpenSSL else {
            #expect(found.allSatisfy { $0.hasPrefix("trust.unsupported-") } && !found.isEmpty)
            return
        }
        #expect(found == [])
        #expect(try codes(vectors.verdict(name, forge)) == ["trust.bad-signature"])
    }

    @Test(
        "The Web profile allows the algorithms of the Baseline Requirements only (section 7.1.3)",
        arguments: [
            ("p256-sha256", true), ("p521-sha512", true), ("pss-sha256", true), ("psskey", false),
            ("p256-sha224", false), ("brainpoolP256r1", false), ("secp256k1", false), ("ed448", false),
        ])
    func baselineAlgorithms(name: String, isAllowed: Bool) throws {
        let verdict = try vectors.verdict(name)
        guard hasOpenSSL || verdict.isTrusted else { return }
        #expect(verdict.leniencies.map(\.rule).contains(.baselineAlgorithms) == !isAllowed)
    }

    @Test(
        "A key of an unsupported type is readable, and refused by name",
        arguments: [
            ("key-dsa", "DSA"), ("key-sm2", "SM2"), ("key-p192", "P-192"), ("key-x25519", "X25519"),
            ("key-explicit", "ECDSA without a named curve"),
        ])
    func unsupportedKeys(leaf: String, name: String) throws {
        let verdict = try vectors.verdict(leaf)
        #expect(codes(verdict) == ["trust.unsupported-key"] && !verdict.isRecoverable)
        #expect(verdict.explanation.contains("a key of the type \(name), which is not supported"))
        #expect(verdict.paths.first?.certificates.first?.names.count == 1)
        #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict)) == verdict)
    }

    @Test("A leaf with a supported key is trusted", arguments: ["key-p521", "key-psskey"])
    func leafKeys(leaf: String) throws {
        #expect(try vectors.verdict(leaf).isTrusted)
    }

    @Test("A leaf with a key that needs OpenSSL is trusted with it", arguments: ["key-brainpoolP384r1", "key-ed448"])
    func systemLeafKeys(leaf: String) throws {
        #expect(try codes(vectors.verdict(leaf)) == (hasOpenSSL ? [] : ["trust.unsupported-key"]))
    }

    @Test("An issuer with an unsupported key is refused by name, and harms nothing beside the path")
    func unsupportedIssuer() throws {
        #expect(Set(try codes(vectors.verdict("dsa"))) == ["trust.unsupported-key"])
        let chain = try TestChain()
        let stranger = try vectors.bytes("root", "dsa")
        let presented = try #require(PresentedChain(derEncoded: chain.presented.map(\.derBytes) + [stranger]))
        #expect(presented.issuers.map(\.keyType).contains("DSA"))
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]))
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            presented, for: try HostName("a.test"), at: Instant.now)
        #expect(verdict.isTrusted)
    }

    @Test("A self-issued leaf whose signature cannot be verified is refused for that") func unsupportedSelfIssued()
        throws
    {
        let chain = try #require(PresentedChain(derEncoded: [vectors.bytes("root", "dsa")]))
        let evaluator = TrustEvaluator(
            policy: TrustPolicy(anchors: .only([CertificateSummary]())), systemAnchors: AnchorStore([]))
        let verdict = evaluator.evaluate(chain, for: [], requirements: .init(), at: chain.leaf.notBefore + 3600)
        #expect(
            Set(codes(verdict)).isSuperset(of: ["trust.unsupported-key", "trust.unsupported-signature-algorithm"]))
        #expect(!codes(verdict).contains("trust.issuer-not-found") && !verdict.isRecoverable)
    }

    @Test("The missing trait or library is named", arguments: UnsupportedAlgorithm.Reason.allCases)
    func reasons(reason: UnsupportedAlgorithm.Reason) throws {
        let leaf = CertificateSummary(try TestChain().leaf.certificate)
        let algorithm = UnsupportedAlgorithm("brainpoolP256r1", reason)
        let failures = [
            TrustFailure.unsupportedKey(leaf, algorithm), .unsupportedSignatureAlgorithm(leaf, algorithm),
        ]
        for failure in failures {
            let explanation = failure.explanation
            #expect(explanation.message.contains("brainpoolP256r1"))
            #expect(explanation.message.contains("the trait OpenSSL") == (reason == .trait))
            #expect(explanation.advice.contains("Install OpenSSL") == (reason == .library))
            #expect(try JSONDecoder().decode(TrustFailure.self, from: JSONEncoder().encode(failure)) == failure)
        }
    }

    // MARK: RSASSA-PSS

    private static func hash(_ last: UInt8, _ parameters: [UInt8] = [5, 0]) -> [UInt8] {
        Encoding.sequence(Encoding.identifier([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last]), parameters)
    }

    private static func mask(_ hash: [UInt8], last: UInt8 = 8) -> [UInt8] {
        Encoding.sequence(
            Encoding.identifier([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, last]), hash)
    }

    private static let sha1 = Encoding.sequence(Encoding.identifier([0x2b, 0x0e, 0x03, 0x02, 0x1a]), [5, 0])

    @Test("The parameters have explicit tags and defaults, in this order")
    func parameters() {
        typealias Expected = (CertificateSignatureAlgorithm.Hash, CertificateSignatureAlgorithm.Hash, Int)?
        func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { Encoding.element(0xa0 | number, content) }
        let sha256 = tagged(0, Self.hash(1))
        let (mgf, salt) = (tagged(1, Self.mask(Self.hash(1))), tagged(2, [2, 1, 32]))
        let cases: [(parts: [[UInt8]], expected: Expected)] = [
            ([], (.sha1, .sha1, 20)), ([sha256, mgf, salt], (.sha256, .sha256, 32)),
            (
                [tagged(0, Self.sha1), tagged(1, Self.mask(Self.sha1)), tagged(2, [2, 1, 20]), tagged(3, [2, 1, 1])],
                (.sha1, .sha1, 20)
            ),
            ([tagged(0, Self.hash(1, [])), mgf, salt, tagged(3, [2, 1, 1])], (.sha256, .sha256, 32)),
            ([sha256], (.sha256, .sha1, 20)), ([tagged(2, [2, 2, 0, 222])], (.sha1, .sha1, 222)),
            ([tagged(0, Self.hash(4)), tagged(1, Self.mask(Self.hash(3)))], (.sha224, .sha512, 20)),
            ([mgf, sha256], nil), ([sha256, sha256], nil), ([salt, mgf], nil), ([sha256, [5, 0]], nil),
            ([tagged(3, [2, 1, 2])], nil), ([tagged(3, [2, 1, 0])], nil), ([tagged(2, [2, 1, 0xff])], nil),
            ([tagged(2, [2, 2, 0, 32])], nil), ([tagged(2, [2, 3, 1, 0, 0])], nil), ([tagged(2, [])], nil),
            ([tagged(2, [2, 4, 0x7f, 0xff, 0xff, 0xff])], nil), ([tagged(0, [])], nil),
            ([tagged(0, Self.hash(1) + [5, 0])], nil), ([tagged(0, Self.hash(1, [4, 0]))], nil),
            ([tagged(1, Self.mask(Self.hash(1), last: 9))], nil), ([tagged(1, Self.mask([5, 0]))], nil),
            ([tagged(1, Self.mask(Self.hash(9)))], nil), ([tagged(4, [2, 1, 1])], nil),
            ([Encoding.element(0x80, Self.hash(1))], nil),
        ]
        for (parts, expected) in cases {
            let read = PSSParameters(Encoding.sequence(parts.flatMap(\.self))[...])
            #expect(read?.hash == expected?.0 && read?.maskHash == expected?.1 && read?.saltLength == expected?.2)
        }
        for bytes in [[], [5, 0], Encoding.sequence([]) + [0]] as [[UInt8]] {
            #expect(PSSParameters(bytes[...]) == nil)
        }
        let absent = CertificateSignatureAlgorithm(
            Encoding.sequence(Encoding.identifier(CertificateSignatureAlgorithm.pssIdentifier))[...])
        #expect(absent.limitation?.reason == .malformed)
    }

    @Test("The parameters of a key restrict its signatures (RFC 4055 section 3.3)")
    func restrictedKey() throws {
        func parameters(_ hash: UInt8, _ mask: UInt8, _ salt: UInt8) -> [UInt8] {
            Encoding.sequence(
                Encoding.element(0xa0, Self.hash(hash)), Encoding.element(0xa1, Self.mask(Self.hash(mask))),
                Encoding.element(0xa2, [2, 1, salt]))
        }
        let cases: [(parameters: [UInt8], leaf: String, code: String?)] = [
            ([], "pss-sha256", nil), (parameters(1, 1, 32), "pss-sha256", nil),
            (parameters(1, 1, 20), "pss-sha256", nil), (parameters(1, 1, 33), "pss-sha256", "trust.bad-signature"),
            (parameters(1, 1, 32), "pss-sha384", "trust.bad-signature"),
            (parameters(1, 2, 32), "pss-sha256", "trust.bad-signature"),
            (parameters(1, 1, 32), "rsa-sha256", "trust.bad-signature"), ([], "rsa-sha256", "trust.bad-signature"),
            ([5, 0], "pss-sha256", "trust.unsupported-key"),
            (parameters(9, 1, 32), "pss-sha256", "trust.unsupported-key"),
        ]
        for (parameters, leaf, code) in cases {
            let root = try Self.withAlgorithm(
                Encoding.sequence(Encoding.identifier(CertificateSignatureAlgorithm.pssIdentifier), parameters),
                try vectors.root(leaf))
            #expect(try codes(vectors.verdict(leaf, root: root)) == [code].compactMap(\.self), "\(leaf) \(parameters)")
        }
    }

    /// Replaces the algorithm of an anchor's key; its own signature is not checked.
    private static func withAlgorithm(_ algorithm: [UInt8], _ certificate: [UInt8]) throws -> [UInt8] {
        try rewritten(certificate) { info in
            var outer = DERReader(info[...])
            let inner = outer.enter(DERTag.sequence)
            var fields = try #require(inner)
            _ = fields.next()
            return Encoding.sequence(algorithm, Array(fields.rest))
        }
    }

    /// Replaces the SubjectPublicKeyInfo of a certificate.
    private static func rewritten(
        _ certificate: [UInt8], _ change: ([UInt8]) throws -> [UInt8]
    ) throws -> [UInt8] {
        var outer = DERReader(certificate[...])
        let inner = outer.enter(DERTag.sequence)
        var parts = try #require(inner)
        let tbsCertificate = parts.enter(DERTag.sequence)
        var fields = try #require(tbsCertificate)
        var all: [[UInt8]] = []
        while let field = fields.next() { all.append(Array(field.bytes)) }
        all[6] = try change(all[6])
        return Encoding.sequence(Encoding.sequence(all.flatMap(\.self)), Array(parts.rest))
    }

    @Test("An RSA key signs with PSS and PKCS #1, a key for PSS only with PSS, and a key of another type with neither")
    func mixedTypes() throws {
        let key = CertificateKey(
            publicKeyInfo: try CertificateFields(
                certificate: vectors.root("p256-sha256")[...]
            ).map(\.publicKeyInfo) ?? [])
        for name in ["pss-sha256", "rsa-sha256"] {
            let leaf = try ParsedCertificate(derEncoded: vectors.bytes("leaf", name))
            #expect(!key.isValidSignature(leaf.encoded.signature, for: leaf.signedBytes, by: leaf.algorithm))
        }
    }

    // MARK: Weaknesses

    @Test(
        "SHA-1 signatures are refused unless the policy accepts them",
        arguments: ["rsa-sha1", "pss-sha1", "p256-sha1", "p384-sha1", "p521-sha1"])
    func sha1(name: String) throws {
        for weaknesses: Set<TrustPolicy.Weakness> in [[], [.rsa1024]] {
            let verdict = try vectors.verdict(name, accepting: weaknesses)
            #expect(codes(verdict) == ["trust.weak-signature"])
            #expect(verdict.failure?.explanation.advice.contains("acceptedWeaknesses") == true)
        }
        let verdict = try vectors.verdict(name, accepting: [.sha1])
        #expect(
            verdict.isTrusted && verdict.remarks == [.weakSignatureAccepted(verdict.paths[0].certificates[0], "SHA-1")])
        #expect(try codes(vectors.verdict(name, forge, accepting: [.sha1])) == ["trust.bad-signature"])
    }

    @Test("Broken hashes other than SHA-1 are refused under every policy")
    func md5() throws {
        let weaknesses = Set(TrustPolicy.Weakness.allCases)
        for last: UInt8 in [2, 3, 4] {
            let algorithm = CertificateSignatureAlgorithm(
                Encoding.sequence(
                    Encoding.identifier([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, last]), [5, 0])[...])
            #expect(algorithm.weakness != nil && !algorithm.isAccepted(with: weaknesses))
        }
    }

    @Test("RSA keys of 1024 to 2047 bits are refused unless the policy accepts them", arguments: [1024, 1536])
    func rsa1024(bits: Int) throws {
        let verdict = try vectors.verdict("rsa\(bits)")
        #expect(Set(codes(verdict)) == ["trust.weak-key"])
        #expect(verdict.failure?.explanation.advice.contains("acceptedWeaknesses") == true)
        #expect(try Set(codes(vectors.verdict("rsa\(bits)", accepting: [.sha1]))) == ["trust.weak-key"])
        let accepted = try vectors.verdict("rsa\(bits)", accepting: [.rsa1024])
        let path = try #require(accepted.path)
        #expect(accepted.remarks == path.map { .weakKeyAccepted($0, bits: bits) })
        #expect(try codes(vectors.verdict("rsa\(bits)", forge, accepting: [.rsa1024])) == ["trust.bad-signature"])
    }

    @Test("RSA keys of less than 1024 bits are refused under every policy", arguments: [512, 768])
    func smallRSA(bits: Int) throws {
        let verdict = try vectors.verdict("rsa\(bits)", accepting: Set(TrustPolicy.Weakness.allCases))
        #expect(Set(codes(verdict)) == ["trust.weak-key"])
        #expect(verdict.failure?.explanation.advice.contains("acceptedWeaknesses") == false)
    }

    @Test("RSA keys that are expensive to use are refused, whatever the policy")
    func largeRSA() throws {
        let cases: [(modulus: Int, exponent: [UInt8], name: String)] = [
            (16385, [1, 0, 1], "RSA with 16385 bits"), (100_000, [1, 0, 1], "RSA with 100000 bits"),
            (2048, [1, 0, 0, 0, 0, 0, 1], "RSA with a public exponent of 49 bits"),
            (2048, [UInt8](repeating: 0x7f, count: 200), "RSA with a public exponent of 1599 bits"),
        ]
        for (bits, exponent, name) in cases {
            var modulus = [UInt8](repeating: 0xff, count: (bits + 7) / 8)
            modulus[0] = bits % 8 == 0 ? 0xff : UInt8(1 << (bits % 8) - 1)
            if modulus[0] >= 0x80 { modulus.insert(0, at: 0) }
            let root = try Self.rewritten(vectors.root("rsa-sha256")) { _ in
                let rsa = Encoding.sequence(
                    Encoding.identifier([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]), [5, 0])
                let key = Encoding.sequence(Encoding.element(2, modulus), Encoding.element(2, exponent))
                return Encoding.sequence(rsa, Encoding.bits(key))
            }
            let verdict = try vectors.verdict(
                "rsa-sha256", root: root, accepting: Set(TrustPolicy.Weakness.allCases))
            #expect(codes(verdict) == ["trust.unsupported-key"] && verdict.explanation.contains(name))
        }
    }

    // MARK: Lists and responses

    @Test(
        "Lists and OCSP responses with these algorithms show that a leaf is good, or revoked",
        arguments: [
            ("list", "pss", "pss-sha256"), ("list", "psskey", "psskey"), ("list", "p521", "p521-sha512"),
            ("response", "pss", "pss-sha256"), ("response", "p521", "p521-sha512"),
        ])
    func evidence(kind: String, name: String, leaf: String) throws {
        try checkEvidence(kind, name, leaf)
    }

    @Test(
        "Lists and OCSP responses that need OpenSSL show with it that a leaf is good, or revoked",
        .enabled(if: hasOpenSSL),
        arguments: [
            ("list", "ed448", "ed448"), ("list", "brainpoolP384r1", "brainpoolP384r1"),
            ("response", "ed448", "ed448"), ("response", "brainpoolP384r1", "brainpoolP384r1"),
        ])
    func systemEvidence(kind: String, name: String, leaf: String) throws {
        try checkEvidence(kind, name, leaf)
    }

    private func checkEvidence(_ kind: String, _ name: String, _ leaf: String) throws {
        let good = try vectors.verdict(
            leaf, evidence: vectors.evidence(kind, name + (kind == "list" ? "-empty" : "-good")))
        #expect(good.failures == [])
        let revoked = try vectors.verdict(leaf, evidence: vectors.evidence(kind, name + "-revoked"))
        #expect(codes(revoked) == ["trust.revoked"])
    }

    @Test(
        "Evidence with SHA-1 shows that a leaf is good only if the policy accepts it, and always that it is revoked",
        arguments: [
            ("list", "rsa-sha1", "rsa-sha1"), ("list", "pss-sha1", "pss-sha1"), ("response", "sha1", "rsa-sha1"),
        ])
    func sha1Evidence(kind: String, name: String, leaf: String) throws {
        let good = try vectors.evidence(kind, name + (kind == "list" ? "-empty" : "-good"))
        let revoked = try vectors.evidence(kind, name + "-revoked")
        let other = try vectors.verdict("rsa-sha256", evidence: good)
        #expect(codes(other) == ["trust.revocation-unknown"])
        let accepted = try vectors.verdict(leaf, accepting: [.sha1], evidence: good)
        #expect(accepted.isTrusted && accepted.remarks.map(\.code).contains("weak-evidence-accepted"))
        #expect(try codes(vectors.verdict(leaf, accepting: [.sha1], evidence: revoked)) == ["trust.revoked"])
        #expect(try codes(vectors.verdict(leaf, evidence: revoked)).contains("trust.weak-signature"))
    }

    @Test("A list with MD5 shows nothing under any policy") func md5List() throws {
        let verdict = try vectors.verdict(
            "rsa-sha1", accepting: Set(TrustPolicy.Weakness.allCases),
            evidence: vectors.evidence("list", "rsa-md5-empty"))
        #expect(codes(verdict) == ["trust.revocation-unknown"])
    }

    @Test("A list of an authority with a short key counts if the policy accepts the key") func shortKeyList() throws {
        for (list, expected) in [("rsa1024-empty", []), ("rsa1024-revoked", ["trust.revoked"])] {
            let verdict = try vectors.verdict(
                "rsa1024", accepting: [.rsa1024], evidence: vectors.evidence("list", list))
            #expect(codes(verdict) == expected)
        }
    }
}
