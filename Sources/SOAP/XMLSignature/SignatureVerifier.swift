// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
internal import Crypto
internal import ErrorExplanations
public import EssentialFoundation
public import X509
@_exported public import XMLDocuments  // Paths and limits of documents are part of every call.

/// Verifies XML signatures with keys that the caller knows, and returns what they sign (XML Signature 1.1).
///
/// ```swift
/// let verifier = SignatureVerifier(trusting: .key(certificate.publicKey))
/// let body = try verifier.verify(message).contents[0].bytes
/// ```
///
/// Callers read the returned bytes and nothing else of the document, so that a signed element that was moved aside for
/// another one does not matter.
public struct SignatureVerifier: Sendable {
    /// The key, or the certificates, that may have signed.
    ///
    /// A key or certificate in a message is a hint only.
    public enum Signer: Sendable {
        /// The shared secret with these bytes.
        case secret([UInt8])
        /// The private half of this public key.
        case key(Certificate.PublicKey)
        /// The key of any certificate that leads to an anchor.
        case certificate(CertifiedSigner)
    }

    /// The key, or the certificates, that may have signed.
    public var signer: Signer
    /// The algorithms and limits that a signature may use.
    public var policy: SignaturePolicy

    /// Creates a verifier from the accepted signer and the limits of signatures.
    public init(trusting signer: Signer, policy: SignaturePolicy = SignaturePolicy()) {
        (self.signer, self.policy) = (signer, policy)
    }

    /// Verifies a signature of a document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - path: The names from the root element down to the signature; empty, the default, where the document has only one.
    ///   - attachments: The bytes outside of the document that references may name, by their URI; none by default. Nothing is ever fetched.
    /// - Returns: The signed content.
    /// - Throws: ``XMLSignatureError`` where the signature is refused.
    public func verify(
        _ document: [UInt8], signature path: [XMLName] = [], attachments: [String: [UInt8]] = [:]
    ) throws(XMLSignatureError) -> VerifiedSignature {
        let tree = try XMLTree.parse(document, limits: policy.limits)
        return try verify(tree.signature(at: path), in: tree, attachments: attachments).verified
    }

    /// Verifies a signature of a tree.
    ///
    /// - Returns: What was signed, and the element of each content; `nil` for what lies outside of the tree.
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
                    isWholeElement: element != nil && reference.transforms.allSatisfy(\.isCanonicalization)))
            elements.append(element)
        }
        let verified = VerifiedSignature(
            algorithm: message.algorithm, contents: contents, certificate: certificate,
            identifier: DigestAlgorithm.sha256.digest(signed))
        return (verified, elements)
    }

    /// - Returns: The signer's certificate, where the signer is known by one.
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
    /// The bytes that one reference signs.
    public struct Content: Hashable, Sendable {
        /// The URI of the reference, as the signature has it.
        public let uri: String
        /// The names from the root element down to the signed element; empty for bytes outside of the document.
        ///
        /// Compare it with where the element must be before using the bytes.
        public let path: [XMLName]
        /// The place of the signed element: the local names of ``path``, each with its position where several elements have the name, such
        /// as `Response/Assertion[2]`; empty for bytes outside of the document.
        public let location: String
        /// The digested bytes: the canonical form of the element, unless a transform made other bytes of it.
        public let bytes: [UInt8]
        /// Whether the bytes are the canonical form of the whole element, which no other transform changed.
        public let isWholeElement: Bool
    }

    /// The algorithm of the signature.
    public let algorithm: SignatureAlgorithm
    /// The signed parts, in the order of the references.
    public let contents: [Content]
    /// The signer's certificate; `nil` where the signer is known by a key or a secret.
    public let certificate: Certificate?
    /// SHA-256 of the signed bytes (32 bytes), by which a message that comes again is recognized.
    ///
    /// The signature itself does not serve for that: one of ECDSA can be rewritten without the key.
    public let identifier: [UInt8]
}

extension XMLElement {
    /// The names from the document's element down to this one.
    var path: [XMLName] {
        sequence(first: self, next: \.parent).map(\.name).reversed()
    }
}

/// The signers whose certificates lead to an anchor.
public struct CertifiedSigner: Sendable {
    /// The evaluator that decides which certificates are trusted.
    ///
    /// Names and key purposes are not checked.
    public var evaluator: TrustEvaluator
    /// The certificates that a message may leave out: the signer's, and those between it and an anchor.
    public var known: [Certificate]
    /// The revocation lists and OCSP responses at hand.
    public var evidence: TrustEvidence
    /// The time at which the certificates must be valid.
    public var time: Date

    /// Creates signers from the evaluator of their certificates, and a time.
    public init(
        evaluator: TrustEvaluator, known: [Certificate] = [], evidence: TrustEvidence = TrustEvidence(), at time: Date
    ) {
        (self.evaluator, self.known, self.evidence, self.time) = (evaluator, known, evidence, time)
    }

    /// The certificate whose key made the signature, where it is trusted.
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
        let requirements = PathRequirements(purposes: [], keyUse: .anything)
        let verdict = evaluator.evaluate(chain, for: [], requirements: requirements, at: time, with: evidence)
        guard verdict.isTrusted else { throw .untrustedSigner(reason: verdict.failure?.explanation.message ?? "") }
        return certificate
    }
}
