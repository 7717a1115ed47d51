// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import Identities
public import X509

/// A certificate authority: a certificate that may issue others, and its key.
///
/// Its certificates follow RFC 5280 and the practice of the Web PKI: random serial numbers, key identifiers everywhere,
/// critical basic constraints and key usage, one purpose per certificate, names only as subject alternative names.
public struct CertificateAuthority: Sendable {
    /// The authority's own chain and key: its certificate first, then its issuers up to and including the root.
    public let identity: Identity

    /// The URLs at which the authority publishes revocations and its certificate; none by default.
    public var publication = PublicationPoints()

    /// The authority's own certificate.
    public var certificate: Certificate { identity.certificate }

    /// The last certificate of the chain: the self-signed root, which clients import as their anchor.
    public var root: Certificate { identity.chain.last ?? certificate }

    /// Makes a new root authority with a self-signed certificate.
    ///
    /// - Parameters:
    ///   - name: The authority's common name, 1 to 64 characters.
    ///   - keyType: The kind of the authority's new key.
    ///   - validity: When the authority's certificate is valid.
    ///   - permitted: The names for which the authority may issue; `nil`, the default, for any name.
    ///   - pathLength: How many authorities may stand below this one in a chain, at least 0; `nil` for any number.
    ///   - now: The time of issue.
    /// - Throws: ``CertificateAuthorityError/malformedCommonName(_:)``, ``CertificateAuthorityError/emptyValidity(notBefore:notAfter:)``,
    ///   and swift-crypto's error if it cannot make an RSA key.
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

    /// Makes an authority of an existing certificate and its key.
    ///
    /// - Parameters:
    ///   - identity: The authority's chain, its certificate first and the root last, and its key.
    ///   - publication: The URLs at which the authority publishes; none by default.
    /// - Throws: ``CertificateAuthorityError/notAnAuthority(subject:)`` if the certificate may issue no others.
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
    ///   - name: The new authority's common name, 1 to 64 characters.
    ///   - keyType: The kind of the new authority's key.
    ///   - validity: When the new authority's certificate is valid; a relative end is brought forward to this authority's end.
    ///   - permitted: The names for which the new authority may issue, within those of this authority; `nil`, the default, for all of them.
    ///   - now: The time of issue.
    /// - Returns: The new authority, whose chain continues with this one's.
    /// - Throws: ``CertificateAuthorityError/pathLengthExceeded`` if this authority may issue leaves only,
    ///   ``CertificateAuthorityError/malformedCommonName(_:)``, ``CertificateAuthorityError/emptyValidity(notBefore:notAfter:)``,
    ///   ``CertificateAuthorityError/unsupportedKey``, and swift-crypto's error if it cannot make an RSA key.
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
    /// The new certificate has the same name, key and constraints, so certificates of the lower authority are valid with either one.
    ///
    /// - Parameters:
    ///   - lower: The lower authority's certificate; it may have expired.
    ///   - validity: When the new certificate is valid; a relative end is brought forward to this authority's end.
    ///   - now: The time of issue.
    /// - Returns: The lower authority's new chain: its certificate, then this authority's chain.
    /// - Throws: ``CertificateAuthorityError/otherIssuer(subject:)`` if this authority did not issue the certificate,
    ///   ``CertificateAuthorityError/notAnAuthority(subject:)``, ``CertificateAuthorityError/emptyValidity(notBefore:notAfter:)``, and
    ///   ``CertificateAuthorityError/unsupportedKey``.
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
    /// - Throws: ``CertificateAuthorityError`` if the profile's names or its validity make no certificate or the authority may not issue
    ///   for a name, and swift-crypto's error if it cannot make an RSA key.
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
    ///   - key: The key that is certified; the profile's kind of key is not used.
    ///   - now: The time of issue.
    /// - Returns: The chain that the key's owner presents: the leaf, then this authority's chain without the root.
    /// - Throws: ``CertificateAuthorityError`` if the profile's names or its validity make no certificate, or the authority may not issue
    ///   for a name.
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
    /// - Throws: ``CertificateAuthorityError`` if the profile's names or its validity make no certificate, and swift-crypto's error if it
    ///   cannot make an RSA key.
    public static func selfSigned(_ profile: LeafProfile, now: Date) throws -> Identity {
        try CertificateTemplate(leaf: profile, isSelfSigned: true)
            .selfSigned(key: profile.keyType.makeKey(), validity: profile.validity, now: now)
    }
}
