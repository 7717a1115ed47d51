// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Why a document is not encrypted, or not decrypted.
public enum XMLEncryptionError: Error, Hashable, Sendable {
    /// The document cannot be parsed, or has no element at the path.
    case document(XMLDocumentError)
    /// The document has no encrypted part.
    case noEncryptedData
    /// The document has more encrypted parts than the policy allows.
    case tooManyParts(most: Int)
    /// An element does not follow its schema, or has no canonical form and cannot be encrypted.
    case malformed(element: String, line: Int)
    /// Two elements have the same identifier.
    case duplicateIdentifier(String)
    /// The algorithm with this URI is not supported.
    case unsupportedAlgorithm(String)
    /// The algorithm with this URI is not allowed: by the policy, or because new content is not encrypted with a legacy algorithm.
    case algorithmNotAllowed(String)
    /// The encrypted data, or its key, is outside the document.
    case externalReference
    /// The caller gives no key of the kind and name that the message names.
    case noKey
    /// A key is of a kind or size that does not fit the algorithm.
    case unusableKey
    /// Decryption failed. The reason is not told, because an attacker could learn from it.
    case cannotDecrypt
}
