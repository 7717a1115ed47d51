// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import Crypto
import CryptoExtras
import Foundation
import Identities
import SwiftASN1
import Testing
import X509
import XMLDocuments
import XMLSignature

/// Attacks in which a message would be verified with another key or algorithm than those of the policy.
@Suite struct KeyConfusionTests {
    private static let time = Date(timeIntervalSince1970: 1_790_000_000)
    private static let trusted = Result {
        try CertificateAuthority.selfSigned(.server(names: ["a.test"], keyType: .rsa2048), now: time)
    }

    private static func sign(_ key: any SigningKey, _ certificates: [Certificate] = []) async throws -> [UInt8] {
        try await SignatureSigner(key: key, certificates: certificates).sign(
            SigningTests.document, parts: [.element(identifier: "body")])
    }

    @Test("A public key in any form is refused as an HMAC secret") func publicKeyAsSecret() async throws {
        let key = try Self.trusted.get().certificate.publicKey
        let pem = try key.serializeAsPEM()
        for secret in [pem.derBytes, Array(pem.pemString.utf8), Array("\(pem.pemString)\n".utf8)] {
            let signed = try await Self.sign(try SharedSigningKey(secret))
            #expect(throws: XMLSignatureError.signatureMismatch) {
                try SignatureVerifier(trusting: .key(key)).verify(signed)
            }
        }
    }

    @Test("A certificate or key of the attacker in the message is ignored") func keyInMessage() async throws {
        let attacker = try CertificateAuthority.selfSigned(
            .server(names: ["a.test"], keyType: .rsa2048), now: Self.time)
        let trusted = try Self.trusted.get().certificate
        let evaluator = TrustEvaluator(
            policy: TrustPolicy(anchors: .only([trusted])), systemAnchors: AnchorStore([]))
        let certified = SignatureVerifier(
            trusting: .certificate(CertifiedSigner(evaluator: evaluator, known: [trusted], at: Self.time)))
        for certificates in [[attacker.certificate], [attacker.certificate, trusted], [trusted]] {
            let signed = try await Self.sign(try PrivateSigningKey(attacker.privateKey), certificates)
            #expect(throws: XMLSignatureError.signatureMismatch) {
                try SignatureVerifier(trusting: .key(trusted.publicKey)).verify(signed)
            }
            #expect(throws: XMLSignatureError.self) { try certified.verify(signed) }
        }
        let signed = try await Self.sign(try PrivateSigningKey(attacker.privateKey), [attacker.certificate, trusted])
        #expect { _ = try certified.verify(signed) } throws: { error in
            if case XMLSignatureError.untrustedSigner = error { true } else { false }
        }
    }

    @Test("An algorithm that the policy does not allow is refused before the signature is verified")
    func substitutedAlgorithm() async throws {
        let identity = try Self.trusted.get()
        let signed = String(
            decoding: try await Self.sign(try PrivateSigningKey(identity.privateKey)), as: UTF8.self)
        let verifier = SignatureVerifier(
            trusting: .key(identity.certificate.publicKey),
            policy: SignaturePolicy(algorithms: [.rsaSHA256], digests: [.sha256]))
        _ = try verifier.verify(Array(signed.utf8))
        for algorithm in XMLSignatureAlgorithm.allCases where algorithm != .rsaSHA256 {
            let changed = signed.replacing(XMLSignatureAlgorithm.rsaSHA256.rawValue, with: algorithm.rawValue)
            #expect(throws: XMLSignatureError.algorithmNotAllowed(algorithm.rawValue)) {
                try verifier.verify(Array(changed.utf8))
            }
        }
        for digest in XMLDigestAlgorithm.allCases where digest != .sha256 {
            let changed = signed.replacing(
                "DigestMethod Algorithm=\"\(XMLDigestAlgorithm.sha256.rawValue)",
                with: "DigestMethod Algorithm=\"\(digest.rawValue)")
            #expect(throws: XMLSignatureError.algorithmNotAllowed(digest.rawValue)) {
                try verifier.verify(Array(changed.utf8))
            }
        }
    }

    @Test("A comment does not truncate a value") func comments() async throws {
        let document = Array(
            "<a xmlns:e=\"urn:e\"><e:user Id=\"body\">admin<!-- -->@evil.test</e:user></a>".utf8)
        let key = try SharedSigningKey([1, 2, 3])
        let signed = try await SignatureSigner(key: key).sign(document, parts: [.element(identifier: "body")])
        let verified = try SignatureVerifier(trusting: .secret([1, 2, 3])).verify(signed)
        #expect(
            verified.contents.map { String(decoding: $0.bytes, as: UTF8.self) } == [
                "<e:user xmlns:e=\"urn:e\" Id=\"body\">admin@evil.test</e:user>"
            ])
        // A comment that is inserted later does not change the signed content.
        let commented = String(decoding: signed, as: UTF8.self).replacing("evil", with: "ev<!-- x -->il")
        let again = try SignatureVerifier(trusting: .secret([1, 2, 3])).verify(Array(commented.utf8))
        #expect(again.contents == verified.contents)
    }

    @Test("A reference that selects nothing is refused") func emptySelection() async throws {
        // The enveloped-signature transform removes the signature, which is the referenced element here.
        let enveloped = "<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>"
        let info = """
            <ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">\
            <ds:CanonicalizationMethod Algorithm="\(CanonicalizationMethod.exclusive.rawValue)"></ds:CanonicalizationMethod>\
            <ds:SignatureMethod Algorithm="\(XMLSignatureAlgorithm.hmacSHA256.rawValue)"></ds:SignatureMethod>\
            <ds:Reference URI="#s"><ds:Transforms>\(enveloped.replacing("/>", with: "></ds:Transform>"))</ds:Transforms>\
            <ds:DigestMethod Algorithm="\(XMLDigestAlgorithm.sha256.rawValue)"></ds:DigestMethod>\
            <ds:DigestValue>47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=</ds:DigestValue></ds:Reference></ds:SignedInfo>
            """
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(info.utf8), using: SymmetricKey(data: [1, 2, 3] as [UInt8]))
        let document = """
            <a><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Id="s">\(info)<ds:SignatureValue>\
            \(Data(code).base64EncodedString())</ds:SignatureValue></ds:Signature></a>
            """
        #expect(throws: XMLSignatureError.emptyReference(uri: "#s")) {
            try SignatureVerifier(trusting: .secret([1, 2, 3])).verify(Array(document.utf8))
        }
    }
}
