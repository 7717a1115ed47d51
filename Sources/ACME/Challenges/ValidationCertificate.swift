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
    /// The protocol that is negotiated.
    public static let applicationProtocol = "acme-tls/1"
    private static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 31]

    /// Makes the certificate, which is good for this alone.
    ///
    /// - Parameters:
    ///   - identifier: The one name in it.
    ///   - authorization: The proof.
    ///   - key: The key that signs it; it is no account's and no certificate's.
    ///   - now: The time.
    /// - Returns: The certificate.
    /// - Throws: What encoding and signing throw.
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

    /// Whether a certificate proves control.
    ///
    /// - Parameters:
    ///   - authorization: The proof.
    ///   - certificate: The certificate that the server presented.
    ///   - identifier: The one name that must be in it.
    /// - Returns: `false` where it names anything else, or has not the one critical digest.
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

    /// What a server is asked for by SNI: a DNS name itself, an address by its name in the reverse zone (RFC 8738 section 6).
    ///
    /// - Parameter identifier: The name.
    /// - Returns: A DNS name.
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
