// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CryptoExtras
internal import EssentialFoundation
internal import Identities
internal import SwiftASN1
internal import X509

/// The contents of a certificate that do not depend on the issuer.
struct CertificateTemplate {
    private enum Purpose {
        case authority
        case leaf(LeafProfile.Purpose)
        case responder
    }

    private let purpose: Purpose
    let subject: DistinguishedName
    private let names: [GeneralName]
    private let extensions: Certificate.Extensions

    /// Creates the template of an authority; `pathLength` is the maximum number of authorities below it, `nil`
    /// for no limit.
    init(authority name: String, pathLength: Int?, permitting permitted: PermittedNames?) throws {
        purpose = .authority
        subject = try DistinguishedName(commonName: name)
        names = []
        extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength))
            if let permitted { try permitted.certificateExtension }
        }
    }

    /// Creates a template from an authority's existing certificate.
    init(authority certificate: Certificate) throws {
        guard case .isCertificateAuthority? = try certificate.extensions.basicConstraints else {
            throw CertificateAuthorityError.notAnAuthority(subject: certificate.subject)
        }
        purpose = .authority
        subject = certificate.subject
        names = []
        let retained = [ASN1ObjectIdentifier.X509ExtensionID.basicConstraints, .X509ExtensionID.nameConstraints]
        extensions = try Certificate.Extensions(certificate.extensions.filter { retained.contains($0.oid) })
    }

    /// Creates the template of a server or a client.
    ///
    /// A self-signed certificate always has a subject, because an issuer must have one (RFC 5280 section 4.1.2.4).
    init(leaf profile: LeafProfile, isSelfSigned: Bool = false) throws {
        if profile.purpose == .server, profile.names.isEmpty { throw CertificateAuthorityError.noNames }
        let all =
            try profile.names.map { try AlternativeName($0).generalName }
            + profile.mailboxes.map { try AlternativeName(mailbox: $0).generalName }
        var known: Set<GeneralName> = []
        let names = all.filter { known.insert($0).inserted }
        var subject = try DistinguishedName(profile.subject, names)
        if isSelfSigned, subject.isEmpty, let name = names.first?.plainText {
            subject = try DistinguishedName(commonName: String(name.prefix(DistinguishedName.maximumCommonNameLength)))
        }
        if subject.isEmpty, names.isEmpty { throw CertificateAuthorityError.malformedSubject("") }
        purpose = .leaf(profile.purpose)
        self.subject = subject
        self.names = names
        extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            try ExtendedKeyUsage([profile.purpose.extendedKeyUsage])
            // Without a subject, the alternative names must be critical (RFC 5280 section 4.2.1.6).
            if !names.isEmpty {
                try Certificate.Extension(SubjectAlternativeNames(names), critical: subject.isEmpty)
            }
        }
    }

    /// Creates the template of an authority's OCSP responder, whose own revocation status no client checks (RFC 6960
    /// section 4.2.2.2.1).
    init(responderFor authority: DistinguishedName) throws {
        purpose = .responder
        subject = try DistinguishedName { CommonName("OCSP responder") }
        names = []
        extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            try ExtendedKeyUsage([.ocspSigning])
            Certificate.Extension(oid: [1, 3, 6, 1, 5, 5, 7, 48, 1, 5], critical: false, value: [5, 0])
        }
    }

    /// Creates a certificate for a key, signed by an issuer.
    func certificate(
        for key: Certificate.PublicKey, from issuer: Identity, validity: Validity, publication: PublicationPoints,
        now: Date
    ) throws -> Certificate {
        let authority = issuer.certificate
        for constraints in try issuer.chain.compactMap({ try $0.extensions.nameConstraints }) {
            if let name = names.first(where: { !constraints.permits($0) }) {
                throw CertificateAuthorityError.notPermitted(name.plainText ?? "\(name)")
            }
        }
        let issuerIdentifier =
            try authority.extensions.subjectKeyIdentifier ?? SubjectKeyIdentifier(hash: authority.publicKey)
        // No client requests the responder's own status.
        let pointers = if case .responder = purpose { [Certificate.Extension]() } else { try publication.extensions }
        return try certificate(
            for: key, period: validity.period(at: now, noLaterThan: authority.notValidAfter),
            issuer: authority.subject, issuerIdentifier: issuerIdentifier, pointers: pointers,
            signedBy: issuer.privateKey)
    }

    /// The extensions for a certificate request.
    var requested: Certificate.Extensions {
        get throws { try Certificate.Extensions(extensions.filter { $0.oid != .X509ExtensionID.basicConstraints }) }
    }

    /// Creates a self-signed certificate with its key.
    func selfSigned(key: Certificate.PrivateKey, validity: Validity, now: Date) throws -> Identity {
        let certificate = try certificate(
            for: key.publicKey, period: validity.period(at: now, noLaterThan: nil), issuer: subject,
            issuerIdentifier: SubjectKeyIdentifier(hash: key.publicKey), pointers: [], signedBy: key)
        return try Identity(chain: [certificate], privateKey: key)
    }

    private func certificate(
        for key: Certificate.PublicKey, period: (notBefore: Date, notAfter: Date), issuer: DistinguishedName,
        issuerIdentifier: SubjectKeyIdentifier, pointers: [Certificate.Extension],
        signedBy issuerKey: Certificate.PrivateKey
    ) throws -> Certificate {
        var extensions = extensions
        try extensions.append(Certificate.Extension(keyUsage(key), critical: true))
        try extensions.append(SubjectKeyIdentifier(hash: key).makeCertificateExtension())
        try extensions.append(
            AuthorityKeyIdentifier(keyIdentifier: issuerIdentifier.keyIdentifier).makeCertificateExtension())
        for pointer in pointers { try extensions.append(pointer) }
        return try Certificate(
            version: .v3, serialNumber: .random(), publicKey: key, notValidBefore: period.notBefore,
            notValidAfter: period.notAfter, issuer: issuer, subject: subject,
            signatureAlgorithm: SigningAlgorithm(issuerKey.publicKey).signature, extensions: extensions,
            issuerPrivateKey: issuerKey)
    }

    private func keyUsage(_ key: Certificate.PublicKey) -> KeyUsage {
        switch purpose {
        case .authority: KeyUsage(keyCertSign: true, cRLSign: true)
        // Key encipherment requires an RSA server key, and only the static RSA key exchange of TLS 1.2 uses it.
        case .leaf(.server):
            KeyUsage(digitalSignature: true, keyEncipherment: _RSA.Signing.PublicKey(key) != nil)
        case .leaf(.client), .responder: KeyUsage(digitalSignature: true)
        }
    }
}

extension DistinguishedName {
    /// The maximum length of a common name (RFC 5280 appendix A, `ub-common-name`).
    fileprivate static let maximumCommonNameLength = 64

    fileprivate init(_ subject: LeafProfile.Subject, _ names: [GeneralName]) throws {
        switch subject {
        case .commonName(let name): try self.init(commonName: name)
        case .firstDNSName:
            let name = names.compactMap { if case .dnsName(let name) = $0 { name } else { nil } }
                .first { $0.unicodeScalars.count <= Self.maximumCommonNameLength }
            self = try name.map { try Self(commonName: $0) } ?? DistinguishedName()
        case .entireName(let name): self = name
        }
    }

    fileprivate init(commonName: String) throws {
        guard (1...Self.maximumCommonNameLength).contains(commonName.unicodeScalars.count) else {
            throw CertificateAuthorityError.malformedCommonName(commonName)
        }
        self = try DistinguishedName { CommonName(commonName) }
    }
}

extension Certificate.SerialNumber {
    /// Returns a serial number with 159 random bits, which is positive and has at most 20 bytes (RFC 5280 section
    /// 4.1.2.2).
    ///
    /// Among a thousand million certificates, the probability of a collision is less than 2^-100.
    static func random() -> Self {
        var bytes = (0..<20).map { _ in UInt8.random(in: .min ... .max) }
        bytes[0] &= 0x7f
        return Self(bytes: bytes)
    }
}

extension LeafProfile.Purpose {
    var extendedKeyUsage: ExtendedKeyUsage.Usage {
        switch self {
        case .server: .serverAuth
        case .client: .clientAuth
        }
    }
}
