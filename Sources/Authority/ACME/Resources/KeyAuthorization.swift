// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Crypto
public import EssentialFoundation
internal import SwiftASN1
public import X509

/// The key authorization, which proves that the account's owner answers a challenge (RFC 8555 section 8.1).
public struct KeyAuthorization: Hashable, Sendable {
    /// The token, a dot, and the thumbprint of the account's key.
    public let text: String

    /// Creates the key authorization for a challenge.
    ///
    /// - Parameters:
    ///   - token: The token of the challenge.
    ///   - key: The public key of the account.
    public init(token: String, key: JSONWebKey) { text = token + "." + key.thumbprint }

    /// The SHA-256 hash of the text, which a `tls-alpn-01` certificate contains (RFC 8737 section 3).
    public var digest: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    /// The value of the `dns-01` TXT record (RFC 8555 section 8.4).
    public var recordValue: String { Base64URL.encode(digest) }

    /// The path at which `http-01` expects the text, on port 80 of the server (RFC 8555 section 8.3).
    ///
    /// - Parameter token: The token of the challenge.
    /// - Returns: The absolute path, which begins with a slash.
    public static func path(token: String) -> String { "/.well-known/acme-challenge/" + token }

    /// The name of the `dns-01` TXT record (RFC 8555 section 8.4).
    ///
    /// - Parameter name: A DNS name without `*.`.
    /// - Returns: The name with the prefix `_acme-challenge.`.
    public static func recordName(for name: String) -> String { "_acme-challenge." + name }

    /// Returns whether a token is safe in a path and a record: base64url with at least 128 bits (RFC 8555 section 8.1).
    ///
    /// - Parameter token: The token of the challenge.
    /// - Returns: `true` for 22 to 256 characters of the base64url alphabet. Only such a text can become part of a file
    ///   name or a command.
    public static func isToken(_ token: String) -> Bool {
        (22...256).contains(token.utf8.count)
            && token.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
            }
    }
}

/// The certificate for `tls-alpn-01` challenges (RFC 8737 section 3).
public enum ValidationCertificate {
    /// The ALPN protocol name (RFC 8737 section 6.2).
    public static let applicationProtocol = "acme-tls/1"
    private static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 31]

    /// Creates the self-signed certificate for one validation.
    ///
    /// - Parameters:
    ///   - identifier: The only name in the certificate.
    ///   - authorization: The key authorization, whose digest the certificate contains.
    ///   - key: The key of the certificate, which signs it. It must not be the key of an account or of another
    ///     certificate.
    ///   - now: The current time. The certificate is valid from an hour before it until a day after it.
    /// - Returns: The certificate.
    /// - Throws: The errors of SwiftASN1 and X509 if the certificate cannot be encoded, and the error of a key that
    ///   cannot sign.
    public static func make(
        for identifier: ACMEIdentifier, proving authorization: KeyAuthorization, key: Certificate.PrivateKey, now: Date
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

    /// Returns whether a certificate proves control of an identifier (RFC 8737 section 3).
    ///
    /// The signature and the validity period of the certificate are not checked.
    ///
    /// - Parameters:
    ///   - authorization: The key authorization.
    ///   - certificate: The certificate that the server presented.
    ///   - identifier: The only name that the certificate must contain, in canonical spelling and without `*.`.
    /// - Returns: `false` if the certificate contains other names, or no critical extension with the digest of the key
    ///   authorization.
    public static func proves(
        _ authorization: KeyAuthorization, in certificate: Certificate, for identifier: ACMEIdentifier
    ) -> Bool {
        guard let names = try? certificate.extensions.subjectAlternativeNames, names.count == 1,
            let name = names.first, matches(name, identifier),
            let found = certificate.extensions[oid: Self.identifier], found.critical,
            let value = try? ASN1OctetString(derEncoded: Array(found.value))
        else { return false }
        return value.bytes.elementsEqual(authorization.digest)
    }

    /// The SNI name that an authority sends when it validates an identifier (RFC 8737 section 3).
    ///
    /// - Parameter identifier: The identifier that is validated.
    /// - Returns: A DNS name in lower case; for an address, its name in the reverse zone (RFC 8738 section 6).
    public static func serverName(for identifier: ACMEIdentifier) -> String {
        if let octets = IPAddressText.ipv4(identifier.value) {
            return octets.reversed().map { String($0) }.joined(separator: ".") + ".in-addr.arpa"
        }
        guard let octets = IPAddressText.ipv6(identifier.value) else { return identifier.value.lowercased() }
        let digits = octets.reversed().flatMap { [$0 & 15, $0 >> 4] }.map { String($0, radix: 16) }
        return digits.joined(separator: ".") + ".ip6.arpa"
    }

    private static func matches(_ name: GeneralName, _ identifier: ACMEIdentifier) -> Bool {
        switch name {
        case .dnsName(let name): identifier.type == .dns && name.lowercased() == identifier.value
        case .ipAddress(let octets): identifier.type == .ip && generalName(of: identifier) == .ipAddress(octets)
        default: false
        }
    }

    private static func generalName(of identifier: ACMEIdentifier) -> GeneralName {
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
