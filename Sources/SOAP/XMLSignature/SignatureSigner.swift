// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
internal import Encodings
internal import SwiftASN1
public import X509
public import XMLDocuments

/// Signs a document or elements of it (XML Signature 1.1 section 3.1).
///
/// ```swift
/// let signer = SignatureSigner(key: try PrivateSigningKey(identity.privateKey), certificates: identity.chain)
/// let signed = try await signer.sign(document)
/// ```
public struct SignatureSigner: Sendable {
    /// A signed part of a document.
    @nonexhaustive
    public enum Part: Hashable, Sendable {
        /// The entire document, except the signature that is added to it.
        case document
        /// The element with an identifier.
        ///
        /// The prefixes are those that occur in texts and attribute values of the element, because the exclusive method
        /// otherwise omits their declarations. `#default` represents the default namespace.
        case element(identifier: String, inclusivePrefixes: [String] = [])
        /// Bytes outside the document, which the verifier finds by the URI.
        case attachment(uri: String, bytes: [UInt8])
    }

    /// The signing key.
    public var key: any SigningKey
    /// The certificates that the signature contains as a hint about its key, the signer's first; none by default.
    public var certificates: [Certificate]
    /// The canonicalization of elements and of `SignedInfo`; by default the exclusive method, so that an element can be
    /// moved to another document.
    public var canonicalization = Canonicalization(.exclusive)
    /// The limits of the document's size, depth and features.
    public var limits = XMLLimits()
    /// The digest algorithm of the parts; SHA-256 by default.
    public var digest = XMLDigestAlgorithm.sha256
    /// The content of `KeyInfo`, which replaces the certificates: well-formed XML that declares its prefixes.
    package var keyInfo: String?

    /// Creates a signer with a key and the certificates that signatures contain.
    public init(key: any SigningKey, certificates: [Certificate] = []) {
        (self.key, self.certificates) = (key, certificates)
    }

    /// Signs parts of a document, and appends the signature to the content of an element.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - parts: The parts to sign; the document by default.
    ///   - path: The names from the root element down to the element that receives the signature; empty, the default,
    ///     for the root element.
    /// - Returns: The document with the signature, in UTF-8. Changing a signed part invalidates the signature.
    /// - Throws: ``XMLSignatureError``, and errors of the key.
    public func sign(
        _ document: [UInt8], parts: [Part] = [.document], into path: [XMLName] = []
    ) async throws -> [UInt8] {
        let tree = try XMLTree.parse(document, limits: limits)
        let place = try withDocumentErrors { () throws(XMLDocumentError) in try tree.element(at: path) }
        _ = try await sign(tree, parts: parts, into: place)
        return try withDocumentErrors { () throws(XMLDocumentError) in try tree.bytes }
    }

    /// Signs parts of a tree, and appends the signature to the content of an element.
    ///
    /// - Returns: The signature element.
    package func sign(
        _ tree: XMLTree, parts: [Part], into place: XMLElement
    ) async throws -> XMLElement {
        let skeleton = try XMLTree.parse(
            Array(try signature(of: parts, in: tree, into: place).utf8), limits: XMLLimits())
        defer { withExtendedLifetime(skeleton) {} }
        let signature = try withDocumentErrors { () throws(XMLDocumentError) in try place.append(skeleton.root) }
        let signed = try canonicalization.bytes(
            of: NodeSelection(tree: tree, top: signature.only(.ds("SignedInfo")), hasComments: true))
        let value = try await key.signature(of: signed)
        let valueElement = try signature.only(.ds("SignatureValue"))
        try withDocumentErrors { () throws(XMLDocumentError) in
            try valueElement.append(text: Base64.encode(value))
        }
        return signature
    }

    /// Returns the text of a signature without its value.
    private func signature(
        of parts: [Part], in tree: XMLTree, into place: XMLElement
    ) throws(XMLSignatureError) -> String {
        let identifiers = try IdentifierTable(tree)
        var references = ""
        for part in parts { references += try reference(to: part, in: tree, identifiers, place) }
        var keyInfo = self.keyInfo.map { "<ds:KeyInfo>\($0)</ds:KeyInfo>" } ?? ""
        if self.keyInfo == nil, !certificates.isEmpty {
            keyInfo = "<ds:KeyInfo><ds:X509Data>\(try encodedCertificates)</ds:X509Data></ds:KeyInfo>"
        }
        return """
            <ds:Signature xmlns:ds="\(XMLName.signatureNamespace)"><ds:SignedInfo>\
            \(canonicalization.element("ds:CanonicalizationMethod"))\
            <ds:SignatureMethod Algorithm="\(key.algorithm.rawValue)"/>\(references)</ds:SignedInfo>\
            <ds:SignatureValue/>\(keyInfo)</ds:Signature>
            """
    }

    private static let enveloped = "<ds:Transform Algorithm=\"\(Transform.envelopedURI)\"/>"

    private var encodedCertificates: String {
        get throws(XMLSignatureError) {
            var texts = ""
            for certificate in certificates {
                guard let der = try? certificate.serializeAsPEM().derBytes else { throw .unusableKey }
                texts += "<ds:X509Certificate>\(Base64.encode(der))</ds:X509Certificate>"
            }
            return texts
        }
    }

    private func reference(
        to part: Part, in tree: XMLTree, _ identifiers: IdentifierTable, _ place: XMLElement
    ) throws(XMLSignatureError) -> String {
        let (uri, transforms, bytes): (String, String, [UInt8])
        switch part {
        case .document:
            uri = ""
            transforms =
                Self.enveloped + canonicalization.element("ds:Transform")
            bytes = try canonicalization.bytes(of: NodeSelection(tree: tree, hasComments: false))
        case .element(let identifier, let prefixes):
            uri = "#\(identifier)"
            var canonicalization = canonicalization
            for prefix in prefixes where !canonicalization.inclusivePrefixes.contains(prefix) {
                canonicalization.inclusivePrefixes.append(prefix)
            }
            guard let element = identifiers[identifier] else { throw .notFound(uri: uri) }
            // A signature inside the signed element must not sign itself.
            let isAround = sequence(first: place, next: \.parent).contains(element)
            transforms = (isAround ? Self.enveloped : "") + canonicalization.element("ds:Transform")
            bytes = try canonicalization.bytes(of: NodeSelection(tree: tree, top: element, hasComments: false))
        case .attachment(let name, let content): (uri, transforms, bytes) = (name, "", content)
        }
        return """
            <ds:Reference URI="\(uri.xmlEscaped)">\(transforms.isEmpty ? "" : "<ds:Transforms>\(transforms)</ds:Transforms>")\
            <ds:DigestMethod Algorithm="\(digest.rawValue)"/>\
            <ds:DigestValue>\(Base64.encode(digest.digest(bytes)))</ds:DigestValue></ds:Reference>
            """
    }
}

extension Canonicalization {
    /// Returns an element with the given name and this method as its algorithm.
    fileprivate func element(_ name: String) -> String {
        guard !inclusivePrefixes.isEmpty else { return "<\(name) Algorithm=\"\(method.rawValue)\"/>" }
        let list = inclusivePrefixes.joined(separator: " ").xmlEscaped
        return """
            <\(name) Algorithm="\(method.rawValue)"><ec:InclusiveNamespaces \
            xmlns:ec="\(XMLName.exclusiveNamespace)" PrefixList="\(list)"/></\(name)>
            """
    }
}
