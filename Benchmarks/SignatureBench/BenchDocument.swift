// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import X509
import XMLSignature

/// A message with a body of about the given size, and the signed message.
struct BenchDocument {
    let name: String
    let document: [UInt8]
    let signed: [UInt8]

    static let header = [XMLName("Envelope", in: soap), XMLName("Header", in: soap)]
    private static let soap = "http://schemas.xmlsoap.org/soap/envelope/"

    init(_ name: String, bytes: Int, signer: SignatureSigner) async throws {
        self.name = name
        document = Array(Self.text(bytes: bytes, header: "").utf8)
        signed = try await Self.sign(document, signer)
    }

    static func sign(_ document: [UInt8], _ signer: SignatureSigner) async throws -> [UInt8] {
        try await signer.sign(document, parts: [.element(identifier: "body")], into: header)
    }

    /// Writes the files that the other programs read.
    func write(to folder: URL) throws -> String {
        let prefix = folder.appending(path: name.replacing(" ", with: "")).path
        let template = String(decoding: document, as: UTF8.self)
            .replacing("<s:Header></s:Header>", with: "<s:Header>\(Self.template)</s:Header>", maxReplacements: 1)
        for (part, bytes) in [("document", document), ("template", Array(template.utf8)), ("signed", signed)] {
            try Data(bytes).write(to: URL(filePath: "\(prefix)-\(part).xml"))
        }
        return prefix
    }

    private static func text(bytes: Int, header: String) -> String {
        var items = ""
        var number = 0
        while items.utf8.count < bytes {
            number += 1
            items += """
                <b:item number="\(number)" kind="transfer"><b:account>CH93 0076 2011 6238 5295 7</b:account>\
                <b:amount currency="CHF">\(number * 37 % 10_007).50</b:amount>
                <b:note>Rent &amp; costs for &lt;\(number)&gt;</b:note></b:item>
                """
        }
        return """
            <s:Envelope xmlns:s="\(soap)"><s:Header>\(header)</s:Header><s:Body Id="body">\
            <b:pay xmlns:b="urn:example:bank" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\(items)</b:pay>\
            </s:Body></s:Envelope>
            """
    }

    private static let template = """
        <ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>\
        <ds:CanonicalizationMethod Algorithm="\(CanonicalizationMethod.exclusive.rawValue)"/>\
        <ds:SignatureMethod Algorithm="\(XMLSignatureAlgorithm.rsaSHA256.rawValue)"/><ds:Reference URI="#body">\
        <ds:Transforms><ds:Transform Algorithm="\(CanonicalizationMethod.exclusive.rawValue)"/></ds:Transforms>\
        <ds:DigestMethod Algorithm="\(XMLDigestAlgorithm.sha256.rawValue)"/><ds:DigestValue/></ds:Reference>\
        </ds:SignedInfo><ds:SignatureValue/></ds:Signature>
        """
}
