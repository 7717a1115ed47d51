// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import X509

/// A signature algorithm of TLS, with its number in IANA's registry (RFC 8446 section 4.2.3).
public struct TLSSignatureScheme: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package static let rsaPKCS1SHA256 = Self(rawValue: 0x0401)
    package static let rsaPKCS1SHA384 = Self(rawValue: 0x0501)
    package static let rsaPKCS1SHA512 = Self(rawValue: 0x0601)
    package static let ecdsaP256SHA256 = Self(rawValue: 0x0403)
    package static let ecdsaP384SHA384 = Self(rawValue: 0x0503)
    package static let ecdsaP521SHA512 = Self(rawValue: 0x0603)
    package static let ed25519 = Self(rawValue: 0x0807)

    private static let names: [UInt16: String] = [
        0x0201: "rsa_pkcs1_sha1", 0x0203: "ecdsa_sha1", 0x0401: "rsa_pkcs1_sha256", 0x0501: "rsa_pkcs1_sha384",
        0x0601: "rsa_pkcs1_sha512", 0x0403: "ecdsa_secp256r1_sha256", 0x0503: "ecdsa_secp384r1_sha384",
        0x0603: "ecdsa_secp521r1_sha512", 0x0804: "rsa_pss_rsae_sha256", 0x0805: "rsa_pss_rsae_sha384",
        0x0806: "rsa_pss_rsae_sha512", 0x0807: "ed25519", 0x0808: "ed448", 0x0809: "rsa_pss_pss_sha256",
        0x080A: "rsa_pss_pss_sha384", 0x080B: "rsa_pss_pss_sha512",
    ]

    /// The number.
    public let rawValue: UInt16

    /// Makes an algorithm from its number, which need not be registered.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The registered name, or the number in hexadecimal.
    public var description: String { Self.names[rawValue] ?? "0x" + String(rawValue, radix: 16) }
}

extension Identity {
    /// Returns whether the key can sign the handshake with one of a server's algorithms.
    ///
    /// - Parameters:
    ///   - schemes: The algorithms of the server.
    ///   - isTLS13: Whether the version is TLS 1.3. Before it, an algorithm of ECDSA has no curve (RFC 8422 section
    ///     5.1.1); in it, RSA keys do not sign with PKCS #1 (RFC 8446 section 4.2.3).
    /// - Returns: Whether they have an algorithm in common; `true` if the type of the key is unknown.
    package func canSign(with schemes: [TLSSignatureScheme], isTLS13: Bool) -> Bool {
        guard let usable = schemeNumbers(isTLS13: isTLS13) else { return true }
        return schemes.contains { usable.contains($0.rawValue) }
    }

    private func schemeNumbers(isTLS13: Bool) -> Set<UInt16>? {
        let (key, isHeld) = (privateKey.publicKey, isKeyHeld)
        let everyCurve: Set<UInt16>? = isTLS13 || isHeld ? nil : [0x0203, 0x0403, 0x0503, 0x0603]
        if P256.Signing.PublicKey(key) != nil { return everyCurve ?? [0x0403] }
        if P384.Signing.PublicKey(key) != nil { return everyCurve ?? [0x0503] }
        if P521.Signing.PublicKey(key) != nil { return everyCurve ?? [0x0603] }
        if Curve25519.Signing.PublicKey(key) != nil { return [0x0807] }
        guard _RSA.Signing.PublicKey(key) != nil else { return nil }
        let pss: Set<UInt16> = isHeld ? [] : [0x0804, 0x0805, 0x0806]
        return isTLS13 ? pss : pss.union(isHeld ? [] : [0x0201]).union([0x0401, 0x0501, 0x0601])
    }

    /// Whether the key is elsewhere, such as in a token: it then signs without SHA-1, with the hash of its curve, and
    /// not with PSS.
    package var isKeyHeld: Bool { (try? privateKey.serializeAsPEM()) == nil }
}
