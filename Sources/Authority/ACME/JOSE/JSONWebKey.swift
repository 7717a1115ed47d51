// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

internal import Crypto
internal import CryptoExtras

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A public key as JSON (RFC 7517): RSA, EC on P-256, P-384 and P-521 (RFC 7518 section 6), and Ed25519 (RFC 8037).
public struct JSONWebKey: Hashable, Sendable {
    /// Smaller ones can be broken, and larger ones take long to verify with.
    static let rsaKeyBits = 2_048...8_192

    /// The key.
    public let publicKey: Certificate.PublicKey
    /// The one algorithm that the key verifies.
    public let algorithm: SignatureAlgorithm
    let members: Members

    /// The required members, whose order in JSON is that of the thumbprint.
    enum Members: Hashable {
        case rsa(e: [UInt8], n: [UInt8])
        case elliptic(curve: String, x: [UInt8], y: [UInt8])
        case octet(curve: String, x: [UInt8])
    }

    /// Makes a JSON web key of a public key.
    ///
    /// - Parameter key: The key of an account, or of a certificate.
    /// - Throws: ``JWSError/unusableKey`` for a kind that is not listed, and for an RSA key below 2,048 or above 8,192 bits.
    public init(_ key: Certificate.PublicKey) throws(JWSError) {
        publicKey = key
        if let key = _RSA.Signing.PublicKey(key) {
            guard Self.rsaKeyBits.contains(key.keySizeInBits), let parts = try? key.getKeyPrimitives() else {
                throw .unusableKey
            }
            algorithm = .rs256
            members = .rsa(e: Self.minimal(parts.publicExponent), n: Self.minimal(parts.modulus))
        } else if let key = P256.Signing.PublicKey(key) {
            (algorithm, members) = (.es256, Self.elliptic("P-256", key.rawRepresentation))
        } else if let key = P384.Signing.PublicKey(key) {
            (algorithm, members) = (.es384, Self.elliptic("P-384", key.rawRepresentation))
        } else if let key = P521.Signing.PublicKey(key) {
            (algorithm, members) = (.es512, Self.elliptic("P-521", key.rawRepresentation))
        } else if let key = Curve25519.Signing.PublicKey(key) {
            (algorithm, members) = (.edDSA, .octet(curve: "Ed25519", x: Array(key.rawRepresentation)))
        } else {
            throw .unusableKey
        }
    }

    private static func minimal(_ number: Data) -> [UInt8] { Array(number.drop { $0 == 0 }) }

    private static func elliptic(_ curve: String, _ point: Data) -> Members {
        let bytes = Array(point)
        return .elliptic(curve: curve, x: Array(bytes.prefix(bytes.count / 2)), y: Array(bytes.suffix(bytes.count / 2)))
    }

    /// Whether a signature over some bytes is the key's.
    func isValidSignature(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        if let key = _RSA.Signing.PublicKey(publicKey) {
            return key.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        }
        if let key = P256.Signing.PublicKey(publicKey) {
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            return signature.map { key.isValidSignature($0, for: bytes) } ?? false
        }
        if let key = P384.Signing.PublicKey(publicKey) {
            let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            return signature.map { key.isValidSignature($0, for: bytes) } ?? false
        }
        if let key = P521.Signing.PublicKey(publicKey) {
            let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature)
            return signature.map { key.isValidSignature($0, for: bytes) } ?? false
        }
        return Curve25519.Signing.PublicKey(publicKey)?.isValidSignature(signature, for: bytes) ?? false
    }

    /// The SHA-256 of the key's required members (RFC 7638 section 3), in base64url.
    public var thumbprint: String { Base64URL.encode(SHA256.hash(data: Array(json.utf8))) }

    /// The required members in alphabetical order, without white space.
    var json: String {
        switch members {
        case .rsa(let e, let n):
            #"{"e":"\#(Base64URL.encode(e))","kty":"RSA","n":"\#(Base64URL.encode(n))"}"#
        case .elliptic(let curve, let x, let y):
            #"{"crv":"\#(curve)","kty":"EC","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"}"#
        case .octet(let curve, let x):
            #"{"crv":"\#(curve)","kty":"OKP","x":"\#(Base64URL.encode(x))"}"#
        }
    }
}
