// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Crypto
internal import SwiftASN1
public import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The certificate that answers `tls-alpn-01` (RFC 8737 section 3).
public enum ValidationCertificate {
    /// The name of the protocol that is negotiated by ALPN (RFC 8737 section 6.2).
    public static let applicationProtocol = "acme-tls/1"
    private static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 31]

    /// Makes the self-signed certificate, which serves for this validation alone.
    ///
    /// - Parameters:
    ///   - identifier: The one name in the certificate.
    ///   - authorization: The proof, whose digest the certificate holds.
    ///   - key: The key of the certificate, which signs it; it must not be the key of an account or of another certificate.
    ///   - now: The time. The certificate is valid from an hour before it until a day after it.
    /// - Returns: The certificate.
    /// - Throws: The errors of SwiftASN1 and X509 if the certificate cannot be encoded, and of the key if it cannot sign.
    public static func make(
        for identifier: Identifier, proving authorization: KeyAuthorization, key: Certificate.PrivateKey, now: Date
    ) throws -> Certificate {
        let name = try DistinguishedName { CommonName("ACME challenge") }
        let digest = try serialized(ASN1OctetString(contentBytes: authorization.digest[...]))
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: now - 3_600, notValidAfter: now + 86_400, issuer: name, subject: name,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                SubjectAlternativeNames([generalName(of: identifier)])
                Certificate.Extension(oid: Self.identifier, critical: true, value: digest[...])
            },
            issuerPrivateKey: key)
    }

    /// Whether a certificate proves control of an identifier (RFC 8737 section 3).
    ///
    /// Neither the signature of the certificate nor its period is checked.
    ///
    /// - Parameters:
    ///   - authorization: The proof.
    ///   - certificate: The certificate that the server presented.
    ///   - identifier: The one name that must be in it, in its canonical spelling and without `*.`.
    /// - Returns: `false` if it names anything else, or does not hold the proof's digest in a critical extension.
    public static func proves(
        _ authorization: KeyAuthorization, in certificate: Certificate, for identifier: Identifier
    ) -> Bool {
        guard let names = try? certificate.extensions.subjectAlternativeNames, names.count == 1,
            let name = names.first, matches(name, identifier),
            let found = certificate.extensions[oid: Self.identifier], found.critical,
            let value = try? ASN1OctetString(derEncoded: Array(found.value))
        else { return false }
        return value.bytes.elementsEqual(authorization.digest)
    }

    /// The name that an authority sends as SNI when it validates an identifier (RFC 8737 section 3).
    ///
    /// - Parameter identifier: The identifier that is validated.
    /// - Returns: A DNS name in lower case; for an address, its name in the reverse zone (RFC 8738 section 6).
    public static func serverName(for identifier: Identifier) -> String {
        if let octets = IPAddressText.ipv4(identifier.value) {
            return octets.reversed().map { String($0) }.joined(separator: ".") + ".in-addr.arpa"
        }
        guard let octets = IPAddressText.ipv6(identifier.value) else { return identifier.value.lowercased() }
        let digits = octets.reversed().flatMap { [$0 & 15, $0 >> 4] }.map { String($0, radix: 16) }
        return digits.joined(separator: ".") + ".ip6.arpa"
    }

    private static func matches(_ name: GeneralName, _ identifier: Identifier) -> Bool {
        switch name {
        case .dnsName(let name): identifier.type == .dns && name.lowercased() == identifier.value
        case .ipAddress(let octets): identifier.type == .ip && generalName(of: identifier) == .ipAddress(octets)
        default: false
        }
    }

    private static func generalName(of identifier: Identifier) -> GeneralName {
        guard identifier.type == .ip,
            let octets = IPAddressText.ipv4(identifier.value) ?? IPAddressText.ipv6(identifier.value)
        else { return .dnsName(identifier.value) }
        return .ipAddress(ASN1OctetString(contentBytes: octets[...]))
    }

    private static func serialized(_ value: some DERSerializable) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(value)
        return serializer.serializedBytes
    }
}
