// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Why a signature is not made, or not accepted.
public enum XMLSignatureError: Error, Hashable, Sendable {
    /// The document cannot be parsed, or has no element at the path of the signature or of its place.
    case document(XMLDocumentError)
    /// The nodes have no canonical form, as with a namespace whose URI is relative.
    case cannotCanonicalize

    /// There is no signature in the document.
    case noSignature
    /// The document has several signatures, and the caller does not name one by a path.
    case severalSignatures(count: Int)
    /// An element of the signature does not follow its schema.
    case malformedSignature(element: String, line: Int)
    /// The input of the base64 transform is not base64.
    case malformedBase64
    /// An expression of XPath has an error, does not select nodes, or takes too many steps.
    case malformedXPath(line: Int)
    /// The algorithm with this URI is not supported.
    case unsupportedAlgorithm(String)
    /// The policy does not allow the algorithm with this URI.
    case algorithmNotAllowed(String)
    /// The message authentication code is shortened (`HMACOutputLength`).
    case truncatedCode
    /// The signature has more references than the policy allows.
    case tooManyReferences(most: Int)
    /// A reference has more transforms than the policy allows.
    case tooManyTransforms(most: Int)
    /// `SignedInfo` has more elements than are read.
    case tooManyElements(most: Int)
    /// Two elements have the same identifier.
    case duplicateIdentifier(String)
    /// A reference names an element that the document does not have.
    case notFound(uri: String)
    /// A reference names something outside of the document that is not given as an attachment.
    case externalReference(uri: String)
    /// The transforms of a reference leave no bytes.
    case emptyReference(uri: String)
    /// The enveloped-signature transform is applied to bytes that do not contain the signature.
    case notEnveloped
    /// The digest of a reference does not match: the content has changed since it was signed.
    case digestMismatch(uri: String)
    /// The signature was not made with an accepted key, or what it signs has changed.
    case signatureMismatch
    /// The key is of a kind that is not supported, or does not fit the algorithm.
    case unusableKey
    /// The signer must be known by a certificate, and neither the message nor the verifier has one.
    case noCertificate
    /// The signer's certificate does not lead to a trusted one.
    case untrustedSigner(reason: String)
}
