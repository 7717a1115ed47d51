// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import WSSecurity
import XMLDocuments

/// Hides the secrets of an envelope before it is logged.
///
/// Always hidden are passwords, nonces, tokens and assertions of WS-Security and SAML, and the content of elements and attributes whose
/// names look like that of a secret, such as `sessionKey`.
public struct SOAPRedaction: Hashable, Sendable {
    /// The names of further elements whose content and attributes are hidden; none by default.
    public var elements: Set<XMLName>
    /// Whether elements that a signature covers are hidden; `false` by default.
    public var hidesSignedParts: Bool
    /// Whether all content of the Body is hidden; `false` by default.
    public var hidesBody: Bool
    /// The most bytes of an envelope that are logged; 16 KiB by default.
    public var mostBytes = 16 << 10

    /// What stands in the place of what is hidden.
    static let mark = "(hidden)"

    /// Creates a redaction of further elements, of signed parts or of the Body; by default, it hides only what is always hidden.
    public init(elements: Set<XMLName> = [], hidesSignedParts: Bool = false, hidesBody: Bool = false) {
        (self.elements, self.hidesSignedParts, self.hidesBody) = (elements, hidesSignedParts, hidesBody)
    }

    /// Returns the envelope with its secrets hidden, cut after ``mostBytes`` bytes.
    ///
    /// - Parameter envelope: The envelope.
    /// - Returns: The text; only the number of bytes where the envelope cannot be parsed.
    public func text(of envelope: [UInt8]) -> String {
        guard let tree = try? XMLTree(parsing: envelope, limits: XMLLimits()) else {
            return "(\(envelope.count) bytes that are not XML)"
        }
        guard (try? hide(in: tree.root, signed: hidesSignedParts ? SignedParts(in: tree) : SignedParts())) != nil,
            let bytes = try? tree.bytes
        else { return "(\(envelope.count) bytes)" }
        let shown = String(decoding: bytes.prefix(mostBytes), as: UTF8.self)
        return bytes.count > mostBytes ? "\(shown)… (\(bytes.count) bytes)" : shown
    }

    // MARK: Elements

    /// Their names are not the service's, and what is secret in them is listed.
    private static let plainNamespaces: Set<String> = [
        XMLName.securityNamespace, XMLName.utilityNamespace, XMLName.signatureNamespace, XMLName.encryptionNamespace,
        SOAPVersion.soap11.namespace, SOAPVersion.soap12.namespace, SOAPAddressing.Version.v10.namespace,
        SOAPAddressing.Version.v200408.namespace,
    ]
    private static let secrets: Set<XMLName> = [
        .wsse("UsernameToken"), .wsse("BinarySecurityToken"), .wsse("Password"), .wsse("Nonce"),
        XMLName("Assertion", in: "urn:oasis:names:tc:SAML:1.0:assertion"),
        XMLName("Assertion", in: "urn:oasis:names:tc:SAML:2.0:assertion"),
    ]

    /// The depth is bounded by the parser's limits.
    private func hide(in element: XMLElement, signed: SignedParts) throws(XMLDocumentError) {
        let name = element.name
        let isBody = name.local == "Body" && SOAPVersion.allCases.contains { $0.namespace == name.namespace }
        guard !(isBody && (hidesBody || signed.isWhole)), !isSecret(name),
            signed.identifiers.isDisjoint(with: element.identifiers)
        else {
            // The attributes of what it holds go with that.
            for attribute in element.attributes { try element.set(attribute.name, to: Self.mark) }
            element.removeChildren()
            return try element.append(text: Self.mark)
        }
        for attribute in element.attributes where isSecret(attribute.name) {
            try element.set(attribute.name, to: Self.mark)
        }
        if Self.addresses.contains(name), let text = element.text {
            element.removeChildren()
            try element.append(text: Redaction.url(text))
        }
        for child in element.children { try hide(in: child, signed: signed) }
    }

    /// The elements of WS-Addressing that hold a URL, which can hold a password.
    private static let addresses = Set(
        [SOAPAddressing.Version.v10, .v200408].flatMap { version in
            ["To", "Address"].map { XMLName($0, in: version.namespace) }
        })

    private func isSecret(_ name: XMLName) -> Bool {
        if elements.contains(name) || Self.secrets.contains(name) { return true }
        return !Self.plainNamespaces.contains(name.namespace) && SecretNames.contain(name.local)
    }

    /// What the references of signatures name.
    private struct SignedParts {
        var identifiers: Set<String> = []
        /// Whether a reference names the whole document.
        var isWhole = false

        init() {}

        init(in tree: XMLTree) {
            tree.root.forEach { element in
                guard element.name == XMLName("Reference", in: XMLName.signatureNamespace),
                    let uri = element[XMLName("URI")]
                else { return }
                if uri.isEmpty { isWhole = true }
                if uri.hasPrefix("#") { identifiers.insert(String(uri.dropFirst())) }
            }
        }
    }
}

extension XMLElement {
    /// The values of its attributes that can be identifiers.
    fileprivate var identifiers: Set<String> {
        Set(attributes.filter { ["Id", "ID", "id", "AssertionID"].contains($0.name.local) }.map(\.value))
    }
}
