// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Crypto
import CryptoExtras
import EssentialFoundation
import Identities
import SwiftASN1
import X509

/// The contents of a certificate of the lab, correct or faulty.
///
/// The defaults make a correct server certificate.
///
/// `CertificateAuthority` refuses to issue most of the faulty ones.
struct LabCertificate {
    /// An extension that swift-certificates does not support.
    struct RawExtension {
        let oid: ASN1ObjectIdentifier
        let critical: Bool
        /// The value in DER.
        let value: [UInt8]
    }

    var commonName = "localhost"
    /// The subject alternative names; `nil` omits the extension.
    var names: [GeneralName]?
    /// The start of the validity, in seconds from the start of the lab.
    var begin = -3_600.0
    /// The end of the validity, in seconds from the start of the lab.
    var end = 30 * 86_400.0
    var constraints = BasicConstraints.notCertificateAuthority
    var keyUsage = KeyUsage(digitalSignature: true)
    /// The extended key usages; `nil` omits the extension.
    var purposes: [ExtendedKeyUsage.Usage]? = [.serverAuth]
    var nameConstraints: NameConstraints?
    var extensions: [RawExtension] = []
    var key = LabKey.p256
    /// The signature algorithm; `nil` for the default of the issuer's key.
    var algorithm: Certificate.SignatureAlgorithm?

    /// Returns the contents of an authority's certificate without constraints.
    static func authority(_ commonName: String) -> Self {
        var recipe = Self()
        recipe.commonName = commonName
        recipe.constraints = .isCertificateAuthority(maxPathLength: nil)
        recipe.keyUsage = KeyUsage(keyCertSign: true, cRLSign: true)
        recipe.purposes = nil
        return recipe
    }

    /// Permits only these names and names below them.
    mutating func permits(dnsNames: [String]) {
        nameConstraints = NameConstraints(permittedDNSDomains: dnsNames)
    }

    /// Excludes this name and names below it.
    mutating func excludes(dnsName: String) {
        nameConstraints = NameConstraints(excludedDNSDomains: [dnsName])
    }

    /// Returns a certificate for a key.
    ///
    /// - Parameters:
    ///   - key: The key of the subject.
    ///   - issuer: The name of the issuer; `nil` for the subject's name.
    ///   - issuerKey: The key that signs.
    ///   - now: The start of the lab.
    /// - Returns: The certificate.
    /// - Throws: The errors of swift-certificates.
    func makeCertificate(
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
    /// Creates a name from a host name or IP address.
    init(host: String) {
        self = (try? HostName(host))?.addressBytes.map(Self.address) ?? .dnsName(host)
    }

    /// Returns an iPAddress with the given octets.
    static func address(_ octets: [UInt8]) -> Self { .ipAddress(ASN1OctetString(contentBytes: octets[...])) }
}

/// The key types of the lab's servers.
enum LabKey {
    case p256
    case p384
    case rsa2048
    case rsa1024

    /// Returns a key.
    ///
    /// EC keys are new, but the RSA keys are constants, because generating one takes longer than starting the rest of
    /// the lab.
    func make() throws -> Certificate.PrivateKey {
        switch self {
        case .p256: Certificate.PrivateKey(P256.Signing.PrivateKey())
        case .p384: Certificate.PrivateKey(P384.Signing.PrivateKey())
        case .rsa2048: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(pemRepresentation: Self.pem2048))
        case .rsa1024: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(unsafePEMRepresentation: Self.pem1024))
        }
    }

    // These private keys are public. They protect nothing: a lab creates its authorities at start, and only
    // tests trust them.

    private static let pem2048 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEArR2EAWQWXbW7OcRl5amDHN9bjH+OUjQuisGvWw7Ubrp5+IB+
        Gxn6cPn/XzQQDgPyG04qJ7CxTmSam0FftEnyxu6MbRWTFA4hLR1qKWYc/X8VXsTi
        GPAj42DvjQ8sP31cu6zG2Gcw3+tD6O+nWYtBdJWvd2TTg801ZquKGKT1qj5K8ygN
        J8T/GFaGDqhKbeKS6XHE+LhG+ENxbnvTgcODlegxpJsAxe8Rl3QbliU59wmvXa35
        r4HM16wfg7fRRby6zurjOJ2mxJpobEo/OufQbUeiWqzUOSTmZXnqoIBVsRvkUfyw
        4cqD6fFZb2ZUd48XedxhUt7d+HViJAtBvFCf8QIDAQABAoIBAAIEvut15iLdQcZz
        KU2rvn5225jq9dcJ37m4zMQkNfWSkWXZ4wk1h4DgvAm5UC9G/CrgVvJ+h3ARZpIa
        iYn5y228DgF0R8eV60Ic6TDRYtN73gfBsPHh1EahnzlxrK49gSLOaW/QMuGG2z8F
        6Fl4G7Zxy7Qkhf4v8DL3G2ryesuA3d2uYKmHMOo/8blqtOO1JWtOkNUrsTRAtizc
        w/4W9/WKWOomUlRIX7adZhoH9lqmyW5wDjoVi9LnZb90IcxvXOYo9bj5ityULj8Z
        xF3KLq/YVO7EtSQYC7jWj0t1TjXr7oO6HxuIORw2BJOEPQznEBMiBIJl4sdCeSQo
        gUHHpWECgYEA1Fi7vzITT/sjhuFDByMDdQhvJXUEWvUILbE/XY2GLN/ZSoCsUurw
        nFX3pstpcpFomjAs5uvm8+Fbx4yob2zPRaMvvFt7tWnIfv5OPmGUIFEaTHsCrtf3
        +ptB13ou9jpLN1rIIhvr/zaY3zT6FawxUy4zMZse57viAq2LwTg9CtkCgYEA0LQj
        C/B+q6wSAednDwEojVb+OKT4wGysvnAmHq2CuWxPaBAIM9KbTDiuvwTkL31eDcnJ
        4cAp0GFit9OW+ZUXOLHWGm9GEQcqhgGbB8Da7SCxg4M2Q7VPmZXAi4W0elshJ3f4
        JQb5DDt7gD8sy4+kPLhlIfR6DdyRc6/KdcGVHtkCgYEAq+xPzeQ4OKhnwju9rhiO
        IwI6IwSUCySag4wfdpowCUMPxb9aRiQLvTfpM7U7YdQS8cuRf0F+EvTh/zWF5fkd
        9A7Ehmc3SNEl0JQLO3x7lpKzjTqHGJKpJtDvRQua3CakYWPx55PdxhspOIbG+Ccb
        JHKiZkZmhk7bFTn3je//lDkCgYBs0kCj7RZfdS0+iOYX0MbQS9fquTprOz8nXVrD
        DD3paSxOWm2sd9g5+iRDvc0tZfUww1Lcv1IOMXlD2LQUF0UwbqnwxqyGHHJzxUqM
        1GZS1oU4yaX10AhdUNRA68qbMgErj0Z4KBab5jgTOt2klpVQg+VXux4ZNDUzWSn8
        FKAooQKBgDrwtCZ+SWgQZMI24t8qmfyB2BQYXF6Td4+nW0TYr7Dd7IZ/tZCBathk
        gXxnsl1YyU8EqXVEuBoKvra4BkTrLLX+6wGbrI13BGINRtonFU/F829XSWrA+49P
        JTl2X3vuOX1gLZFRtN+ALIkypKQ8uVa23CRGiZAFu9bsQKk5IbOB
        -----END RSA PRIVATE KEY-----
        """

    private static let pem1024 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIICXQIBAAKBgQC/77/bemxLZumlJwRJOSzLlNe9ITSCwfDAFFCH3BYC/eL9FGJG
        T9VNFVUhhEFqkMK5G2xFRwWkJPZCpaKjlPOd9Ykmexgny2JxSDwLo1BMV6epK77x
        jSU1jWuvvgAydFQVY2VQq3Q4rGpqHkV0XKoE4vlhxBaP48zo9qx7b7cAJwIDAQAB
        AoGAbBItgAIVmfsvUXt/kU8tJs//DZH1xC45RZ3qniTRDAwyU/e3QgnPe2Col3+l
        acBqs9l6BCPyTDM3qd0jj2HeLTWlnXuGhLII9oJKBSXazTinUcZrNM8jGncJAi/B
        FUts1k4dvEE6cCinV5mgjDoRtWUQvMWAgQylVZjWUhZA7mECQQD/Tp/zRiSIwM12
        2Jbm2REHdAhEDg81WtW6pBMrBTQZSw0r4ZCQS6sWWhN4/GRKCl+eCifkV1BDuDiy
        szGy/VdRAkEAwHUZB0MLKIHZPeFOSh9eMt+JTjhZzArhu9IAnwdrE4edgT0uBhdm
        o3ar5ouWWbEOMXzgbzEDMR69QFUJaK1x9wJBAKg/c09JuUfZ701T3NZS1FMaF1xp
        +4HI07LE79DZBAVrHUn+w1skUqJPSCfiBGF6xpqKzNFA7SdDnzG8v5LaO5ECQDFB
        hu9R3Fg4q2Xn9QaJcq1ogpavW2QaYN2WCKyq1F/CNLBv/Qh4Er/BTouJrCg2ZWCL
        ClHK5Hs818jQOsE8qs8CQQCR5hlMSzeRYcTwpWX+TDaAlOJhrirCBhj9hImzOoAt
        StB/+qTn1+Y8IHYTZy8KJttd2zfLAZn8LZvm9Xs7kmDD
        -----END RSA PRIVATE KEY-----
        """
}
