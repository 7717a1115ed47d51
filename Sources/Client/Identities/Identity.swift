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

/// The issuers of a leaf among the certificates of a file, each after the one that it issued.
///
/// This puts a file in the order that TLS presents (RFC 8446 section 4.4.2); it decides nothing about trust.
struct IssuerPath {
    /// How many signatures a file may make its reader check.
    private static let mostSignatures = 64
    private static let longest = 16

    /// The leaf's issuer, then that one's, and so on; without the leaf.
    private(set) var issuers: [Certificate] = []
    /// What is on no such path, in the order of the file.
    private(set) var others: [Certificate]
    private var signaturesLeft = mostSignatures

    init(from leaf: Certificate, among certificates: [Certificate]) {
        others = certificates.filter { $0 != leaf }
        var current = leaf
        while current.issuer != current.subject, issuers.count < Self.longest, let index = indexOfIssuer(of: current) {
            current = others.remove(at: index)
            issuers.append(current)
        }
    }

    /// The first certificate of the issuer's name whose key made the signature, else the first of that name: the
    /// signature may be of a kind that cannot be checked here.
    private mutating func indexOfIssuer(of certificate: Certificate) -> Int? {
        var first: Int?
        for (index, candidate) in others.enumerated() where candidate.subject == certificate.issuer {
            if first == nil { first = index }
            guard signaturesLeft > 0 else { break }
            signaturesLeft -= 1
            if candidate.publicKey.isValidSignature(certificate.signature, for: certificate) { return index }
        }
        return first
    }
}
