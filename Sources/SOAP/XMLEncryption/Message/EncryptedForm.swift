// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

extension XMLName {
    /// The namespace of XML Encryption.
    package static let encryptionNamespace = "http://www.w3.org/2001/04/xmlenc#"
    /// The namespace of what version 1.1 added.
    static let encryption11Namespace = "http://www.w3.org/2009/xmlenc11#"

    /// A name of XML Encryption's.
    package static func xenc(_ local: String) -> Self { Self(local, in: encryptionNamespace) }
}

/// The part of an element that is encrypted (XML Encryption 1.1 section 3.1).
///
/// The raw value is the URI in `Type`.
public enum EncryptedForm: String, Sendable, CaseIterable {
    /// The element with its tags.
    case element = "http://www.w3.org/2001/04/xmlenc#Element"
    /// The content between the element's tags.
    case content = "http://www.w3.org/2001/04/xmlenc#Content"
}
