// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Why a document is not read, or a signature in it is not believed or made.
public enum XMLSignatureError: Error, Hashable, Sendable {
    /// The document is not read, or has no element at the path of the signature or of its place.
    case document(XMLDocumentError)
    /// The nodes cannot be made canonical.
    case cannotCanonicalize

    /// There is no signature in the document.
    case noSignature
    /// There are several signatures in the document, and nothing says which one counts.
    case severalSignatures(count: Int)
    /// The element of a signature is not as the schema has it.
    case malformedSignature(element: String, line: Int)
    /// The input of the base64 transform is not base64.
    case malformedBase64
    /// An expression of XPath has an error, does not select nodes, or takes too many steps.
    case malformedXPath(line: Int)
    /// The algorithm is not supported. Holds its URI.
    case unsupportedAlgorithm(String)
    /// The policy does not allow the algorithm.
    case algorithmNotAllowed(String)
    /// The message authentication code is not whole.
    case truncatedCode
    /// The signature has more references than are followed.
    case tooManyReferences(most: Int)
    /// A reference has more transforms than are carried out.
    case tooManyTransforms(most: Int)
    /// The description of what was signed, `SignedInfo`, has more elements than are read.
    case tooManyElements(most: Int)
    /// Two elements have the same identifier.
    case duplicateIdentifier(String)
    /// A reference names an element that is not there.
    case notFound(uri: String)
    /// A reference names something outside of the document.
    case externalReference(uri: String)
    /// A reference's transforms leave nothing.
    case emptyReference(uri: String)
    /// The signature is to be left out of what it is not in.
    case notEnveloped
    /// The digest of a reference does not match: the content has changed since it was signed.
    case digestMismatch(uri: String)
    /// The signature was not made with the key, or what it signs has changed.
    case signatureMismatch
    /// The key is of a kind that signs and verifies nothing here, or not by the algorithm.
    case unusableKey
    /// The message has no certificate, and the signer is to be known by one.
    case noCertificate
    /// The signer's certificate does not lead to a trusted one.
    case untrustedSigner(reason: String)
}
