// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509
public import XMLSignature

/// How a message is signed.
public struct MessageSignature: Sendable {
    /// The key, which may live elsewhere.
    public var key: any SigningKey
    /// The key's certificate first, then those between it and an anchor; empty for a shared secret.
    public var certificates: [Certificate]
    /// How the message says which key signed it.
    public var reference = CertificateReference.token
    /// The parts that are signed.
    public var parts: [MessagePart] = [.body, .timestamp]
    /// How parts and `SignedInfo` become bytes.
    ///
    /// An exclusive method is told the prefixes that each part uses in its texts and in the values of its attributes.
    public var canonicalization = Canonicalization(.exclusive)
    /// How parts are digested.
    public var digest = DigestAlgorithm.sha256
    /// Whether SHA-1 may sign, which is broken: only for old systems.
    public var allowsSHA1 = false

    /// A signature by its key.
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
