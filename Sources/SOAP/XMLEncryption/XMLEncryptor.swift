// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
package import Crypto
internal import Encodings
internal import SwiftASN1
public import X509
public import XMLDocuments
internal import XMLSignature

/// Encrypts elements of a document for a recipient (XML Encryption 1.1 section 4.3).
///
/// ```swift
/// let encryptor = XMLEncryptor(for: .certificate(certificate))
/// let encrypted = try encryptor.encrypt(document, at: path)
/// ```
public struct XMLEncryptor: Sendable {
    /// The recipient, who can decrypt the message.
    @nonexhaustive
    public enum Recipient: Sendable {
        /// The holder of a certificate's private key, which must be an RSA key. By default, RSA-OAEP with SHA-1
        /// encrypts the content key.
        case certificate(Certificate, KeyTransport = .oaepSHA1)
        /// The holders of a shared key of 16, 24 or 32 bytes, whose name the message can contain.
        case shared([UInt8], name: String? = nil)
    }

    /// The recipient, who can decrypt the message.
    public var recipient: Recipient
    /// The algorithm that encrypts the content; AES-256-GCM by default.
    ///
    /// Legacy algorithms are refused.
    public var algorithm = ContentAlgorithm.aes256GCM
    /// The limits of the document's size, depth and features.
    public var limits = XMLLimits()

    /// Creates an encryptor for a recipient.
    public init(for recipient: Recipient) { self.recipient = recipient }

    /// Encrypts an element of a document, or its content, with a new key.
    ///
    /// The key is encrypted for the recipient and added to the encrypted data.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - path: The names from the root element down to the element to encrypt; empty for the root element.
    ///   - form: Whether to encrypt the element with its tags or, by default, only its content.
    /// - Returns: The document, in UTF-8.
    /// - Throws: ``XMLEncryptionError/document(_:)``, ``XMLEncryptionError/malformed(element:line:)`` if the element
    ///   has no canonical form, ``XMLEncryptionError/algorithmNotAllowed(_:)`` for a legacy algorithm, and
    ///   ``XMLEncryptionError/unusableKey`` if the recipient's key does not fit.
    public func encrypt(
        _ document: [UInt8], at path: [XMLName], as form: EncryptedForm = .content
    ) throws(XMLEncryptionError) -> [UInt8] {
        let tree = try withDocumentErrors { () throws(XMLDocumentError) in
            try XMLTree(parsing: document, limits: limits)
        }
        let element = try withDocumentErrors { () throws(XMLDocumentError) in try tree.element(at: path) }
        let key = try newKey()
        _ = try encrypt(element, in: tree, as: form, with: key, identifier: nil, keyInfo: encryptedKey(of: key))
        return try withDocumentErrors { () throws(XMLDocumentError) in try tree.bytes }
    }

    /// Returns a new content key.
    package func newKey() throws(XMLEncryptionError) -> SymmetricKey {
        guard !algorithm.isLegacy else { throw .algorithmNotAllowed(algorithm.rawValue) }
        return SymmetricKey(size: SymmetricKeySize(bitCount: algorithm.keyBits))
    }

    /// Replaces an element or its content by an `EncryptedData`.
    ///
    /// The given content of `KeyInfo` must be well-formed XML that declares its prefixes.
    package func encrypt(
        _ element: XMLElement, in tree: XMLTree, as form: EncryptedForm, with key: SymmetricKey, identifier: String?,
        keyInfo: String
    ) throws(XMLEncryptionError) -> XMLElement {
        let plain = try PlainContent.bytes(of: element, in: tree, form)
        let cipher = try algorithm.encrypt(plain, with: key)
        let text = """
            <xenc:EncryptedData xmlns:xenc="\(XMLName.encryptionNamespace)"\(identifier.map { " Id=\"\($0)\"" } ?? "") \
            Type="\(form.rawValue)"><xenc:EncryptionMethod Algorithm="\(algorithm.rawValue)"/>\
            <ds:KeyInfo xmlns:ds="\(XMLName.signatureNamespace)">\(keyInfo)</ds:KeyInfo>\
            <xenc:CipherData><xenc:CipherValue>\(Base64.encode(cipher))</xenc:CipherValue></xenc:CipherData>\
            </xenc:EncryptedData>
            """
        return try withDocumentErrors { () throws(XMLDocumentError) in
            let skeleton = try XMLTree(parsing: Array(text.utf8), limits: limits)
            defer { withExtendedLifetime(skeleton) {} }
            guard form == .content else {
                let added = try element.insertBefore(skeleton.root)
                element.remove()
                return added
            }
            element.removeChildren()
            return try element.append(skeleton.root)
        }
    }

    /// Returns the text of an `EncryptedKey`, which refers to the encrypted data by identifiers.
    ///
    /// Without `keyInfo`, the content of `KeyInfo` names the recipient's certificate or key.
    package func encryptedKey(
        of key: SymmetricKey, identifier: String? = nil, keyInfo: String? = nil, references: [String] = []
    ) throws(XMLEncryptionError) -> String {
        let (method, cipher, info): (String, [UInt8], String)
        switch recipient {
        case .certificate(let certificate, let transport):
            method = transport.element
            cipher = try transport.encrypt(key, for: certificate.publicKey)
            guard let der = try? certificate.serializeAsPEM().derBytes else { throw .unusableKey }
            info = """
                <ds:X509Data><ds:X509Certificate>\(Base64.encode(der))</ds:X509Certificate></ds:X509Data>
                """
        case .shared(let shared, let name):
            let wrapping = SymmetricKey(data: shared)
            guard let wrap = KeyWrap(bits: wrapping.bitCount), let bytes = try? AES.KeyWrap.wrap(key, using: wrapping)
            else { throw .unusableKey }
            method = "<xenc:EncryptionMethod Algorithm=\"\(wrap.rawValue)\"/>"
            cipher = Array(bytes)
            info = name.map { "<ds:KeyName>\($0.xmlEscaped)</ds:KeyName>" } ?? ""
        }
        let content = keyInfo ?? info
        let list = references.map { "<xenc:DataReference URI=\"#\($0)\"/>" }.joined()
        return """
            <xenc:EncryptedKey xmlns:xenc="\(XMLName.encryptionNamespace)"\(identifier.map { " Id=\"\($0)\"" } ?? "")>\
            \(method)\
            \(content.isEmpty ? "" : "<ds:KeyInfo xmlns:ds=\"\(XMLName.signatureNamespace)\">\(content)</ds:KeyInfo>")\
            <xenc:CipherData><xenc:CipherValue>\(Base64.encode(cipher))</xenc:CipherValue></xenc:CipherData>\
            \(list.isEmpty ? "" : "<xenc:ReferenceList>\(list)</xenc:ReferenceList>")</xenc:EncryptedKey>
            """
    }
}

/// The bytes to encrypt, which keep their meaning outside the document (XML Encryption 1.1 section 4.5).
private enum PlainContent {
    static func bytes(
        of element: XMLElement, in tree: XMLTree, _ form: EncryptedForm
    ) throws(XMLEncryptionError) -> [UInt8] {
        // Including all declarations in scope preserves the meaning of prefixes in values.
        let prefixes = element.namespaces.keys.sorted().map { $0.isEmpty ? "#default" : $0 }
        let canonicalization = Canonicalization(.exclusiveWithComments, inclusivePrefixes: prefixes)
        guard form == .content else { return try canonicalization.plainBytes(of: element, in: tree) }
        var bytes: [UInt8] = []
        var node = element.pointer.pointee.children
        while let current = node {
            let text = current.pointee.content.map { String(cString: $0) } ?? ""
            switch current.pointee.type {
            case XML_ELEMENT_NODE:
                if let child = XMLElement(current) { bytes += try canonicalization.plainBytes(of: child, in: tree) }
            case XML_TEXT_NODE, XML_CDATA_SECTION_NODE: bytes += text.xmlEscaped.utf8
            case XML_COMMENT_NODE: bytes += "<!--\(text)-->".utf8
            case XML_PI_NODE:
                let target = current.pointee.name.map { String(cString: $0) } ?? ""
                bytes += "<?\(target) \(text)?>".utf8
            default: throw .malformed(element: element.name.local, line: element.line)
            }
            node = current.pointee.next
        }
        return bytes
    }
}

extension Canonicalization {
    fileprivate func plainBytes(of element: XMLElement, in tree: XMLTree) throws(XMLEncryptionError) -> [UInt8] {
        do {
            return try bytes(of: element, in: tree, hasComments: true)
        } catch { throw .malformed(element: element.name.local, line: element.line) }
    }
}
