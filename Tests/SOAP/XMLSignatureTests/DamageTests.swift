// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import Testing
import X509
import XMLSignature

@Suite struct DamageTests {
    private static let verifier = SignatureVerifier(
        trusting: .secret([1, 2, 3]), policy: SignaturePolicy(allowsXPath: true))

    @Test("A document with a changed or missing byte is refused, or its signed content is unchanged") func damage()
        async throws
    {
        let signer = SignatureSigner(key: try SharedSigningKey([1, 2, 3]))
        let signed = try await signer.sign(SigningTests.document, parts: [.element(identifier: "body")])
        let contents = try Self.verifier.verify(signed).contents
        for index in signed.indices {
            for change in [
                { $0[index] ^= 0x04 }, { $0[index] = 0x3C }, { $0.remove(at: index) }, { $0.removeSubrange(index...) },
            ]
                as [(inout [UInt8]) -> Void]
            {
                var changed = signed
                change(&changed)
                if let verified = try? Self.verifier.verify(changed) {
                    #expect(verified.contents.map(\.bytes) == contents.map(\.bytes))
                }
            }
        }
    }

    @Test("An expression that takes too long is refused, and so is one that selects no nodes", .timeLimit(.minutes(1)))
    func xpath() throws {
        let many = String(repeating: "<a><b/></a>", count: 3_000)
        for expression in [
            "count(//*[count(//*[count(//*) > 0]) > 0]) > 0", "here(1)", "1 +", "1)] | //*[(1", "unknown()",
        ] {
            let document = """
                <d>\(many)<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo>\
                <CanonicalizationMethod Algorithm="\(CanonicalizationMethod.exclusive.rawValue)"/>\
                <SignatureMethod Algorithm="\(XMLSignatureAlgorithm.hmacSHA256.rawValue)"/><Reference URI=""><Transforms>\
                <Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><XPath>\
                \(expression.replacing(">", with: "&gt;"))</XPath></Transform></Transforms>\
                <DigestMethod Algorithm="\(XMLDigestAlgorithm.sha256.rawValue)"/><DigestValue>AA==</DigestValue>\
                </Reference></SignedInfo><SignatureValue>CODE</SignatureValue></Signature></d>
                """
            let start = try #require(document.range(of: "<SignedInfo>")?.lowerBound)
            let end = try #require(document.range(of: "</SignedInfo>")?.upperBound)
            // Apart from the namespace and empty elements, this part is already in canonical form.
            let info = document[start..<end].replacing(
                "<SignedInfo>", with: "<SignedInfo xmlns=\"http://www.w3.org/2000/09/xmldsig#\">"
            )
            .replacing(#/<(\w+)([^<>]*)/>/#) { "<\($0.1)\($0.2)></\($0.1)>" }
            let code = HMAC<SHA256>.authenticationCode(
                for: Data(info.utf8), using: SymmetricKey(data: [1, 2, 3] as [UInt8]))
            let signed = document.replacing("CODE", with: Data(code).base64EncodedString())
            #expect(throws: XMLSignatureError.malformedXPath(line: 1)) { try Self.verifier.verify(Array(signed.utf8)) }
        }
    }
}
