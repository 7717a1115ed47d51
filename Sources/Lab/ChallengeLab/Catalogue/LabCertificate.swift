// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Crypto
import Identities
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a certificate of the lab says, right or wrong; the defaults make a good one of a server.
///
/// `CertificateAuthority` refuses to make most of these.
struct LabCertificate {
    /// An extension that swift-certificates does not make.
    struct RawExtension {
        let oid: ASN1ObjectIdentifier
        let critical: Bool
        /// In DER.
        let value: [UInt8]
    }

    var commonName = "localhost"
    /// `nil` leaves the extension out.
    var names: [GeneralName]?
    /// From the lab's start, in seconds.
    var begin = -3_600.0
    /// From the lab's start, in seconds.
    var end = 30 * 86_400.0
    var constraints = BasicConstraints.notCertificateAuthority
    var keyUsage = KeyUsage(digitalSignature: true)
    /// `nil` leaves the extension out.
    var purposes: [ExtendedKeyUsage.Usage]? = [.serverAuth]
    var nameConstraints: NameConstraints?
    var extensions: [RawExtension] = []
    var key = LabKey.p256
    /// `nil` takes the usual one of the issuer's key.
    var algorithm: Certificate.SignatureAlgorithm?

    /// An authority without limits.
    static func authority(_ commonName: String) -> Self {
        var recipe = Self()
        recipe.commonName = commonName
        recipe.constraints = .isCertificateAuthority(maxPathLength: nil)
        recipe.keyUsage = KeyUsage(keyCertSign: true, cRLSign: true)
        recipe.purposes = nil
        return recipe
    }

    /// Only names at or below these may be issued for.
    mutating func permits(dnsNames: [String]) {
        nameConstraints = NameConstraints(permittedDNSDomains: dnsNames)
    }

    /// No names at or below this one may be issued for.
    mutating func excludes(dnsName: String) {
        nameConstraints = NameConstraints(excludedDNSDomains: [dnsName])
    }

    /// A certificate for a key.
    ///
    /// - Parameters:
    ///   - key: The key of the subject.
    ///   - issuer: The name in the certificate of the issuer; `nil` for the subject itself.
    ///   - issuerKey: The key that signs.
    ///   - now: The lab's start.
    /// - Returns: The certificate.
    /// - Throws: What swift-certificates throws.
    func made(
        for key: Certificate.PublicKey, issuer: DistinguishedName?, signedBy issuerKey: Certificate.PrivateKey,
        now: Date
    ) throws -> Certificate {
        let subject = try DistinguishedName { CommonName(commonName) }
        let extensions = try allExtensions(key: key, issuerKey: issuerKey.publicKey)
        let serialNumber = Certificate.SerialNumber(
            bytes: [0x40] + (0..<15).map { _ in UInt8.random(in: .min ... .max) })
        guard let algorithm else {
            return try Certificate(
                version: .v3, serialNumber: serialNumber, publicKey: key, notValidBefore: now + begin,
                notValidAfter: now + end, issuer: issuer ?? subject, subject: subject, extensions: extensions,
                issuerPrivateKey: issuerKey)
        }
        return try Certificate(
            version: .v3, serialNumber: serialNumber, publicKey: key, notValidBefore: now + begin,
            notValidAfter: now + end, issuer: issuer ?? subject, subject: subject, signatureAlgorithm: algorithm,
            extensions: extensions, issuerPrivateKey: issuerKey)
    }

    private func allExtensions(
        key: Certificate.PublicKey, issuerKey: Certificate.PublicKey
    ) throws -> Certificate.Extensions {
        var all = Certificate.Extensions()
        try all.append(Certificate.Extension(constraints, critical: true))
        try all.append(Certificate.Extension(keyUsage, critical: true))
        if let purposes { try all.append(Certificate.Extension(ExtendedKeyUsage(purposes), critical: false)) }
        if let names { try all.append(Certificate.Extension(SubjectAlternativeNames(names), critical: false)) }
        if let nameConstraints { try all.append(Certificate.Extension(nameConstraints, critical: true)) }
        try all.append(Certificate.Extension(SubjectKeyIdentifier(hash: key), critical: false))
        let issuer = SubjectKeyIdentifier(hash: issuerKey).keyIdentifier
        try all.append(Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: issuer), critical: false))
        for one in extensions {
            try all.append(Certificate.Extension(oid: one.oid, critical: one.critical, value: one.value[...]))
        }
        return all
    }
}

extension GeneralName {
    /// A host's name or address.
    init(host: String) {
        self = (try? HostName(host))?.addressBytes.map(Self.address) ?? .dnsName(host)
    }

    /// An iPAddress of these octets.
    static func address(_ octets: [UInt8]) -> Self { .ipAddress(ASN1OctetString(contentBytes: octets[...])) }
}
