// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11
internal import Crypto
internal import CryptoExtras
internal import EssentialFoundation
internal import X509

/// The type of a key to generate in a token.
package enum TokenKeyType: Hashable, Sendable, CaseIterable {
    case p256
    case p384
    case rsa2048
    case rsa3072
    case rsa4096

    fileprivate var mechanism: CK_MECHANISM_TYPE {
        switch self {
        case .p256, .p384: CKM_EC_KEY_PAIR_GEN
        case .rsa2048, .rsa3072, .rsa4096: CKM_RSA_PKCS_KEY_PAIR_GEN
        }
    }

    fileprivate var attributes: [TokenAttribute] {
        switch self {
        case .p256: [.bytes(CKA_EC_PARAMS, EllipticCurve.p256.parameters)]
        case .p384: [.bytes(CKA_EC_PARAMS, EllipticCurve.p384.parameters)]
        case .rsa2048: Self.rsa(bits: 2_048)
        case .rsa3072: Self.rsa(bits: 3_072)
        case .rsa4096: Self.rsa(bits: 4_096)
        }
    }

    private static func rsa(bits: CK_ULONG) -> [TokenAttribute] {
        [.number(CKA_MODULUS_BITS, bits), .bytes(CKA_PUBLIC_EXPONENT, [1, 0, 1])]
    }
}

/// An elliptic curve, identified by the `CKA_EC_PARAMS` attribute.
enum EllipticCurve: CaseIterable {
    case p256
    case p384

    /// The object identifier of the curve in DER (RFC 5480 section 2.1.1.1).
    var parameters: [UInt8] {
        switch self {
        case .p256: [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        case .p384: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22]
        }
    }

    /// The size of a coordinate in bytes.
    var size: Int { self == .p256 ? 32 : 48 }

    /// Parses the public key in a `CKA_EC_POINT` attribute, which is an OCTET STRING or, in some modules,
    /// the bare point.
    func publicKey(_ value: [UInt8]) throws -> Certificate.PublicKey {
        let length = 2 * size + 1
        let point =
            value.starts(with: [0x04, UInt8(length)]) && value.count == length + 2 ? value.dropFirst(2) : value[...]
        return switch self {
        case .p256: Certificate.PublicKey(try P256.Signing.PublicKey(x963Representation: point))
        case .p384: Certificate.PublicKey(try P384.Signing.PublicKey(x963Representation: point))
        }
    }

    /// Converts a raw signature, which is two numbers of the curve's size, to DER (RFC 3279 section 2.2.3).
    func signature(_ raw: [UInt8]) throws -> [UInt8] {
        switch self {
        case .p256: Array(try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation)
        case .p384: Array(try P384.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation)
        }
    }
}

extension TokenConnection {
    /// Generates a key pair whose private key can only sign and cannot be read.
    mutating func makeKey(_ type: TokenKeyType, _ uri: TokenURI) throws(TokenError) {
        guard let label = uri.object, let id = uri.id else { throw .keyNotFound(uri: uri.description) }
        for kind in [CKO_PRIVATE_KEY, CKO_PUBLIC_KEY] {
            guard try find(kind, label: label, id: nil).isEmpty, try find(kind, label: nil, id: id).isEmpty else {
                throw .keyExists(uri: uri.description)
            }
        }
        let names: [TokenAttribute] = [
            .flag(CKA_TOKEN, true), .bytes(CKA_LABEL, Array(label.utf8)), .bytes(CKA_ID, id),
        ]
        try generatePair(
            type.mechanism, publicKey: names + type.attributes + [.flag(CKA_VERIFY, true)],
            privateKey: names + [
                .flag(CKA_PRIVATE, true), .flag(CKA_SENSITIVE, true), .flag(CKA_EXTRACTABLE, false),
                .flag(CKA_SIGN, true), .flag(CKA_DECRYPT, false), .flag(CKA_UNWRAP, false), .flag(CKA_DERIVE, false),
            ])
    }

    mutating func removeKey(_ uri: TokenURI) throws(TokenError) {
        guard uri.object != nil, uri.id != nil else { throw .keyNotFound(uri: uri.description) }
        for kind in [CKO_PRIVATE_KEY, CKO_PUBLIC_KEY] {
            for object in try find(kind, label: uri.object, id: uri.id) { try destroy(object) }
        }
    }

    mutating func sign(_ data: [UInt8], isRSA: Bool, with key: TokenURI) throws(TokenError) -> [UInt8] {
        try sign(data, isRSA ? CKM_RSA_PKCS : CKM_ECDSA, with: key)
    }

    /// Reads the public key that belongs to a private key.
    mutating func publicKey(of key: TokenURI) throws -> Certificate.PublicKey {
        let privateKey = try privateKey(key)
        let id = (try? attribute(CKA_ID, of: privateKey)) ?? []
        // The public key is a separate object with the same identifier. Some tokens have only the private key object,
        // with the same attributes.
        let twin =
            try id.isEmpty ? find(CKO_PUBLIC_KEY, label: key.object, id: nil) : find(CKO_PUBLIC_KEY, label: nil, id: id)
        let source = twin.first ?? privateKey
        switch try number(CKA_KEY_TYPE, of: privateKey) {
        case CKK_EC:
            let parameters = try attribute(CKA_EC_PARAMS, of: source)
            guard let curve = EllipticCurve.allCases.first(where: { $0.parameters == parameters }) else {
                throw TokenError.unsupportedKey
            }
            let point = try attribute(CKA_EC_POINT, of: source)
            guard let result = try? curve.publicKey(point) else { throw TokenError.malformedAnswer(.attribute) }
            return result
        case CKK_RSA:
            let modulus = try attribute(CKA_MODULUS, of: source)
            let exponent = try attribute(CKA_PUBLIC_EXPONENT, of: source)
            guard let result = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else {
                throw TokenError.malformedAnswer(.attribute)
            }
            return Certificate.PublicKey(result)
        default: throw TokenError.unsupportedKey
        }
    }
}
