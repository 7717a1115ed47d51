// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import Identities
public import X509

/// A certificate authority whose key is in memory.
///
/// What it issues follows RFC 5280 and the practice of the Web PKI: random serial numbers, key identifiers everywhere,
/// critical basic constraints and key usage, one purpose a certificate, names only as subject alternative names.
public struct CertificateAuthority: Sendable {
    /// The authority's own chain and key: its certificate first, then its issuers up to and including the root.
    public let identity: Identity

    /// The authority's own certificate.
    public var certificate: Certificate { identity.certificate }

    /// The self-signed certificate at the end of the chain, which clients import as their anchor.
    public var root: Certificate { identity.chain.last ?? certificate }

    /// Makes a new root authority with a self-signed certificate.
    ///
    /// - Parameters:
    ///   - name: Its common name, 1 to 64 characters.
    ///   - keyType: The kind of key made for it.
    ///   - validity: When its certificate is valid.
    ///   - now: The time of issue.
    /// - Throws: ``CertificateAuthorityError``, and what swift-crypto throws where it cannot make a key.
    public init(name: String, keyType: KeyType = .p256, validity: Validity = .years(10), now: Date) throws {
        let template = try CertificateTemplate(authority: name, pathLength: nil)
        identity = try template.selfSigned(keyType: keyType, validity: validity, now: now)
    }

    private init(identity: Identity) {
        self.identity = identity
    }

    /// Makes an authority below this one that may issue leaves only (a path length of 0).
    ///
    /// - Parameters:
    ///   - name: Its common name, 1 to 64 characters.
    ///   - keyType: The kind of key made for it.
    ///   - validity: When its certificate is valid; a relative end is brought forward to this authority's own.
    ///   - now: The time of issue.
    /// - Returns: The new authority, whose chain ends in this one's.
    /// - Throws: ``CertificateAuthorityError/pathLengthExceeded`` where this authority may issue leaves only.
    public func issueIntermediate(
        name: String, keyType: KeyType = .p256, validity: Validity = .years(5), now: Date
    ) throws -> CertificateAuthority {
        if case .isCertificateAuthority(maxPathLength: 0) = try certificate.extensions.basicConstraints {
            throw CertificateAuthorityError.pathLengthExceeded
        }
        let template = try CertificateTemplate(authority: name, pathLength: 0)
        let key = try keyType.makeKey()
        let certificate = try template.certificate(for: key.publicKey, from: identity, validity: validity, now: now)
        return Self(identity: try Identity(chain: [certificate] + identity.chain, privateKey: key))
    }

    /// Makes a certificate and its key for a server or a client.
    ///
    /// - Parameters:
    ///   - profile: What the certificate is to say.
    ///   - now: The time of issue.
    /// - Returns: The new key with the chain that its owner presents: the leaf, then this authority's chain without the root.
    /// - Throws: ``CertificateAuthorityError`` where the profile's names or its validity make no certificate.
    public func issue(_ profile: LeafProfile, now: Date) throws -> Identity {
        let template = try CertificateTemplate(leaf: profile)
        let key = try profile.keyType.makeKey()
        let leaf = try template.certificate(for: key.publicKey, from: identity, validity: profile.validity, now: now)
        return try Identity(chain: [leaf] + identity.chain.dropLast(), privateKey: key)
    }

    /// Makes a certificate that nobody vouches for: signed with its own key, and no authority.
    ///
    /// - Parameters:
    ///   - profile: What the certificate is to say.
    ///   - now: The time of issue.
    /// - Returns: The new key and its certificate, alone.
    /// - Throws: ``CertificateAuthorityError`` where the profile's names or its validity make no certificate.
    public static func selfSigned(_ profile: LeafProfile, now: Date) throws -> Identity {
        try CertificateTemplate(leaf: profile)
            .selfSigned(keyType: profile.keyType, validity: profile.validity, now: now)
    }
}
