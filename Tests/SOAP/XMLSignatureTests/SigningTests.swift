// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import Crypto
import CryptoExtras
import Foundation
import Identities
import Testing
import X509
import XMLSignature
import XMLDocuments

@Suite struct SigningTests {
    static let document = Array(
        """
        <e:Envelope xmlns:e="urn:e" xmlns="urn:d"><e:Header/><e:Body Id="body"><text a='1'  b="&#10;x">\
        &lt;data> &amp; <!-- a comment -->more</text></e:Body></e:Envelope>
        """.utf8)
    static let header = [XMLName("Envelope", in: "urn:e"), XMLName("Header", in: "urn:e")]

    private static func keys() throws -> [(Certificate.PrivateKey, [XMLSignatureAlgorithm])] {
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let curves: [XMLSignatureAlgorithm] = [.ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512]
        return [
            (
                Certificate.PrivateKey(rsa),
                [.rsaSHA1, .rsaSHA256, .rsaSHA384, .rsaSHA512, .pssSHA1, .pssSHA256, .pssSHA384, .pssSHA512]
            ),
            (Certificate.PrivateKey(P256.Signing.PrivateKey()), curves),
            (Certificate.PrivateKey(P384.Signing.PrivateKey()), curves),
            (Certificate.PrivateKey(P521.Signing.PrivateKey()), curves),
            (Certificate.PrivateKey(Curve25519.Signing.PrivateKey()), [.ed25519]),
        ]
    }

    @Test("A signature verifies with its public key, and with no other key", arguments: try keys())
    func publicKeys(key: Certificate.PrivateKey, algorithms: [XMLSignatureAlgorithm]) async throws {
        let other = Certificate.PrivateKey(P256.Signing.PrivateKey()).publicKey
        for algorithm in algorithms {
            let policy = SignaturePolicy(algorithms: [algorithm])
            let signer = SignatureSigner(key: try PrivateSigningKey(key, algorithm: algorithm))
            let signed = try await signer.sign(Self.document)
            let verified = try SignatureVerifier(trusting: .key(key.publicKey), policy: policy).verify(signed)
            #expect(verified.algorithm == algorithm)
            #expect(verified.contents.count == 1)
            #expect(throws: XMLSignatureError.signatureMismatch) {
                try SignatureVerifier(trusting: .key(other), policy: policy).verify(signed)
            }
        }
    }

    @Test(
        "A shared secret signs with each HMAC",
        arguments: [.hmacSHA1, .hmacSHA224, .hmacSHA256, .hmacSHA384, .hmacSHA512] as [XMLSignatureAlgorithm])
    func secret(algorithm: XMLSignatureAlgorithm) async throws {
        let signer = SignatureSigner(key: try SharedSigningKey(Array("secret".utf8), algorithm: algorithm))
        let signed = try await signer.sign(Self.document)
        let policy = SignaturePolicy(algorithms: [algorithm])
        _ = try SignatureVerifier(trusting: .secret(Array("secret".utf8)), policy: policy).verify(signed)
        #expect(throws: XMLSignatureError.signatureMismatch) {
            try SignatureVerifier(trusting: .secret(Array("other".utf8)), policy: policy).verify(signed)
        }
    }

    @Test(
        "An element is signed with each canonicalization, and verification returns its bytes",
        arguments: CanonicalizationMethod.allCases)
    func element(method: CanonicalizationMethod) async throws {
        let secret = Array("secret".utf8)
        var signer = SignatureSigner(key: try SharedSigningKey(secret))
        signer.canonicalization = Canonicalization(method)
        let signed = try await signer.sign(Self.document, parts: [.element(identifier: "body")], into: Self.header)
        let content = try #require(try SignatureVerifier(trusting: .secret(secret)).verify(signed).contents.first)
        #expect(content.path.map(\.local) == ["Envelope", "Body"])
        let isExclusive = method == .exclusive || method == .exclusiveWithComments
        #expect(
            String(decoding: content.bytes, as: UTF8.self)
                == (isExclusive
                    ? #"<e:Body xmlns:e="urn:e" Id="body"><text xmlns="urn:d" a="1" b="&#xA;x">"#
                    : #"<e:Body xmlns="urn:d" xmlns:e="urn:e" Id="body"><text a="1" b="&#xA;x">"#)
                + "&lt;data&gt; &amp; more</text></e:Body>")
    }

    @Test(
        "A signed element's path contains its position among elements with the same name",
        arguments: [
            ("<R><A ID='a'/><A ID='b'/></R>", "R/A[2]"), ("<R><A ID='b'/><A ID='a'/></R>", "R/A[1]"),
            ("<R><A ID='b'/></R>", "R/A"),
            ("<R><L><A ID='a'/></L><L><A ID='b'/></L></R>", "R/L[2]/A"),
            ("<R><A/><p:A xmlns:p='urn:p' ID='b'/></R>", "R/A[2]"),
        ])
    func location(document: String, location: String) async throws {
        let secret = Array("secret".utf8)
        let signer = SignatureSigner(key: try SharedSigningKey(secret))
        let signed = try await signer.sign(Array(document.utf8), parts: [.element(identifier: "b")])
        let verified = try SignatureVerifier(trusting: .secret(secret)).verify(signed)
        #expect(verified.contents.map(\.location) == [location])
    }

    @Test("A signer is trusted by a certificate that chains to an anchor") func certificate() async throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let root = try CertificateAuthority(name: "Root", now: now)
        let lower = try root.issueIntermediate(name: "Lower", now: now)
        let identity = try lower.issue(.client(name: "Signer"), now: now)
        let signer = SignatureSigner(key: try PrivateSigningKey(identity.privateKey), certificates: identity.chain)
        let signed = try await signer.sign(Self.document)
        func verify(_ anchor: CertificateAuthority, at time: Date = now) throws -> VerifiedSignature {
            let evaluator = TrustEvaluator(
                policy: TrustPolicy(anchors: .only([anchor.root])), systemAnchors: AnchorStore([]))
            return try SignatureVerifier(trusting: .certificate(CertifiedSigner(evaluator: evaluator, at: time)))
                .verify(signed)
        }
        #expect(try verify(root).certificate == identity.certificate)
        let other = try CertificateAuthority(name: "Root", now: now)
        #expect { _ = try verify(other) } throws: { error in
            if case XMLSignatureError.untrustedSigner = error { true } else { false }
        }
        #expect { _ = try verify(root, at: now + 10 * 366 * 86_400) } throws: { error in
            if case XMLSignatureError.untrustedSigner = error { true } else { false }
        }
        #expect(try KeyHints(document: signed).certificates == identity.chain)
    }

    @Test("A signed attachment must not be changed") func attachment() async throws {
        let secret = Array("secret".utf8)
        let signer = SignatureSigner(key: try SharedSigningKey(secret))
        let bytes = [UInt8](0...255)
        let signed = try await signer.sign(
            Self.document, parts: [.attachment(uri: "cid:a&b", bytes: bytes), .element(identifier: "body")])
        let verifier = SignatureVerifier(trusting: .secret(secret))
        #expect(try verifier.verify(signed, attachments: ["cid:a&b": bytes]).contents[0].bytes == bytes)
        #expect(throws: XMLSignatureError.digestMismatch(uri: "cid:a&b")) {
            try verifier.verify(signed, attachments: ["cid:a&b": [1]])
        }
        #expect(throws: XMLSignatureError.externalReference(uri: "cid:a&b")) { try verifier.verify(signed) }
    }

    @Test("The path selects one of several signatures") func several() async throws {
        let (first, second) = (Array("first".utf8), Array("second".utf8))
        let once = try await SignatureSigner(key: try SharedSigningKey(first))
            .sign(Self.document, parts: [.element(identifier: "body")], into: Self.header)
        let twice = try await SignatureSigner(key: try SharedSigningKey(second))
            .sign(once, parts: [.element(identifier: "body")])
        let signature = XMLName("Signature", in: "http://www.w3.org/2000/09/xmldsig#")
        for (secret, path) in [(first, Self.header + [signature]), (second, Self.header.prefix(1) + [signature])] {
            let verifier = SignatureVerifier(trusting: .secret(secret))
            #expect(try verifier.verify(twice, signature: Array(path)).contents.map(\.uri) == ["#body"])
            #expect(throws: XMLSignatureError.severalSignatures(count: 2)) { try verifier.verify(twice) }
            #expect(throws: XMLSignatureError.noSignature) { try verifier.verify(twice, signature: Self.header) }
            #expect(throws: XMLSignatureError.document(.noElement(path: [signature]))) {
                try verifier.verify(twice, signature: [signature])
            }
        }
    }

    @Test("The error names the part that cannot be signed") func refusals() async throws {
        let signer = SignatureSigner(key: try SharedSigningKey([1]))
        await #expect(throws: XMLSignatureError.notFound(uri: "#head")) {
            try await signer.sign(Self.document, parts: [.element(identifier: "head")])
        }
        await #expect(throws: XMLSignatureError.document(.noElement(path: [XMLName("Envelope")]))) {
            try await signer.sign(Self.document, into: [XMLName("Envelope")])
        }
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        #expect(throws: XMLSignatureError.unusableKey) { try PrivateSigningKey(key, algorithm: .rsaSHA256) }
        #expect(throws: XMLSignatureError.unusableKey) { try SharedSigningKey([1], algorithm: .rsaSHA256) }
    }
}
