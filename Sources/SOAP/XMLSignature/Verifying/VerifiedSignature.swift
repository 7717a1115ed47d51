// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509
public import XMLDocuments

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
