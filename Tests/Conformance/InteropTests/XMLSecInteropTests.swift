// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import Testing
import X509
import XMLSignature

/// Tests in which xmlsec's program and this library verify each other's signatures.
@Suite(.enabled(if: isInstalled("xmlsec1"), "xmlsec1 is missing: run make interop"))
struct XMLSecInteropTests {
    /// A key and its algorithms that xmlsec 1.2 supports too.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let key: Certificate.PrivateKey
        let algorithms: [XMLSignatureAlgorithm]

        var testDescription: String { name }
    }

    static func rows() throws -> [Row] {
        let curves: [XMLSignatureAlgorithm] = [.ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512]
        let rsa: [XMLSignatureAlgorithm] = [.rsaSHA1, .rsaSHA256, .rsaSHA384, .rsaSHA512]
        return [
            Row(name: "RSA", key: .init(try _RSA.Signing.PrivateKey(keySize: .bits2048)), algorithms: rsa),
            Row(name: "P-256", key: .init(P256.Signing.PrivateKey()), algorithms: curves),
            Row(name: "P-384", key: .init(P384.Signing.PrivateKey()), algorithms: curves),
            Row(name: "P-521", key: .init(P521.Signing.PrivateKey()), algorithms: curves),
        ]
    }

    private static let digests: [XMLDigestAlgorithm] = [.sha1, .sha224, .sha256, .sha384, .sha512]
    private static let body =
        "<b:Body xmlns:b=\"urn:b\" Id=\"body\" z='1' a=\"&#xD;&#9;2\"> &lt;data> <!-- c --><x xmlns=\"\"/>\u{e9}&#xD;</b:Body>"
    private static let document =
        "<Envelope xmlns=\"urn:e\" xmlns:unused=\"urn:u\" xml:lang=\"en\"><Header/>\(body)</Envelope>"
    private static let legacy = SignaturePolicy(
        algorithms: Set(XMLSignatureAlgorithm.allCases), digests: Set(XMLDigestAlgorithm.allCases))

    @Test(
        "xmlsec verifies this library's signatures with each key, algorithm and canonicalization", arguments: try rows()
    )
    func signedHere(row: Row) async throws {
        var script = "printf '%s' \"$KEY\" > key.pem\n"
        var variables = ["KEY": try row.key.publicKey.serializeAsPEM().pemString]
        for algorithm in row.algorithms {
            for (index, method) in CanonicalizationMethod.allCases.enumerated() {
                var signer = SignatureSigner(key: try PrivateSigningKey(row.key, algorithm: algorithm))
                signer.canonicalization = Canonicalization(
                    method, inclusivePrefixes: method == .exclusive ? ["unused"] : [])
                signer.digest = Self.digests[index % Self.digests.count]
                let signed = try await signer.sign(
                    Array(Self.document.utf8), parts: [.document, .element(identifier: "body")])
                let name = "D\(variables.count)"
                variables[name] = String(decoding: signed, as: UTF8.self)
                script += "printf '%s' \"$\(name)\" > \(name) && "
                script +=
                    "xmlsec1 --verify --pubkey-pem key.pem --id-attr:Id urn:b:Body \(name) || exit \(variables.count)\n"
            }
        }
        try await Script.succeeds(script + "exit 0", variables)
    }

    @Test("This library verifies xmlsec's signatures with each algorithm and canonicalization", arguments: try rows())
    func signedThere(row: Row) async throws {
        for algorithm in row.algorithms {
            for (index, method) in CanonicalizationMethod.allCases.enumerated() {
                let digest = Self.digests[index % Self.digests.count]
                let signed = try await Self.signedByXMLSec(
                    Self.template(algorithm, method, digest), key: "--privkey-pem",
                    try row.key.serializeAsPEM().pemString)
                let verifier = SignatureVerifier(trusting: .key(row.key.publicKey), policy: Self.legacy)
                let verified = try verifier.verify(signed)
                #expect(verified.algorithm == algorithm)
                #expect(verified.contents.map { $0.path.map(\.local) } == [["Envelope"], ["Envelope", "Body"]])
            }
        }
    }

    @Test(
        "Signatures with a shared secret verify in both directions",
        arguments: [.hmacSHA1, .hmacSHA224, .hmacSHA256, .hmacSHA384, .hmacSHA512] as [XMLSignatureAlgorithm])
    func secret(algorithm: XMLSignatureAlgorithm) async throws {
        let secret = "a secret"
        let signer = SignatureSigner(key: try SharedSigningKey(Array(secret.utf8), algorithm: algorithm))
        let signed = String(decoding: try await signer.sign(Array(Self.document.utf8)), as: UTF8.self)
        try await Script.succeeds(
            "printf '%s' \"$KEY\" > key; printf '%s' \"$SIGNED\" > signed; exec xmlsec1 --verify --hmackey key signed",
            ["KEY": secret, "SIGNED": signed])
        let other = try await Self.signedByXMLSec(
            Self.template(algorithm, .exclusive, .sha256), key: "--hmackey", secret)
        _ = try SignatureVerifier(trusting: .secret(Array(secret.utf8)), policy: Self.legacy).verify(other)
    }

    private static func template(
        _ algorithm: XMLSignatureAlgorithm, _ method: CanonicalizationMethod, _ digest: XMLDigestAlgorithm
    ) -> String {
        let canonical = "<Transform Algorithm=\"\(method.rawValue)\"/>"
        let rest = "<DigestMethod Algorithm=\"\(digest.rawValue)\"/><DigestValue/></Reference>"
        return document.replacing(
            "</Envelope>",
            with: """
                <Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo>\
                <CanonicalizationMethod Algorithm="\(method.rawValue)"/><SignatureMethod Algorithm="\(algorithm.rawValue)"/>
                <Reference URI=""><Transforms><Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>\
                \(canonical)</Transforms>\(rest)<Reference URI="#body"><Transforms>\(canonical)</Transforms>\(rest)\
                </SignedInfo><SignatureValue/></Signature></Envelope>
                """)
    }

    private static func signedByXMLSec(_ template: String, key option: String, _ key: String) async throws -> [UInt8] {
        let output = FileManager.default.temporaryDirectory.appending(path: "xmlsec-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        try await Script.succeeds(
            """
            printf '%s' "$KEY" > key; printf '%s' "$TEMPLATE" > template
            exec xmlsec1 --sign $OPTION key --id-attr:Id urn:b:Body --output "$OUTPUT" template
            """, ["KEY": key, "TEMPLATE": template, "OPTION": option, "OUTPUT": output.path])
        return Array(try Data(contentsOf: output))
    }
}
