// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
public import XMLDocuments

/// An error that occurs when a signature is created or verified.
@nonexhaustive
public enum XMLSignatureError: Error, Hashable, Sendable {
    /// The document cannot be parsed, or has no element at the given path.
    case document(XMLDocumentError)
    /// The nodes have no canonical form, for example because of a relative namespace URI.
    case cannotCanonicalize

    /// There is no signature in the document.
    case noSignature
    /// The document has several signatures, and the caller does not choose one by its path.
    case severalSignatures(count: Int)
    /// An element of the signature does not follow its schema.
    case malformedSignature(element: String, line: Int)
    /// The input of the base64 transform is not base64.
    case malformedBase64
    /// An XPath expression has an error, does not select nodes, or needs too many steps.
    case malformedXPath(line: Int)
    /// The algorithm with this URI is not supported.
    case unsupportedAlgorithm(String)
    /// The policy does not allow the algorithm with this URI.
    case algorithmNotAllowed(String)
    /// The message authentication code is truncated (`HMACOutputLength`).
    case truncatedCode
    /// The signature has more references than the policy allows.
    case tooManyReferences(limit: Int)
    /// A reference has more transforms than the policy allows.
    case tooManyTransforms(limit: Int)
    /// `SignedInfo` has more elements than the limit.
    case tooManyElements(limit: Int)
    /// Two elements have the same identifier.
    case duplicateIdentifier(String)
    /// A reference names an element that the document does not have.
    case notFound(uri: String)
    /// A reference names something outside the document that is not among the attachments.
    case externalReference(uri: String)
    /// The transforms of a reference select nothing.
    case emptyReference(uri: String)
    /// The enveloped-signature transform is applied to bytes that do not contain the signature.
    case notEnveloped
    /// The digest of a reference does not match: the content has changed since it was signed.
    case digestMismatch(uri: String)
    /// The signature was not made with an accepted key, or the signed content has changed.
    case signatureMismatch
    /// The kind of the key is not supported, or does not fit the algorithm.
    case unusableKey
    /// The signer must be identified by a certificate, but neither the message nor the verifier has one.
    case noCertificate
    /// The chain of the signer's certificate does not end in a trusted anchor.
    case untrustedSigner(reason: String)
}

extension XMLSignatureError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .document(let error): error.explanation
        case .cannotCanonicalize:
            ErrorExplanation(
                "xml.cannot-canonicalize", "The nodes cannot be canonicalized.",
                reason: "Canonical XML does not allow namespaces whose names are relative URIs.",
                advice: "Use absolute URIs for namespaces.")
        case .noSignature:
            ErrorExplanation(
                "signature.missing", "The document has no signature.",
                reason: "Anyone could have written it.", advice: "Ask the sender to sign it.")
        case .severalSignatures(let count):
            ErrorExplanation(
                "signature.several", "The document has \(count) signatures.",
                reason: "It is unclear which of them is to be verified.",
                advice: "Specify the path of the signature, or have one signature cover all relevant parts.")
        case .malformedSignature(let element, let line):
            ErrorExplanation(
                "signature.malformed", "The element \(element) in line \(line) is not valid in a signature.",
                reason: "Elements must follow the XML Signature schema, without comments in their texts.",
                advice: "Check the program that created the signature.")
        case .malformedBase64:
            ErrorExplanation(
                "signature.malformed-base64", "The input of a base64 transform is not base64.",
                reason: "The base64 transform takes the text of the selected nodes (XML Signature 1.1 section 6.6.2).",
                advice: "Check the program that created the signature.")
        case .malformedXPath(let line):
            ErrorExplanation(
                "signature.malformed-xpath", "The XPath expression in line \(line) cannot be evaluated.",
                reason: "It has an error, selects no nodes, or needs more than 10 million steps.",
                advice: "Simplify or correct it.")
        case .duplicateIdentifier(let identifier):
            ErrorExplanation(
                "signature.duplicate-identifier", "Two elements have the identifier \(identifier).",
                reason: "A reference to it would be ambiguous.", advice: "Give each element its own identifier.")
        case .notFound(let uri):
            ErrorExplanation(
                "signature.not-found", "No element matches the reference \(uri).",
                reason: "The attributes Id, ID, AssertionID, xml:id and wsu:Id identify elements.",
                advice: "Add such an attribute to the element to sign.")
        case .externalReference(let uri):
            ErrorExplanation(
                "signature.external-reference", "The reference \"\(uri)\" refers to something outside the document.",
                reason: "Nothing is fetched for a signature. Only the document and given attachments can be signed.",
                advice: "Provide the bytes as an attachment with this URI.")
        case .emptyReference(let uri):
            ErrorExplanation(
                "signature.empty-reference", "The reference \"\(uri)\" selects nothing.",
                reason: "Its transforms leave no node, so it signs nothing.", advice: "Correct the transforms.")
        case .notEnveloped:
            ErrorExplanation(
                "signature.not-enveloped",
                "The enveloped-signature transform is applied to bytes without the signature.",
                reason: "The transform is only for references to the document that contains the signature.",
                advice: "Remove the transform.")
        case .unsupportedAlgorithm(let uri):
            ErrorExplanation(
                "signature.unsupported-algorithm", "The algorithm \(uri) is not supported.",
                reason: "XSLT and broken algorithms such as MD5, RIPEMD-160 and DSA are not supported at all.",
                advice: "Have the sender sign with RSA or ECDSA and SHA-256.")
        case .algorithmNotAllowed(let uri):
            ErrorExplanation(
                "signature.algorithm-not-allowed", "The algorithm \(uri) is not allowed.",
                reason: "The policy lists the accepted algorithms. SHA-1 and XPath must be allowed explicitly.",
                advice: "Have the sender use another one, or allow it in the policy.")
        case .truncatedCode:
            ErrorExplanation(
                "signature.truncated-code", "The message authentication code is truncated.",
                reason: "A short code can be guessed.", advice: "Have the sender leave out HMACOutputLength.")
        case .tooManyReferences(let limit):
            ErrorExplanation(
                "signature.too-many-references", "The signature has more than \(limit) references.",
                reason: "Each of them takes time before the signer is authenticated.",
                advice: "Raise maximumReferenceCount in the policy if messages have this many.")
        case .tooManyElements(let limit):
            ErrorExplanation(
                "signature.too-many-elements", "SignedInfo has more than \(limit) elements.",
                reason: "All of it is read before the signer is authenticated, and no known program writes that many.",
                advice: "Ask the sender to sign fewer parts.")
        case .tooManyTransforms(let limit):
            ErrorExplanation(
                "signature.too-many-transforms", "A reference has more than \(limit) transforms.",
                reason: "Each of them takes time.",
                advice: "Raise maximumTransformCount in the policy if messages have this many.")
        case .digestMismatch(let uri):
            ErrorExplanation(
                "signature.digest-mismatch", "The content of the reference \"\(uri)\" has changed since it was signed.",
                reason: "Its digest differs from the signed digest.",
                advice: "Do not use the document. Often it was reformatted or re-encoded in transit.")
        case .unusableKey:
            ErrorExplanation(
                "signature.unusable-key", "The key cannot be used with the algorithm.",
                reason:
                    "RSA, P-256, P-384, P-521 and Ed25519 keys and shared secrets are supported.",
                advice: "Choose an algorithm for the key, or another key.")
        case .noCertificate:
            ErrorExplanation(
                "signature.no-certificate", "The signature has no certificate.",
                reason: "The signer must be identified by a certificate, but the message has none in X509Data.",
                advice: "Have the sender add it, or give the signer's key.")
        case .untrustedSigner(let reason):
            ErrorExplanation(
                .notTrusted, "signature.untrusted-signer", "The signer is not trusted: \(reason)",
                reason: "The signature is valid, but anyone could have created it with a certificate of their own.",
                advice: "Add the authority that issued the certificate to the anchors, if you trust it.")
        case .signatureMismatch:
            ErrorExplanation(
                "signature.mismatch", "The signature does not verify with the key.",
                reason: "It was created with another key, or the signed content has changed.",
                advice: "Do not use the document. Check that the key is the sender's.")
        }
    }

    package static var examples: [Self] {
        let uri = "http://www.w3.org/2001/04/xmldsig-more#md5"
        return [
            .cannotCanonicalize, .noSignature, .severalSignatures(count: 2),
            .malformedSignature(element: "SignedInfo", line: 4), .malformedBase64, .malformedXPath(line: 9),
            .unsupportedAlgorithm(uri), .algorithmNotAllowed(XMLDigestAlgorithm.sha1.rawValue), .truncatedCode,
            .tooManyReferences(limit: 30), .tooManyElements(limit: 1_000), .tooManyTransforms(limit: 5),
            .duplicateIdentifier("body"),
            .notFound(uri: "#body"), .externalReference(uri: "http://example.com/"), .emptyReference(uri: "#body"),
            .notEnveloped, .digestMismatch(uri: "#body"), .signatureMismatch,
            .unusableKey,
            .noCertificate, .untrustedSigner(reason: "The certificate has expired."),
        ]
    }
}
