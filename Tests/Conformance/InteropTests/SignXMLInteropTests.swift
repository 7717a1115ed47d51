// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Foundation
import Identities
import SwiftASN1
import Testing
import X509
import XMLSignature

/// signxml, a Python library based on lxml and OpenSSL, if scripts/interop/run has installed it.
enum SignXML {
    static let python = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".tools/signxml/bin/python").path

    static let isPresent = FileManager.default.isExecutableFile(atPath: python)
}

@Suite(.enabled(if: SignXML.isPresent, "signxml is missing: run make interop"))
struct SignXMLInteropTests {
    private static let document =
        "<a xmlns=\"urn:a\" xmlns:b=\"urn:b\"><b:c Id=\"c\" z='1' a=\"&#9;\">&lt;\u{e9} <!-- x --> </b:c></a>"

    /// Verifies a document with a certificate, and compares the signed bytes with those of this library.
    private static let verifying = """
        import os, signxml
        signed, certificate = os.environ["SIGNED"].encode(), os.environ["CERTIFICATE"]
        config = signxml.SignatureConfiguration(signature_methods=frozenset(signxml.SignatureMethod))
        result = signxml.XMLVerifier().verify(signed, x509_cert=certificate, expect_config=config)
        assert result.signed_data == os.environ["CONTENT"].encode(), result.signed_data
        """

    private static let signing = """
        import os, signxml
        from lxml import etree
        of = lambda values, name: next(value for value in values if value.value == os.environ[name])
        signer = signxml.XMLSigner(
            method=signxml.methods.enveloped, signature_algorithm=of(signxml.SignatureMethod, "ALGORITHM"),
            digest_algorithm=of(signxml.DigestAlgorithm, "DIGEST"), c14n_algorithm=of(signxml.CanonicalizationMethod, "METHOD"))
        root = etree.fromstring(os.environ["DOCUMENT"].encode())
        signed = signer.sign(root, key=os.environ["KEY"].encode(), cert=os.environ["CERTIFICATE"])
        open(os.environ["OUTPUT"], "wb").write(etree.tostring(signed))
        """

    static let rows: [(CertificateAuthority.KeyType, XMLSignatureAlgorithm, XMLDigestAlgorithm)] = [
        (.rsa2048, .rsaSHA256, .sha256), (.rsa2048, .rsaSHA384, .sha384), (.rsa2048, .rsaSHA512, .sha512),
        (.rsa2048, .pssSHA256, .sha3_256), (.rsa2048, .pssSHA384, .sha3_384), (.rsa2048, .pssSHA512, .sha3_512),
        (.p256, .ecdsaSHA256, .sha256), (.p384, .ecdsaSHA384, .sha384), (.p384, .ecdsaSHA512, .sha512),
    ]

    @Test("signxml verifies what we sign, and we verify what it signs", arguments: rows)
    func bothWays(keyType: CertificateAuthority.KeyType, algorithm: XMLSignatureAlgorithm, digest: XMLDigestAlgorithm)
        async throws
    {
        let identity = try CertificateAuthority.selfSigned(.server(names: ["a.test"], keyType: keyType), now: Date())
        let certificate = try identity.certificate.serializeAsPEM().pemString
        let verifier = SignatureVerifier(trusting: .key(identity.certificate.publicKey))
        // With comments, signxml 5.2 keeps those that a reference to the root element must exclude (section 4.4.3.3).
        for method in [CanonicalizationMethod.inclusive, .inclusive11, .exclusive] {
            var signer = SignatureSigner(
                key: try PrivateSigningKey(identity.privateKey, algorithm: algorithm), certificates: identity.chain)
            signer.canonicalization = Canonicalization(method)
            signer.digest = digest
            let signed = try await signer.sign(Array(Self.document.utf8))
            let content = try #require(try verifier.verify(signed).contents.first)
            try await Script.succeeds(
                "exec \"$PYTHON\" -c \"$PROGRAM\"",
                [
                    "PYTHON": SignXML.python, "PROGRAM": Self.verifying, "CERTIFICATE": certificate,
                    "SIGNED": String(decoding: signed, as: UTF8.self),
                    "CONTENT": String(decoding: content.bytes, as: UTF8.self),
                ])
        }
        let output = FileManager.default.temporaryDirectory.appending(path: "signxml-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        try await Script.succeeds(
            "exec \"$PYTHON\" -c \"$PROGRAM\"",
            [
                "PYTHON": SignXML.python, "PROGRAM": Self.signing, "CERTIFICATE": certificate,
                "KEY": try identity.privateKey.serializeAsPEM().pemString, "DOCUMENT": Self.document,
                "ALGORITHM": algorithm.rawValue, "DIGEST": digest.rawValue,
                "METHOD": CanonicalizationMethod.exclusive.rawValue, "OUTPUT": output.path,
            ])
        #expect(try verifier.verify(Array(try Data(contentsOf: output))).algorithm == algorithm)
    }
}
