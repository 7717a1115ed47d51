// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import EssentialFoundation
public import X509

/// A public key as JSON (RFC 7517): RSA, EC on P-256, P-384 and P-521 (RFC 7518 section 6), and Ed25519 (RFC 8037).
public struct JSONWebKey: Hashable, Sendable {
    /// The allowed RSA key sizes: smaller keys can be broken, and larger ones take long to verify with.
    static let rsaKeyBits = 2_048...8_192

    /// The key.
    public let publicKey: Certificate.PublicKey
    /// The only signature algorithm that the key is used with.
    public let algorithm: JWSAlgorithm
    let members: Members

    /// The required members, in the JSON order that the thumbprint requires.
    enum Members: Hashable {
        case rsa(e: [UInt8], n: [UInt8])
        case elliptic(curve: String, x: [UInt8], y: [UInt8])
        case octet(curve: String, x: [UInt8])
    }

    /// Creates a JSON web key from a public key.
    ///
    /// - Parameter key: The key of an account or of a certificate.
    /// - Throws: ``JWSError/unusableKey`` if the kind of key is not supported, or an RSA key has fewer than 2,048 or
    ///   more than 8,192 bits.
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

    /// Returns whether the key made the signature of the bytes.
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

    /// The base64url-encoded SHA-256 hash of the key's required members (RFC 7638 section 3).
    public var thumbprint: String { Base64URL.encode(SHA256.hash(data: Array(json.utf8))) }

    /// The required members as JSON, in alphabetical order and without white space.
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

extension JSONWebKey: Codable {
    private enum CodingKeys: String, CodingKey {
        case kty, crv, x, y, n, e, d
    }

    /// Reads a public key.
    ///
    /// - Parameter decoder: A decoder whose value is a JSON object. Members that are not needed are ignored, but a
    ///   private key is refused.
    /// - Throws: ``JWSError/unusableKey`` if a member is missing or malformed, and `DecodingError` if the value is not
    ///   an object.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // A client that sends its private key gets an error at once.
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
                // RFC 7518 section 2, Base64urlUInt: the encoding is minimal, so that a key has only one thumbprint.
                guard modulus.count <= Self.rsaKeyBits.upperBound / 8, exponent.count <= 8, modulus.first != 0,
                    exponent.first != 0
                else { throw JWSError.unusableKey }
                key = .init(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
            case "EC":
                // The coordinates must have the length of the curve (RFC 7518 section 6.2.1.2). The initializers check
                // that the point is on the curve.
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
    /// - Throws: Any error of the encoder.
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

/// The key of an account, which signs its requests.
public struct AccountKey: Sendable {
    /// The public key that verifies the signatures.
    public let publicKey: JSONWebKey
    private let privateKey: Certificate.PrivateKey

    /// Creates an account key from a private key.
    ///
    /// - Parameter key: An RSA key of 2,048 to 8,192 bits, an ECDSA key on P-256, P-384 or P-521, or an Ed25519 key.
    /// - Throws: ``JWSError/unusableKey`` for any other key.
    public init(_ key: Certificate.PrivateKey) throws(JWSError) {
        publicKey = try JSONWebKey(key.publicKey)
        privateKey = key
    }

    /// Signs in the format of RFC 7518 section 3: an ECDSA signature is two numbers of the curve's length, not DER.
    func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        func signature(_ algorithm: Certificate.SignatureAlgorithm) throws -> [UInt8] {
            try privateKey.sign(bytes: bytes, signatureAlgorithm: algorithm).rawRepresentation
        }
        switch publicKey.algorithm {
        case .rs256, .hs256:
            return try signature(.sha256WithRSAEncryption)
        case .es256:
            let der = try signature(.ecdsaWithSHA256)
            return Array(try P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
        case .es384:
            let der = try signature(.ecdsaWithSHA384)
            return Array(try P384.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
        case .es512:
            let der = try signature(.ecdsaWithSHA512)
            return Array(try P521.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
        case .edDSA:
            return try signature(.ed25519)
        }
    }
}

extension AccountKey: CustomStringConvertible, CustomReflectable {
    /// Returns "AccountKey" and the thumbprint, so that printing a key never reveals the private key.
    public var description: String { "AccountKey(\(publicKey.thumbprint))" }

    /// A mirror that contains only the public key.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}
