// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
package import XMLDocuments

extension XMLName {
    package static let signatureNamespace = "http://www.w3.org/2000/09/xmldsig#"
    static let signature11Namespace = "http://www.w3.org/2009/xmldsig11#"
    static let exclusiveNamespace = "http://www.w3.org/2001/10/xml-exc-c14n#"

    /// Returns a name in the XML Signature namespace.
    static func ds(_ local: String) -> Self { Self(local, in: signatureNamespace) }
}

extension XMLName {
    /// The namespace of the WS-Security elements (Web Services Security 1.1 section 2).
    package static let securityNamespace =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
    /// The namespace of identifiers and timestamps.
    package static let utilityNamespace =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
    /// The namespace of the WS-Security 1.1 additions.
    package static let security11Namespace =
        "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd"

    /// The name of a signature element.
    package static let signature = Self.ds("Signature")

    /// Returns a name in the WS-Security namespace.
    package static func wsse(_ local: String) -> Self { Self(local, in: securityNamespace) }

    /// Returns a name in the WS-Security utility namespace.
    package static func wsu(_ local: String) -> Self { Self(local, in: utilityNamespace) }
}

/// The URIs of certificate tokens (X.509 Certificate Token Profile 1.1 section 3.1).
package enum CertificateTokenURI {
    private static let profile = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0"

    package static let certificate = profile + "#X509v3"
    package static let path = profile + "#X509PKIPathv1"
    package static let subjectKeyIdentifier = profile + "#X509SubjectKeyIdentifier"
    package static let thumbprint =
        "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1"
    package static let base64 =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary"
}

extension Character {
    /// Whether this is an XML white space character (XML 1.0 section 2.3).
    package var isXMLSpace: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" || self == "\r\n" }
}

extension String {
    /// The text with special characters escaped, for content or an attribute.
    ///
    /// A text with a character that XML 1.0 does not allow is unchanged, so that the parser refuses the document.
    package var xmlEscaped: String {
        var bytes: [UInt8] = []
        return bytes.append(self, escapedIn: .attribute) == nil ? String(decoding: bytes, as: UTF8.self) : self
    }
}
