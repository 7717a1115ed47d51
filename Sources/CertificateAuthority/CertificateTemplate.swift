// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import Identities
internal import X509

/// Everything in a certificate that does not depend on whose key signs it.
struct CertificateTemplate {
    private let subject: DistinguishedName
    private let extensions: Certificate.Extensions

    /// An authority's; the path length is how many authorities may stand below it, `nil` for any number.
    init(authority name: String, pathLength: Int?) throws {
        subject = try Self.subject(name)
        extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        }
    }

    /// A server's or a client's.
    init(leaf profile: LeafProfile) throws {
        if profile.purpose == .server, profile.names.isEmpty { throw CertificateAuthorityError.noNames }
        let names = SubjectAlternativeNames(try profile.names.map { try AlternativeName($0).generalName })
        // A DNS name may be longer than a common name; the subject is then empty, and the names critical for it
        // (RFC 5280 section 4.2.1.6).
        let isUnnamed = profile.purpose == .server && profile.commonName.unicodeScalars.count > Self.longestCommonName
        subject = isUnnamed ? DistinguishedName() : try Self.subject(profile.commonName)
        // Only RSA keys encipher, and only in TLS 1.2's static RSA key exchange, where the server's is used.
        let enciphers = profile.purpose == .server && profile.keyType == .rsa2048
        extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true, keyEncipherment: enciphers))
            try ExtendedKeyUsage([profile.purpose.extendedKeyUsage])
            if !names.isEmpty { try Certificate.Extension(names, critical: isUnnamed) }
        }
    }

    /// A certificate for a key that another identity's key signs.
    func certificate(
        for key: Certificate.PublicKey, from issuer: Identity, validity: Validity, now: Date
    ) throws -> Certificate {
        let authority = issuer.certificate
        let issuerIdentifier =
            try authority.extensions.subjectKeyIdentifier ?? SubjectKeyIdentifier(hash: authority.publicKey)
        return try certificate(
            for: key, period: validity.period(at: now, noLaterThan: authority.notValidAfter),
            issuer: authority.subject, issuerIdentifier: issuerIdentifier, signedBy: issuer.privateKey
        )
    }

    /// A new key and the certificate that it signs itself.
    func selfSigned(keyType: CertificateAuthority.KeyType, validity: Validity, now: Date) throws -> Identity {
        let key = try keyType.makeKey()
        let certificate = try certificate(
            for: key.publicKey, period: validity.period(at: now, noLaterThan: nil), issuer: subject,
            issuerIdentifier: SubjectKeyIdentifier(hash: key.publicKey), signedBy: key
        )
        return try Identity(chain: [certificate], privateKey: key)
    }

    private func certificate(
        for key: Certificate.PublicKey, period: (notBefore: Date, notAfter: Date), issuer: DistinguishedName,
        issuerIdentifier: SubjectKeyIdentifier, signedBy issuerKey: Certificate.PrivateKey
    ) throws -> Certificate {
        var extensions = extensions
        try extensions.append(SubjectKeyIdentifier(hash: key).makeCertificateExtension())
        try extensions.append(
            AuthorityKeyIdentifier(keyIdentifier: issuerIdentifier.keyIdentifier).makeCertificateExtension()
        )
        return try Certificate(
            version: .v3, serialNumber: Self.randomSerialNumber(), publicKey: key, notValidBefore: period.notBefore,
            notValidAfter: period.notAfter, issuer: issuer, subject: subject, extensions: extensions,
            issuerPrivateKey: issuerKey
        )
    }

    /// Sixteen bytes, positive, with 126 random bits: RFC 5280 section 4.1.2.2 allows 20 bytes, the Web PKI asks for 64 bits.
    private static func randomSerialNumber() -> Certificate.SerialNumber {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[0] = bytes[0] & 0x7f | 0x40
        return Certificate.SerialNumber(bytes: bytes)
    }

    private static let longestCommonName = 64

    private static func subject(_ commonName: String) throws -> DistinguishedName {
        guard (1...longestCommonName).contains(commonName.unicodeScalars.count) else {
            throw CertificateAuthorityError.malformedCommonName(commonName)
        }
        return try DistinguishedName { CommonName(commonName) }
    }
}

extension LeafProfile.Purpose {
    fileprivate var extendedKeyUsage: ExtendedKeyUsage.Usage {
        switch self {
        case .server: .serverAuth
        case .client: .clientAuth
        }
    }
}
