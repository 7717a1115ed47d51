// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import XMLSignature
import XMLDocuments

@Suite struct AttackTests {
    private static let secret = Array("secret".utf8)
    private static let verifier = SignatureVerifier(trusting: .secret(secret))

    private static func signed(_ parts: [SignatureSigner.Part] = [.element(identifier: "body")]) async throws -> String
    {
        let signer = SignatureSigner(key: try SharedSigningKey(secret))
        return String(
            decoding: try await signer.sign(SigningTests.document, parts: parts, into: SigningTests.header),
            as: UTF8.self)
    }

    private static func error(_ text: String) -> XMLSignatureError? {
        do {
            _ = try verifier.verify(Array(text.utf8))
            return nil
        } catch { return error }
    }

    @Test(
        "A changed document is refused",
        arguments: [
            ("more</text>", "less</text>", .digestMismatch(uri: "#body")),
            ("URI=\"#body\"", "URI=\"#xpointer(id('body'))\"", .signatureMismatch),
            ("<e:Header>", "<!DOCTYPE e>", nil),
            ("Id=\"body\"", "Id=\"other\"", .notFound(uri: "#body")),
            (
                "#hmac-sha256\"/>", "#hmac-sha256\"><ds:HMACOutputLength>40</ds:HMACOutputLength></ds:SignatureMethod>",
                .truncatedCode
            ),
            ("#hmac-sha256\"", "#hmac-md5\"", .unsupportedAlgorithm("http://www.w3.org/2001/04/xmldsig-more#hmac-md5")),
            ("xmldsig-more#hmac-sha256\"", "xmldsig-more#rsa-sha256\"", .signatureMismatch),
            (
                "xmlenc#sha256\"", "xmldsig-more#md5\"",
                .unsupportedAlgorithm("http://www.w3.org/2001/04/xmldsig-more#md5")
            ),
            ("<ds:DigestValue>", "<ds:DigestValue><!-- -->", .malformedSignature(element: "DigestValue", line: 2)),
            (
                "</ds:SignedInfo>", "</ds:SignedInfo><ds:SignedInfo/>",
                .malformedSignature(element: "Signature", line: 2)
            ),
            ("URI=\"#body\"", "URI=\"http://127.0.0.1/\"", .signatureMismatch),
            (
                "<e:Header>", "<e:Header><ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"/>",
                .severalSignatures(count: 2)
            ),
            ("<text ", "<text Id=\"body\" ", .duplicateIdentifier("body")),
        ] as [(String, String, XMLSignatureError?)])
    func changes(old: String, new: String, expected: XMLSignatureError?) async throws {
        let document = try await Self.signed()
        let changed = document.replacingOccurrences(of: old, with: new)
        try #require(changed != document)
        let error = Self.error(changed)
        if let expected { #expect(error == expected) } else { #expect(error != nil) }
    }

    @Test("A document type declaration is refused, with and without entities")
    func documentTypes() {
        let bomb =
            "<!ENTITY a '1234567890'>"
            + (1...9).map { "<!ENTITY a\($0) '\(String(repeating: "&a;", count: 10))'>" }.joined()
        for type in ["<!DOCTYPE e>", "<!DOCTYPE e SYSTEM 'file:///etc/passwd'>", "<!DOCTYPE e [\(bomb)]>"] {
            #expect(Self.error("\(type)<e/>") == .document(.documentType))
        }
        var policy = SignaturePolicy()
        policy.limits.allowsDocumentType = true
        let lenient = SignatureVerifier(trusting: .secret([1]), policy: policy)
        #expect(throws: XMLSignatureError.document(.externalEntity)) {
            try lenient.verify(Array("<!DOCTYPE e [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><e>&x;</e>".utf8))
        }
        #expect(throws: XMLSignatureError.noSignature) {
            try lenient.verify(Array("<!DOCTYPE e [<!ENTITY x 'text'>]><e>&x;</e>".utf8))
        }
    }

    @Test("The size of documents is limited")
    func bounds() {
        let deep = String(repeating: "<a>", count: 257) + String(repeating: "</a>", count: 257)
        #expect(Self.error(deep) == .document(.tooDeep(depth: 256)))
        let wide = (0...1_000).map { " a\($0)=''" }.joined()
        #expect(Self.error("<a\(wide)/>") == .document(.tooManyAttributes(limit: 1_000)))
        let names = (0..<300).map { " xmlns:a\($0)=\"urn:a\"" }.joined()
        #expect(Self.error("<a><a\(names)><a\(names)/></a></a>") == .document(.tooManyNamespaces(limit: 500)))
        #expect(Self.error("<a><a\(names)/><a\(names)/></a>") == .noSignature)
        var policy = SignaturePolicy()
        policy.limits.maximumByteCount = 10
        let small = SignatureVerifier(trusting: .secret([1]), policy: policy)
        #expect(throws: XMLSignatureError.document(.tooLarge(maximumByteCount: 10))) {
            try small.verify(Array("<abcdefgh/>".utf8))
        }
        #expect(Self.error("<a/>") == .noSignature)
        #expect(Self.error("") == .document(.malformed(line: 1, problem: "Document is empty")))
        #expect(
            Self.error("<a>\n<p:b/></a>")
                == .document(.malformed(line: 2, problem: "Namespace prefix p on b is not defined")))
        #expect(
            Self.error("<a>\n<b></a>")
                == .document(.malformed(line: 2, problem: "Opening and ending tag mismatch: b line 2 and a")))
    }

    @Test("A moved signed body does not sign the one in its place") func wrapping() async throws {
        let document = try await Self.signed()
        let start = try #require(document.range(of: "<e:Body"))
        let end = try #require(document.range(of: "</e:Body>"))
        let body = document[start.lowerBound..<end.upperBound]
        let evil = "<e:Body Id=\"evil\"><text>evil</text></e:Body>"
        for place in ["</e:Header>", "</ds:Signature>"] {
            var wrapped = document
            wrapped.replaceSubrange(start.lowerBound..<end.upperBound, with: evil)
            let wrapper = place == "</ds:Signature>" ? "<ds:Object>\(body)</ds:Object>" : "<wrapper>\(body)</wrapper>"
            wrapped = wrapped.replacingOccurrences(of: place, with: wrapper + place)
            let content = try #require(try Self.verifier.verify(Array(wrapped.utf8)).contents.first)
            // The path shows that the signed element is not the Body; its bytes are the signed bytes.
            #expect(content.path.map(\.local) != ["Envelope", "Body"])
            #expect(!String(decoding: content.bytes, as: UTF8.self).contains("evil"))
        }
    }

    @Test("Expensive documents are refused before the signer is known") func costs() async throws {
        let document = try await Self.signed()
        let empty = "<ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"/>"
        let full = empty.dropLast(2) + ">" + String(repeating: "<a/>", count: 1_001) + "</ds:DigestMethod>"
        try #require(document.contains(empty))
        #expect(Self.error(document.replacing(empty, with: full)) == .tooManyElements(limit: 1_000))
        let prefixes = String(repeating: "a ", count: 101)
        let method = "<ds:CanonicalizationMethod Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/>"
        try #require(document.contains(method))
        let inclusive =
            "<i:InclusiveNamespaces xmlns:i=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"\(prefixes)\"/>"
        let long = method.dropLast(2) + ">" + inclusive + "</ds:CanonicalizationMethod>"
        #expect(
            Self.error(document.replacing(method, with: long))
                == .malformedSignature(element: "InclusiveNamespaces", line: 2))
        let names = String(repeating: "<ds:KeyName>a</ds:KeyName>", count: 100)
        let hints = document.replacing(
            "</ds:SignatureValue>", with: "</ds:SignatureValue><ds:KeyInfo>\(names)</ds:KeyInfo>")
        #expect(try KeyHints(document: Array(hints.utf8)).names.count == 50)
    }

    @Test("An enveloped signature verifies") func enveloped() async throws {
        let signer = SignatureSigner(key: try SharedSigningKey(Self.secret))
        let signed = try await signer.sign(
            Array("<r ID=\"r\"><a ID=\"a\"/></r>".utf8),
            parts: [.element(identifier: "r"), .element(identifier: "a")])
        #expect(try Self.verifier.verify(signed).contents.map(\.uri) == ["#r", "#a"])
    }
}
