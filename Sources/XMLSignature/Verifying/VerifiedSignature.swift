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
        /// The element's names from the document's element down to it; empty for what lies outside of the document.
        ///
        /// Compare it with where the element must be before using the bytes.
        public let path: [XMLName]
        /// What was digested: the element in its canonical form, where no transform made other bytes of it.
        public let bytes: [UInt8]
        /// Whether the bytes are the canonical form of the whole element, which no other transform changed.
        public let isWholeElement: Bool
    }

    /// How it was signed.
    public let algorithm: SignatureAlgorithm
    /// The signed parts, in the order of the references.
    public let contents: [Content]
    /// The signer's, where the signer is known by a certificate.
    public let certificate: Certificate?
    /// SHA-256 of what the key signed, by which a message that comes again is recognized.
    ///
    /// The signature itself does not do: ECDSA's can be written differently by anyone.
    public let identifier: [UInt8]
}

extension XMLElement {
    /// The names from the document's element down to this one.
    var path: [XMLName] {
        sequence(first: self, next: \.parent).map(\.name).reversed()
    }
}
