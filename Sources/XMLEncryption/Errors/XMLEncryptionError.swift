// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Why nothing is encrypted or decrypted.
public enum XMLEncryptionError: Error, Hashable, Sendable {
    /// The document is not read, or has no element at the path.
    case document(XMLDocumentError)
    /// The document holds nothing that is encrypted.
    case noEncryptedData
    /// The document holds more that is encrypted than is decrypted.
    case tooManyParts(most: Int)
    /// An element is not as the schema has it.
    case malformed(element: String, line: Int)
    /// Two elements have the same identifier.
    case duplicateIdentifier(String)
    /// The algorithm is not supported. Holds its URI.
    case unsupportedAlgorithm(String)
    /// The policy does not allow the algorithm.
    case algorithmNotAllowed(String)
    /// The encrypted data, or its key, is outside the document.
    case externalReference
    /// There is no key of the kind that the message names.
    case noKey
    /// A key is of a kind or size that does not fit the algorithm.
    case unusableKey
    /// Decryption failed. The reason is not told, because an attacker could learn from it.
    case cannotDecrypt
}
