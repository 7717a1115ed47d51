// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// A certificate chain and the private key of its leaf, with which a server or a client proves who it is.
public struct Identity: Hashable, Sendable {
    /// The certificates, leaf first, then its issuers, and then other certificates of the file that it was read from; never empty.
    public let chain: [Certificate]

    /// The key of the first certificate of the chain.
    public let privateKey: Certificate.PrivateKey

    /// The leaf, the certificate of the private key.
    public let certificate: Certificate

    /// Joins a chain and a key.
    ///
    /// - Parameters:
    ///   - chain: The certificates, leaf first; the order of the others is not checked.
    ///   - privateKey: The leaf's key.
    /// - Throws: ``IdentityError/noCertificate`` where the chain is empty, and
    ///   ``IdentityError/keyDoesNotMatch(subject:)`` where the key is not the leaf's.
    public init(chain: [Certificate], privateKey: Certificate.PrivateKey) throws(IdentityError) {
        guard let leaf = chain.first else { throw .noCertificate }
        guard leaf.publicKey == privateKey.publicKey else { throw .keyDoesNotMatch(subject: leaf.subject) }
        self.chain = chain
        self.privateKey = privateKey
        certificate = leaf
    }
}

extension Identity: CustomStringConvertible, CustomReflectable {
    /// The leaf's subject, without any part of the key.
    public var description: String { "Identity(\(certificate.subject))" }

    /// Shows the chain only, so that `dump` does not walk into the key.
    public var customMirror: Mirror { Mirror(self, children: ["chain": chain]) }
}
