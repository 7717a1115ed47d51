// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
internal import Crypto
internal import ErrorExplanations
public import EssentialFoundation
public import X509
@_exported public import XMLDocuments  // Every call uses paths and document limits.

/// Verifies XML signatures with known keys, and returns the signed content (XML Signature 1.1).
///
/// ```swift
/// let verifier = SignatureVerifier(trusting: .key(certificate.publicKey))
/// let body = try verifier.verify(message).contents[0].bytes
/// ```
///
/// Callers must read only the returned bytes and nothing else of the document. This defeats signature wrapping, which
/// moves a signed element and puts another one in its place.
public struct SignatureVerifier: Sendable {
    /// The accepted signer: a key, or certificates.
    ///
    /// A key or certificate in a message is only a hint.
    @nonexhaustive
    public enum Signer: Sendable {
        /// The shared secret with these bytes.
        case secret([UInt8])
        /// The private key of this public key.
        case key(Certificate.PublicKey)
        /// The key of any certificate whose chain ends in an anchor.
        case certificate(CertifiedSigner)
    }

    /// The accepted signer: a key, or certificates.
    public var signer: Signer
    /// The accepted algorithms and limits of signatures.
    public var policy: SignaturePolicy

    /// Creates a verifier with the accepted signer and the policy for signatures.
    public init(trusting signer: Signer, policy: SignaturePolicy = SignaturePolicy()) {
        (self.signer, self.policy) = (signer, policy)
    }

    /// Verifies a signature of a document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - path: The names from the root element down to the signature; empty, the default, if the document
    ///     has only one.
    ///   - attachments: The bytes outside the document to which references may refer, by URI; none by default. Nothing
    ///     is ever fetched.
    /// - Returns: The signed content.
    /// - Throws: ``XMLSignatureError`` if the signature is refused.
    public func verify(
        _ document: [UInt8], signature path: [XMLName] = [], attachments: [String: [UInt8]] = [:]
    ) throws(XMLSignatureError) -> VerifiedSignature {
        let tree = try XMLTree.parse(document, limits: policy.limits)
        return try verify(tree.signature(at: path), in: tree, attachments: attachments).verified
    }

    /// Verifies a signature of a tree.
    ///
    /// - Returns: The verified signature, and the element of each content; `nil` for content outside the tree.
    package func verify(
        _ element: XMLElement, in tree: XMLTree, attachments: [String: [UInt8]] = [:]
    ) throws(XMLSignatureError) -> (verified: VerifiedSignature, elements: [XMLElement?]) {
        let message = try SignatureMessage(element)
        try policy.check(message)
        let identifiers = try IdentifierTable(tree)
        let signed = try message.canonicalization.bytes(
            of: NodeSelection(tree: tree, top: message.signedInfo, hasComments: true))
        let certificate = try check(message, signed, identifiers)
        let reader = ReferenceReader(
            tree: tree, identifiers: identifiers, signature: element, attachments: attachments, limits: policy.limits)
        var contents: [VerifiedSignature.Content] = []
        var elements: [XMLElement?] = []
        for reference in message.references {
            let (bytes, element) = try reader.read(reference)
            guard reference.algorithm.digest(bytes) == reference.digest else {
                throw .digestMismatch(uri: reference.uri ?? "")
            }
            contents.append(
                .init(
                    uri: reference.uri ?? "", path: element?.path ?? [],
                    location: element?.location ?? "", bytes: bytes,
                    isCompleteElement: element != nil && reference.transforms.allSatisfy(\.isCanonicalization)))
            elements.append(element)
        }
        let verified = VerifiedSignature(
            algorithm: message.algorithm, contents: contents, certificate: certificate,
            identifier: XMLDigestAlgorithm.sha256.digest(signed))
        return (verified, elements)
    }

    /// Verifies the signature value.
    ///
    /// - Returns: The signer's certificate if the signer is identified by a certificate.
    private func check(
        _ message: SignatureMessage, _ signed: [UInt8], _ identifiers: IdentifierTable
    ) throws(XMLSignatureError) -> Certificate? {
        switch signer {
        case .secret(let secret):
            try check(message, signed, .secret(SymmetricKey(data: secret)))
            return nil
        case .key(let key):
            guard let key = VerificationKey(key) else { throw .unusableKey }
            try check(message, signed, key)
            return nil
        case .certificate(let certified):
            let hints = try KeyHints(message.keyInfo, identifiers)
            return try certified.certificate(among: hints) {
                VerificationKey($0.publicKey)?.isValid(message.value, of: signed, by: message.algorithm) ?? false
            }
        }
    }

    private func check(
        _ message: SignatureMessage, _ signed: [UInt8], _ key: VerificationKey
    ) throws(XMLSignatureError) {
        guard key.isValid(message.value, of: signed, by: message.algorithm) else { throw .signatureMismatch }
    }
}

/// The parts of a document that a verified signature signs.
public struct VerifiedSignature: Sendable {
    /// The content that one reference signs.
    public struct Content: Hashable, Sendable {
        /// The URI of the reference, unchanged.
        public let uri: String
        /// The names from the root element down to the signed element; empty for bytes outside the document.
        ///
        /// Before using the bytes, compare this path with the expected one.
        public let path: [XMLName]
        /// The local names of ``path``; empty for bytes outside the document.
        ///
        /// A position in brackets distinguishes siblings with the same name, as in `Response/Assertion[2]`.
        public let location: String
        /// The digested bytes: the canonical form of the element, unless a transform produced other bytes.
        public let bytes: [UInt8]
        /// Whether the bytes are the canonical form of the complete element, without other transforms.
        public let isCompleteElement: Bool
    }

    /// The algorithm of the signature.
    public let algorithm: XMLSignatureAlgorithm
    /// The signed parts, in the order of the references.
    public let contents: [Content]
    /// The signer's certificate; `nil` if the signer is identified by a key or a secret.
    public let certificate: Certificate?
    /// The SHA-256 hash of the signed bytes (32 bytes), which identifies a replayed message.
    ///
    /// The signature value cannot identify the message, because an ECDSA signature can be altered without the key and
    /// remain valid.
    public let identifier: [UInt8]
}

extension XMLElement {
    /// The names from the root element down to this element.
    var path: [XMLName] {
        sequence(first: self, next: \.parent).map(\.name).reversed()
    }
}

/// The signers whose certificate chains end in an anchor.
public struct CertifiedSigner: Sendable {
    /// The evaluator that decides which certificates are trusted.
    ///
    /// Names and key purposes are not checked.
    public var evaluator: TrustEvaluator
    /// The certificates that a message may omit: the signer's, and intermediates.
    public var known: [Certificate]
    /// The available revocation lists and OCSP responses.
    public var evidence: TrustEvidence
    /// The time at which the certificates must be valid.
    public var time: Date

    /// Creates accepted signers with the evaluator for their certificates and a time.
    public init(
        evaluator: TrustEvaluator, known: [Certificate] = [], evidence: TrustEvidence = TrustEvidence(), at time: Date
    ) {
        (self.evaluator, self.known, self.evidence, self.time) = (evaluator, known, evidence, time)
    }

    /// Returns the trusted certificate whose key made the signature.
    func certificate(
        among hints: KeyHints, where hasSigned: (Certificate) -> Bool
    ) throws(XMLSignatureError) -> Certificate {
        let candidates = hints.certificates + known
        guard let certificate = candidates.first(where: hasSigned) else {
            if hints.hasUnusable { throw .unusableKey }
            throw candidates.isEmpty ? .noCertificate : .signatureMismatch
        }
        let others = candidates.filter { $0 != certificate }
        guard let chain = PresentedChain([certificate] + others) else { throw .noCertificate }
        let requirements = PathRequirements(for: .any)
        let verdict = evaluator.evaluate(chain, for: [], requirements: requirements, at: time, with: evidence)
        guard verdict.isTrusted else { throw .untrustedSigner(reason: verdict.failure?.explanation.message ?? "") }
        return certificate
    }
}
