// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
public import X509

/// A certificate chain and the private key of its leaf, with which a server or a client authenticates.
public struct Identity: Hashable, Sendable {
    /// The certificates: the leaf, its issuers, and other certificates from the same file; never empty.
    public let chain: [Certificate]

    /// The key of the first certificate of the chain.
    public let privateKey: Certificate.PrivateKey

    /// The leaf, the certificate of the private key.
    public let certificate: Certificate

    /// Makes an identity from a chain and a key.
    ///
    /// - Parameters:
    ///   - chain: The certificates, leaf first; the order of the others is not checked.
    ///   - privateKey: The leaf's key.
    /// - Throws: ``IdentityError/noCertificate`` if the chain is empty, and
    ///   ``IdentityError/keyDoesNotMatch(subject:)`` if the key does not match the leaf.
    public init(chain: [Certificate], privateKey: Certificate.PrivateKey) throws(IdentityError) {
        guard let leaf = chain.first else { throw .noCertificate }
        guard leaf.publicKey == privateKey.publicKey else { throw .keyDoesNotMatch(subject: leaf.subject) }
        self.chain = chain
        self.privateKey = privateKey
        certificate = leaf
    }
}

extension Identity {
    /// Compares chains only: each contains the public key of its private key.
    ///
    /// A comparison of private keys would copy them out of their protected memory.
    public static func == (left: Self, right: Self) -> Bool { left.chain == right.chain }

    /// Hashes the leaf only.
    public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}

extension Identity: CustomStringConvertible, CustomReflectable {
    /// The leaf's subject, without any part of the key.
    public var description: String { "Identity(\(certificate.subject.text))" }

    /// A mirror with only the chain, so that `dump` does not reveal the key.
    public var customMirror: Mirror { Mirror(self, children: ["chain": chain]) }
}

/// The issuers of a leaf among the certificates of a file, each after the certificate that it issued.
///
/// This is the order that TLS requires (RFC 8446 section 4.4.2); it does not imply trust.
struct IssuerPath {
    /// The maximum number of signature checks for a file.
    private static let maximumSignatureChecks = 64
    private static let maximumLength = 16

    /// The issuers from the leaf's issuer upward, without the leaf.
    private(set) var issuers: [Certificate] = []
    /// The remaining certificates, in the order of the file.
    private(set) var others: [Certificate]
    private var remainingSignatureChecks = maximumSignatureChecks

    init(from leaf: Certificate, among certificates: [Certificate]) {
        others = certificates.filter { $0 != leaf }
        var current = leaf
        while current.issuer != current.subject, issuers.count < Self.maximumLength,
            let index = indexOfIssuer(of: current)
        {
            current = others.remove(at: index)
            issuers.append(current)
        }
    }

    /// Returns the index of the first certificate with the issuer's name whose key made the signature, or else of the
    /// first with that name, because the signature algorithm may be unsupported.
    private mutating func indexOfIssuer(of certificate: Certificate) -> Int? {
        var first: Int?
        for (index, candidate) in others.enumerated() where candidate.subject == certificate.issuer {
            if first == nil { first = index }
            guard remainingSignatureChecks > 0 else { break }
            remainingSignatureChecks -= 1
            if candidate.publicKey.isValidSignature(certificate.signature, for: certificate) { return index }
        }
        return first
    }
}
