// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLSignature

/// Documents in canonical form that are signed completely or in part, and key hints.
enum SignatureSeeds {
    static let secret: [UInt8] = [1, 2, 3]

    private static let head = "<e:Header></e:Header>"
    private static let rest = " Id=\"body\">text &amp; <x a=\"1\"></x></e:Body>"
    private static let document = "<e:Envelope xmlns:e=\"urn:e\">\(head)<e:Body\(rest)</e:Envelope>"

    /// All signed contents.
    static let contents = Set([document, "<e:Body xmlns:e=\"urn:e\"\(rest)"].map { Array($0.utf8) })

    static func all() async throws -> [[UInt8]] {
        var seeds = [Array(hints.utf8)]
        for method in CanonicalizationMethod.allCases {
            var signer = SignatureSigner(key: try SharedSigningKey(secret))
            signer.canonicalization = Canonicalization(method)
            seeds.append(
                try await signer.sign(Array(document.utf8), parts: [.document, .element(identifier: "body")]))
        }
        return seeds
    }

    private static let hints = """
        <!DOCTYPE d [<!ENTITY e "text"><!ATTLIST x Id ID #IMPLIED>]><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><KeyInfo>\
        <KeyName>&e;</KeyName><KeyValue><RSAKeyValue><Modulus>AQAB</Modulus><Exponent>AQAB</Exponent></RSAKeyValue></KeyValue>\
        <RetrievalMethod URI="#x"/><X509Data Id="x"><X509Certificate>MAA=</X509Certificate></X509Data></KeyInfo></Signature>
        """
}
