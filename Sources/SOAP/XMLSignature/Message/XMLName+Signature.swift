// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

extension XMLName {
    package static let signatureNamespace = "http://www.w3.org/2000/09/xmldsig#"
    static let signature11Namespace = "http://www.w3.org/2009/xmldsig11#"
    static let exclusiveNamespace = "http://www.w3.org/2001/10/xml-exc-c14n#"

    /// A name of XML Signature's.
    static func ds(_ local: String) -> Self { Self(local, in: signatureNamespace) }
}
