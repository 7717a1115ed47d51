// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import Identities
public import X509

/// A certificate authority: a certificate that may issue others, and its key.
///
/// What it issues follows RFC 5280 and the practice of the Web PKI: random serial numbers, key identifiers everywhere,
/// critical basic constraints and key usage, one purpose a certificate, names only as subject alternative names.
public struct CertificateAuthority: Sendable {
    /// The authority's own chain and key: its certificate first, then its issuers up to and including the root.
    public let identity: Identity

    /// The URLs at which it publishes revocations and its certificate.
    public var publication = PublicationPoints()

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
    ///   - permitted: What it is for; without it, any name.
    ///   - pathLength: How many authorities may stand below it in a chain; `nil` for any number.
    ///   - now: The time of issue.
    /// - Throws: ``CertificateAuthorityError``, and what swift-crypto throws where it cannot make a key.
    public init(
        name: String, keyType: KeyType = .p256, validity: Validity = .years(10),
        permitting permitted: PermittedNames? = nil,
        pathLength: Int? = 1, now: Date
    ) throws {
        try self.init(
            name: name, key: keyType.makeKey(), validity: validity, permitting: permitted, pathLength: pathLength,
            now: now)
    }

    /// Makes a new root authority for a key that was made elsewhere, such as in a token.
    package init(
        name: String, key: Certificate.PrivateKey, validity: Validity, permitting permitted: PermittedNames?,
        pathLength: Int?, now: Date
    ) throws {
        let template = try CertificateTemplate(authority: name, pathLength: pathLength, permitting: permitted)
        identity = try template.selfSigned(key: key, validity: validity, now: now)
    }

    /// Takes up an authority that was made before.
    ///
    /// - Parameters:
    ///   - identity: Its chain, with the root at its end, and its key.
    ///   - publication: Where it publishes.
    /// - Throws: ``CertificateAuthorityError/notAnAuthority(subject:)`` where the certificate may issue no others.
    public init(_ identity: Identity, publication: PublicationPoints = PublicationPoints())
        throws(CertificateAuthorityError)
    {
        let extensions = identity.certificate.extensions
        guard case .isCertificateAuthority? = try? extensions.basicConstraints,
            (try? extensions.keyUsage)?.keyCertSign ?? true
        else { throw .notAnAuthority(subject: identity.certificate.subject) }
        self.identity = identity
        self.publication = publication
    }

    /// Makes an authority below this one that may issue leaves only (a path length of 0).
    ///
    /// - Parameters:
    ///   - name: Its common name, 1 to 64 characters.
    ///   - keyType: The kind of key made for it.
    ///   - validity: When its certificate is valid; a relative end is brought forward to this authority's own.
    ///   - permitted: What it is for; what this authority may not name, it may not either.
    ///   - now: The time of issue.
    /// - Returns: The new authority, whose chain ends in this one's.
    /// - Throws: ``CertificateAuthorityError/pathLengthExceeded`` where this authority may issue leaves only.
    public func issueIntermediate(
        name: String, keyType: KeyType = .p256, validity: Validity = .years(5),
        permitting permitted: PermittedNames? = nil,
        now: Date
    ) throws -> CertificateAuthority {
        try issueIntermediate(
            name: name, key: keyType.makeKey(), validity: validity, permitting: permitted, now: now)
    }

    /// Makes an authority below this one for a key that was made elsewhere, such as in a token.
    package func issueIntermediate(
        name: String, key: Certificate.PrivateKey, validity: Validity, permitting permitted: PermittedNames?, now: Date
    ) throws -> CertificateAuthority {
        if case .isCertificateAuthority(maxPathLength: 0) = try certificate.extensions.basicConstraints {
            throw CertificateAuthorityError.pathLengthExceeded
        }
        let template = try CertificateTemplate(authority: name, pathLength: 0, permitting: permitted)
        let certificate = try template.certificate(
            for: key.publicKey, from: identity, validity: validity, publication: publication, now: now)
        return try Self(Identity(chain: [certificate] + identity.chain, privateKey: key))
    }

    /// Issues a new certificate for an authority below this one.
    ///
    /// It has the same name, key and constraints, so what that authority issued stays good with either certificate.
    ///
    /// - Parameters:
    ///   - lower: The authority's certificate; it may have expired.
    ///   - validity: When the new certificate is valid; a relative end is brought forward to this authority's own.
    ///   - now: The time of issue.
    /// - Returns: The authority's new chain: its certificate, then this authority's chain.
    /// - Throws: ``CertificateAuthorityError/otherIssuer(subject:)`` where this authority did not issue the certificate.
    public func renew(_ lower: Certificate, validity: Validity = .years(5), now: Date) throws -> [Certificate] {
        guard lower.issuer == certificate.subject,
            certificate.publicKey.isValidSignature(lower.signature, for: lower)
        else { throw CertificateAuthorityError.otherIssuer(subject: lower.subject) }
        let renewed = try CertificateTemplate(authority: lower).certificate(
            for: lower.publicKey, from: identity, validity: validity, publication: publication, now: now)
        return [renewed] + identity.chain
    }

    /// Makes a certificate and its key for a server or a client.
    ///
    /// - Parameters:
    ///   - profile: The profile of the certificate: its names, validity and usage.
    ///   - now: The time of issue.
    /// - Returns: The new key with the chain that its owner presents: the leaf, then this authority's chain without the root.
    /// - Throws: ``CertificateAuthorityError`` where the profile's names or its validity make no certificate.
    public func issue(_ profile: LeafProfile, now: Date) throws -> Identity {
        let key = try profile.keyType.makeKey()
        return try Identity(chain: issue(profile, for: key.publicKey, now: now), privateKey: key)
    }

    /// Whether the authority may issue for a server's name.
    package func permits(_ name: String) -> Bool {
        guard let name = try? AlternativeName(name).generalName else { return false }
        return identity.chain.allSatisfy { (try? $0.extensions.nameConstraints?.permits(name)) ?? true }
    }

    /// Makes a certificate for a key whose owner is known to have it, such as that of a certificate that is renewed.
    ///
    /// - Parameters:
    ///   - profile: The profile of the certificate: its names, validity and usage.
    ///   - key: The key that is certified.
    ///   - now: The time of issue.
    /// - Returns: The chain that the key's owner presents: the leaf, then this authority's chain without the root.
    /// - Throws: ``CertificateAuthorityError`` where the profile's names or its validity make no certificate.
    public func issue(_ profile: LeafProfile, for key: Certificate.PublicKey, now: Date) throws -> [Certificate] {
        let leaf = try CertificateTemplate(leaf: profile).certificate(
            for: key, from: identity, validity: profile.validity, publication: publication, now: now)
        return [leaf] + identity.chain.dropLast()
    }

    /// Makes a self-signed certificate that is not an authority's.
    ///
    /// - Parameters:
    ///   - profile: The profile of the certificate: its names, validity and usage.
    ///   - now: The time of issue.
    /// - Returns: The new key and its certificate, alone.
    /// - Throws: ``CertificateAuthorityError`` where the profile's names or its validity make no certificate.
    public static func selfSigned(_ profile: LeafProfile, now: Date) throws -> Identity {
        try CertificateTemplate(leaf: profile)
            .selfSigned(key: profile.keyType.makeKey(), validity: profile.validity, now: now)
    }
}
