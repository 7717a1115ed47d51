// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import Identities
public import X509

/// A certificate authority: a certificate that may issue others, and its key.
///
/// The issued certificates follow RFC 5280 and the practice of the Web PKI: they have random serial numbers, key
/// identifiers, and critical basic constraints and key usage. A leaf certificate has only one purpose, and has its
/// names as subject alternative names.
public struct CertificateAuthority: Sendable {
    /// The authority's chain and key.
    ///
    /// The chain consists of its certificate and its issuers up to and including the root.
    public let identity: Identity

    /// The URLs at which the authority publishes revocations and its certificate; none by default.
    public var publication = PublicationPoints()

    /// The authority's own certificate.
    public var certificate: Certificate { identity.certificate }

    /// The last certificate of the chain, which is the self-signed root that clients import as their anchor.
    public var root: Certificate { identity.chain.last ?? certificate }

    /// Creates a new root authority with a self-signed certificate.
    ///
    /// - Parameters:
    ///   - name: The authority's common name, 1 to 64 characters.
    ///   - keyType: The type of the authority's new key.
    ///   - validity: The validity period of the authority's certificate.
    ///   - permitted: The names for which the authority may issue; `nil`, the default, for any name.
    ///   - pathLength: The maximum number of authorities below this one in a chain, at least 0; `nil` for no limit.
    ///   - now: The time of issue.
    /// - Throws: ``CertificateAuthorityError/malformedCommonName(_:)``,
    ///   ``CertificateAuthorityError/emptyValidity(notBefore:notAfter:)``, and swift-crypto's error if it cannot create
    ///   an RSA key.
    public init(
        name: String, keyType: KeyType = .p256, validity: Validity = .years(10),
        permitting permitted: PermittedNames? = nil,
        pathLength: Int? = 1, now: Date
    ) throws {
        try self.init(
            name: name, key: keyType.makeKey(), validity: validity, permitting: permitted, pathLength: pathLength,
            now: now)
    }

    /// Creates a new root authority for an existing key, such as one in a token.
    package init(
        name: String, key: Certificate.PrivateKey, validity: Validity, permitting permitted: PermittedNames?,
        pathLength: Int?, now: Date
    ) throws {
        let template = try CertificateTemplate(authority: name, pathLength: pathLength, permitting: permitted)
        identity = try template.selfSigned(key: key, validity: validity, now: now)
    }

    /// Creates an authority from an existing certificate and its key.
    ///
    /// - Parameters:
    ///   - identity: The authority's chain, its certificate first and the root last, and its key.
    ///   - publication: The URLs at which the authority publishes; none by default.
    /// - Throws: ``CertificateAuthorityError/notAnAuthority(subject:)`` if the certificate may not issue others.
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

    /// Creates an authority below this one, which may issue only leaves (path length 0).
    ///
    /// - Parameters:
    ///   - name: The new authority's common name, 1 to 64 characters.
    ///   - keyType: The type of the new authority's key.
    ///   - validity: The validity period of the new authority's certificate; a relative end is limited to this
    ///     authority's.
    ///   - permitted: The names for which the new authority may issue, among those of this authority; `nil`, the
    ///     default, for all of them.
    ///   - now: The time of issue.
    /// - Returns: The new authority, whose chain continues with this authority's chain.
    /// - Throws: ``CertificateAuthorityError/pathLengthExceeded`` if this authority may issue only leaves,
    ///   ``CertificateAuthorityError/malformedCommonName(_:)``,
    ///   ``CertificateAuthorityError/emptyValidity(notBefore:notAfter:)``,
    ///   ``CertificateAuthorityError/unsupportedKey``, and swift-crypto's error if it cannot create an RSA key.
    public func issueIntermediate(
        name: String, keyType: KeyType = .p256, validity: Validity = .years(5),
        permitting permitted: PermittedNames? = nil,
        now: Date
    ) throws -> CertificateAuthority {
        try issueIntermediate(
            name: name, key: keyType.makeKey(), validity: validity, permitting: permitted, now: now)
    }

    /// Creates an authority below this one for an existing key, such as one in a token.
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
    /// The new certificate has the same name, key and constraints, so the certificates of the lower authority are valid
    /// with both.
    ///
    /// - Parameters:
    ///   - lower: The lower authority's certificate; it may have expired.
    ///   - validity: The validity period of the new certificate; a relative end is limited to this authority's.
    ///   - now: The time of issue.
    /// - Returns: The lower authority's new chain, which consists of its certificate and this authority's chain.
    /// - Throws: ``CertificateAuthorityError/otherIssuer(subject:)`` if this authority did not issue the certificate,
    ///   ``CertificateAuthorityError/notAnAuthority(subject:)``,
    ///   ``CertificateAuthorityError/emptyValidity(notBefore:notAfter:)``, and
    ///   ``CertificateAuthorityError/unsupportedKey``.
    public func renew(_ lower: Certificate, validity: Validity = .years(5), now: Date) throws -> [Certificate] {
        guard lower.issuer == certificate.subject,
            certificate.publicKey.isValidSignature(lower.signature, for: lower)
        else { throw CertificateAuthorityError.otherIssuer(subject: lower.subject) }
        let renewed = try CertificateTemplate(authority: lower).certificate(
            for: lower.publicKey, from: identity, validity: validity, publication: publication, now: now)
        return [renewed] + identity.chain
    }

    /// Issues a certificate with a new key for a server or a client.
    ///
    /// - Parameters:
    ///   - profile: The profile of the certificate: its names, validity and usage.
    ///   - now: The time of issue.
    /// - Returns: The new key with the chain that its owner presents: the leaf, then this authority's chain
    ///   without the root.
    /// - Throws: ``CertificateAuthorityError`` if the profile has invalid names or an invalid validity, or the
    ///   authority may not issue for a name, and swift-crypto's error if it cannot create an RSA key.
    public func issue(_ profile: LeafProfile, now: Date) throws -> Identity {
        let key = try profile.keyType.makeKey()
        return try Identity(chain: issue(profile, for: key.publicKey, now: now), privateKey: key)
    }

    /// Returns whether the authority may issue for a server name.
    package func permits(_ name: String) -> Bool {
        guard let name = try? AlternativeName(name).generalName else { return false }
        return identity.chain.allSatisfy { (try? $0.extensions.nameConstraints?.permits(name)) ?? true }
    }

    /// Issues a certificate for an existing key whose possession was verified before, such as that of a renewed
    /// certificate.
    ///
    /// - Parameters:
    ///   - profile: The profile of the certificate: its names, validity and usage.
    ///   - key: The key to certify; the profile's key type is ignored.
    ///   - now: The time of issue.
    /// - Returns: The chain that the key's owner presents: the leaf, then this authority's chain without the root.
    /// - Throws: ``CertificateAuthorityError`` if the profile has invalid names or an invalid validity, or the
    ///   authority may not issue for a name.
    public func issue(_ profile: LeafProfile, for key: Certificate.PublicKey, now: Date) throws -> [Certificate] {
        let leaf = try CertificateTemplate(leaf: profile).certificate(
            for: key, from: identity, validity: profile.validity, publication: publication, now: now)
        return [leaf] + identity.chain.dropLast()
    }

    /// Creates a self-signed certificate that is not an authority's.
    ///
    /// - Parameters:
    ///   - profile: The profile of the certificate: its names, validity and usage.
    ///   - now: The time of issue.
    /// - Returns: The new key with a chain of only its certificate.
    /// - Throws: ``CertificateAuthorityError`` if the profile has invalid names or an invalid validity, and
    ///   swift-crypto's error if it cannot create an RSA key.
    public static func selfSigned(_ profile: LeafProfile, now: Date) throws -> Identity {
        try CertificateTemplate(leaf: profile, isSelfSigned: true)
            .selfSigned(key: profile.keyType.makeKey(), validity: profile.validity, now: now)
    }
}
