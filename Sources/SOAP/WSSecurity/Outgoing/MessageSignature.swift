// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509
public import XMLSignature

/// The signature that is added to a message: its key, its parts and its algorithms.
public struct MessageSignature: Sendable {
    /// The key, which may be held by another program or device.
    public var key: any SigningKey
    /// The certificates, the key's first, then those between it and an anchor; empty for a shared secret.
    public var certificates: [Certificate]
    /// The way in which the message names the key's certificate; ``CertificateReference/token`` by default.
    public var reference = CertificateReference.token
    /// The parts that are signed; the Body and the time by default.
    public var parts: [MessagePart] = [.body, .timestamp]
    /// The method that turns parts and `SignedInfo` into bytes; the exclusive one by default.
    ///
    /// An exclusive method is told the prefixes that each part uses in its texts and in the values of its attributes.
    public var canonicalization = Canonicalization(.exclusive)
    /// The digest algorithm of the parts; SHA-256 by default.
    public var digest = DigestAlgorithm.sha256
    /// Whether SHA-1, which is broken, may be used, for old systems; `false` by default.
    public var allowsSHA1 = false

    /// Creates a signature from its key and that key's certificates.
    public init(key: any SigningKey, certificates: [Certificate]) {
        (self.key, self.certificates) = (key, certificates)
    }

    /// Refuses what is broken and not allowed by name.
    func checkAlgorithms() throws(WSSecurityError) {
        guard !allowsSHA1 else { return }
        if key.algorithm.isLegacy { throw .brokenAlgorithm(key.algorithm.rawValue) }
        if digest == .sha1 { throw .brokenAlgorithm(digest.rawValue) }
    }
}
