// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import WSSecurity
import XMLDocuments

/// Hides the secrets of an envelope before it is logged.
///
/// It always hides the passwords, nonces, tokens and assertions of WS-Security and SAML, and the content of elements
/// and attributes with names that suggest a secret, such as `sessionKey`.
public struct SOAPRedaction: Hashable, Sendable {
    /// The names of additional elements whose content and attributes are hidden; none by default.
    public var elements: Set<XMLName>
    /// Whether elements that a signature covers are hidden; `false` by default.
    public var hidesSignedParts: Bool
    /// Whether the entire content of the Body is hidden; `false` by default.
    public var hidesBody: Bool
    /// The maximum number of logged bytes of an envelope; 16 KiB by default.
    public var maximumByteCount = 16 << 10

    /// The replacement for hidden content.
    static let replacement = "(hidden)"

    /// Creates a redaction that hides known secrets, the given elements, and, if requested, signed parts or the Body.
    public init(elements: Set<XMLName> = [], hidesSignedParts: Bool = false, hidesBody: Bool = false) {
        (self.elements, self.hidesSignedParts, self.hidesBody) = (elements, hidesSignedParts, hidesBody)
    }

    /// Returns the envelope with its secrets hidden, truncated after ``maximumByteCount`` bytes.
    ///
    /// - Parameter envelope: The envelope.
    /// - Returns: The text; only the number of bytes if the envelope cannot be parsed.
    public func text(of envelope: [UInt8]) -> String {
        guard let tree = try? XMLTree(parsing: envelope, limits: XMLLimits()) else {
            return "(\(envelope.count) bytes that are not XML)"
        }
        guard (try? hide(in: tree.root, signed: hidesSignedParts ? SignedParts(in: tree) : SignedParts())) != nil,
            let bytes = try? tree.bytes
        else { return "(\(envelope.count) bytes)" }
        let shown = String(decoding: bytes.prefix(maximumByteCount), as: UTF8.self)
        return bytes.count > maximumByteCount ? "\(shown)… (\(bytes.count) bytes)" : shown
    }

    // MARK: Elements

    /// The namespaces of the protocols, in which only the elements in `secrets` are secret, even if the names of other
    /// elements suggest a secret.
    private static let protocolNamespaces: Set<String> = [
        XMLName.securityNamespace, XMLName.utilityNamespace, XMLName.signatureNamespace, XMLName.encryptionNamespace,
        SOAPVersion.soap11.namespace, SOAPVersion.soap12.namespace, SOAPAddressing.Version.v10.namespace,
        SOAPAddressing.Version.v200408.namespace,
    ]
    private static let secrets: Set<XMLName> = [
        .wsse("UsernameToken"), .wsse("BinarySecurityToken"), .wsse("Password"), .wsse("Nonce"),
        XMLName("Assertion", in: "urn:oasis:names:tc:SAML:1.0:assertion"),
        XMLName("Assertion", in: "urn:oasis:names:tc:SAML:2.0:assertion"),
    ]

    /// Hides the secrets of an element and its descendants; the parser's limits bound the recursion.
    private func hide(in element: XMLElement, signed: SignedParts) throws(XMLDocumentError) {
        let name = element.name
        let isBody = name.local == "Body" && SOAPVersion.allCases.contains { $0.namespace == name.namespace }
        guard !(isBody && (hidesBody || signed.coversDocument)), !isSecret(name),
            signed.identifiers.isDisjoint(with: element.identifiers)
        else {
            // Removing the children also removes their attributes.
            for attribute in element.attributes { try element.set(attribute.name, to: Self.replacement) }
            element.removeChildren()
            return try element.append(text: Self.replacement)
        }
        for attribute in element.attributes where isSecret(attribute.name) {
            try element.set(attribute.name, to: Self.replacement)
        }
        if Self.addresses.contains(name), let text = element.text {
            element.removeChildren()
            try element.append(text: Redaction.url(text))
        }
        for child in element.children { try hide(in: child, signed: signed) }
    }

    /// The WS-Addressing elements with a URL, which can contain a password.
    private static let addresses = Set(
        [SOAPAddressing.Version.v10, .v200408].flatMap { version in
            ["To", "Address"].map { XMLName($0, in: version.namespace) }
        })

    private func isSecret(_ name: XMLName) -> Bool {
        if elements.contains(name) || Self.secrets.contains(name) { return true }
        return !Self.protocolNamespaces.contains(name.namespace) && SecretNames.contain(name.local)
    }

    /// The elements to which the references of signatures refer.
    private struct SignedParts {
        var identifiers: Set<String> = []
        /// Whether a reference covers the entire document.
        var coversDocument = false

        init() {}

        init(in tree: XMLTree) {
            tree.root.forEach { element in
                guard element.name == XMLName("Reference", in: XMLName.signatureNamespace),
                    let uri = element[XMLName("URI")]
                else { return }
                if uri.isEmpty { coversDocument = true }
                if uri.hasPrefix("#") { identifiers.insert(String(uri.dropFirst())) }
            }
        }
    }
}

extension XMLElement {
    /// The values of the element's attributes that may be identifiers.
    fileprivate var identifiers: Set<String> {
        Set(attributes.filter { ["Id", "ID", "id", "AssertionID"].contains($0.name.local) }.map(\.value))
    }
}
