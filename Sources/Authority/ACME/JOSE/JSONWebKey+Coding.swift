// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import X509

extension JSONWebKey: Codable {
    private enum CodingKeys: String, CodingKey {
        case kty, crv, x, y, n, e, d
    }

    /// Reads a public key.
    ///
    /// - Parameter decoder: A decoder whose value is a JSON object; members that are not needed are ignored, but a private key is refused.
    /// - Throws: ``JWSError/unusableKey`` if a member is missing or malformed, and `DecodingError` if the value is not an object.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // A client that sends its private key is told of that mistake at once.
        guard !values.contains(.d) else { throw JWSError.unusableKey }
        func bytes(_ key: CodingKeys) throws -> [UInt8] {
            guard let bytes = Base64URL.decode(try values.decode(String.self, forKey: key)) else {
                throw JWSError.unusableKey
            }
            return bytes
        }
        let key: Certificate.PublicKey
        do {
            switch try values.decode(String.self, forKey: .kty) {
            case "RSA":
                let (modulus, exponent) = (try bytes(.n), try bytes(.e))
                // RFC 7518 section 2, Base64urlUInt: as few bytes as possible, so that a key has one thumbprint.
                guard modulus.count <= Self.rsaKeyBits.upperBound / 8, exponent.count <= 8, modulus.first != 0,
                    exponent.first != 0
                else { throw JWSError.unusableKey }
                key = .init(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
            case "EC":
                // The coordinates have the length of the curve (RFC 7518 section 6.2.1.2), and are checked to lie on it.
                let (x, y) = (try bytes(.x), try bytes(.y))
                guard x.count == y.count else { throw JWSError.unusableKey }
                switch try values.decode(String.self, forKey: .crv) {
                case "P-256": key = .init(try P256.Signing.PublicKey(rawRepresentation: x + y))
                case "P-384": key = .init(try P384.Signing.PublicKey(rawRepresentation: x + y))
                case "P-521": key = .init(try P521.Signing.PublicKey(rawRepresentation: x + y))
                default: throw JWSError.unusableKey
                }
            case "OKP":
                guard try values.decode(String.self, forKey: .crv) == "Ed25519" else { throw JWSError.unusableKey }
                key = .init(try Curve25519.Signing.PublicKey(rawRepresentation: bytes(.x)))
            default: throw JWSError.unusableKey
            }
        } catch {
            throw JWSError.unusableKey
        }
        try self.init(key)
    }

    /// Writes the required members.
    ///
    /// - Parameter encoder: The encoder, to which an object is written.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch members {
        case .rsa(let e, let n):
            try values.encode("RSA", forKey: .kty)
            try values.encode(Base64URL.encode(e), forKey: .e)
            try values.encode(Base64URL.encode(n), forKey: .n)
        case .elliptic(let curve, let x, let y):
            try values.encode("EC", forKey: .kty)
            try values.encode(curve, forKey: .crv)
            try values.encode(Base64URL.encode(x), forKey: .x)
            try values.encode(Base64URL.encode(y), forKey: .y)
        case .octet(let curve, let x):
            try values.encode("OKP", forKey: .kty)
            try values.encode(curve, forKey: .crv)
            try values.encode(Base64URL.encode(x), forKey: .x)
        }
    }
}
