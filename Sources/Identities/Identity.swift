// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// A certificate chain and the private key of its leaf, with which a client proves who it is.
public struct Identity: Hashable, Sendable {
    /// Leaf first; never empty.
    public let chain: [Certificate]
    /// The key of the first certificate of the chain.
    public let privateKey: Certificate.PrivateKey

    /// - Throws: ``IdentityError`` where the chain is empty or the key is not the leaf's.
    public init(chain: [Certificate], privateKey: Certificate.PrivateKey) throws(IdentityError) {
        guard let leaf = chain.first else { throw .noCertificate }
        guard leaf.publicKey == privateKey.publicKey else { throw .keyDoesNotMatch }
        self.chain = chain
        self.privateKey = privateKey
    }

    /// The leaf.
    public var certificate: Certificate { chain[0] }
}
