// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import Secrets
internal import SwiftASN1
internal import X509

/// An unencrypted PKCS#8 key (RFC 5958 section 2), in BER, which some PKCS#12 writers use.
struct PrivateKeyInfo {
    private let algorithm: Algorithm
    private let encodedKey: [UInt8]
    private let publicKey: [UInt8]?

    init(_ node: ASN1Node) throws(IdentityError) {
        var fields = try Fields(node, of: .privateKey)
        guard (0...1).contains(try fields.integer()) else { throw .malformed(.privateKey) }
        algorithm = try fields.algorithm()
        encodedKey = try fields.octets()
        _ = fields.next(if: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific))
        let publicKeyIdentifier = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)
        publicKey = try fields.next(if: publicKeyIdentifier)?.bits(publicKeyIdentifier, .privateKey)
        try fields.end()
    }

    func privateKey() throws(IdentityError) -> Certificate.PrivateKey {
        switch algorithm.identifier {
        case .AlgorithmIdentifier.rsaEncryption:
            try algorithm.requireNoParameters()
            return try RSAPrivateKey.read(encodedKey)
        case .AlgorithmIdentifier.idEcPublicKey:
            let curve: ECPrivateKey.Curve? =
                if let parameters = algorithm.parameters { try ECPrivateKey.Curve(parameters) } else { nil }
            return try ECPrivateKey.read(encodedKey, curve: curve)
        case .ed25519:
            return try ed25519()
        default:
            throw algorithm.unsupported
        }
    }

    /// Reads an Ed25519 key, whose privateKey field contains another OCTET STRING (RFC 8410 section 7).
    private func ed25519() throws(IdentityError) -> Certificate.PrivateKey {
        guard algorithm.parameters == nil else { throw .malformed(.privateKey) }
        let seed = try ASN1Node.parse(ber: encodedKey, as: .privateKey).octets(.octetString, .privateKey)
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
            publicKey?.elementsEqual(key.publicKey.rawRepresentation) ?? true
        else { throw .malformed(.privateKey) }
        return Certificate.PrivateKey(key)
    }
}

extension PrivateKeyInfo {
    /// Encodes the key as PKCS#8 in DER (RFC 5958 section 2), which every reader supports.
    ///
    /// It throws ``IdentityError/keyNotExportable`` for a key that cannot leave its device.
    static func encode(_ key: Certificate.PrivateKey) throws(IdentityError) -> [UInt8] {
        guard let document = try? key.serializeAsPEM() else { throw .keyNotExportable }
        switch document.discriminator {
        case "PRIVATE KEY": return document.derBytes
        case "EC PRIVATE KEY": return try encode(try ECPrivateKey.read(document.derBytes))
        case "RSA PRIVATE KEY": break
        default: throw .keyNotExportable
        }
        return try DER.sequence(.privateKey) { info in
            try info.serialize(0)
            try info.algorithmWithNull(.AlgorithmIdentifier.rsaEncryption)
            try info.octets(document.derBytes)
        }
    }
}

extension EncryptedPrivateKeyInfo {
    /// Encodes the key as encrypted PKCS#8 in DER (RFC 5958 section 3).
    static func encode(
        _ key: Certificate.PrivateKey, with scheme: PasswordEncryptor.Scheme, passphrase: Secret,
        random: inout some RandomNumberGenerator
    ) throws(IdentityError) -> [UInt8] {
        let plaintext = try PrivateKeyInfo.encode(key)
        let encryptor = try PasswordEncryptor(plaintext, with: scheme, passphrase: passphrase, random: &random)
        return try DER.sequence(.privateKey) { info in
            info.serializeRawBytes(encryptor.algorithm)
            try info.octets(encryptor.ciphertext)
        }
    }
}

/// An encrypted PKCS#8 key (RFC 5958 section 3).
struct EncryptedPrivateKeyInfo {
    let encryption: PasswordEncryption
    private let ciphertext: [UInt8]

    init(_ node: ASN1Node) throws(IdentityError) {
        var fields = try Fields(node, of: .privateKey)
        encryption = try PasswordEncryption(Algorithm(try fields.next(), of: .encryption))
        ciphertext = try fields.octets()
        try fields.end()
    }

    /// Decrypts the key.
    ///
    /// - Returns: The key; `nil` if the password is wrong or the file is corrupted.
    func decrypt(_ password: PasswordForms, budget: inout WorkBudget) throws(IdentityError) -> ASN1Node? {
        try encryption.decrypt(ciphertext, password: password, budget: &budget)
    }
}

/// A SEC 1 key (RFC 5915 section 3).
enum ECPrivateKey {
    enum Curve {
        case p256, p384, p521

        /// Reads ECParameters, which must be a named curve (RFC 5480 section 2.1.1).
        init(_ parameters: ASN1Node) throws(IdentityError) {
            guard parameters.identifier != .sequence else { throw .unsupported("explicit curve parameters") }
            guard let identifier = try? ASN1ObjectIdentifier(derEncoded: parameters) else {
                throw .malformed(.privateKey)
            }
            self =
                switch identifier {
                case .NamedCurves.secp256r1: .p256
                case .NamedCurves.secp384r1: .p384
                case .NamedCurves.secp521r1: .p521
                default: throw .unsupported(identifier.name)
                }
        }

        /// The length of a private key, in bytes.
        var byteCount: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    /// Reads a key with its curve, which is named in the key, in the
    /// PKCS#8 structure around it, or in both, which must then agree.
    static func read(_ bytes: [UInt8], curve outer: Curve? = nil) throws(IdentityError) -> Certificate.PrivateKey {
        var fields = try Fields(ber: bytes, of: .privateKey)
        guard try fields.integer() == 1 else { throw .malformed(.privateKey) }
        let number = try fields.octets()
        let parameters = try fields.explicitIfAny(0)
        let point = try fields.explicitIfAny(1)?.bits(.bitString, .privateKey)
        try fields.end()
        let inner: Curve? = if let parameters { try Curve(parameters) } else { nil }
        guard let curve = outer ?? inner, inner ?? curve == curve,
            let scalar = scalar(number, byteCount: curve.byteCount),
            let key = try? key(scalar, on: curve), point.map({ key.points.contains($0) }) ?? true
        else { throw .malformed(.privateKey) }
        return key.privateKey
    }

    /// Returns the private scalar in exactly its curve's length,
    /// because some writers drop leading zeros, and some add one.
    private static func scalar(_ number: [UInt8], byteCount: Int) -> [UInt8]? {
        let digits = number.drop { $0 == 0 }
        guard digits.count <= byteCount else { return nil }
        return [UInt8](repeating: 0, count: byteCount - digits.count) + digits
    }

    /// Returns the key and both encodings of its public point, one of which must equal the public key in the file.
    private static func key(
        _ scalar: [UInt8], on curve: Curve
    ) throws -> (privateKey: Certificate.PrivateKey, points: [[UInt8]]) {
        switch curve {
        case .p256:
            let key = try P256.Signing.PrivateKey(rawRepresentation: scalar)
            let points = [key.publicKey.x963Representation, key.publicKey.compressedRepresentation]
            return (Certificate.PrivateKey(key), points.map(Array.init))
        case .p384:
            let key = try P384.Signing.PrivateKey(rawRepresentation: scalar)
            let points = [key.publicKey.x963Representation, key.publicKey.compressedRepresentation]
            return (Certificate.PrivateKey(key), points.map(Array.init))
        case .p521:
            let key = try P521.Signing.PrivateKey(rawRepresentation: scalar)
            let points = [key.publicKey.x963Representation, key.publicKey.compressedRepresentation]
            return (Certificate.PrivateKey(key), points.map(Array.init))
        }
    }
}

/// A PKCS#1 key (RFC 8017 appendix A.1.2).
enum RSAPrivateKey {
    /// The supported sizes in bits: shorter keys can be broken, and swift-certificates rejects them; longer ones take
    /// seconds to check.
    static let supportedSizes = 2048...8192

    static func read(_ bytes: [UInt8]) throws(IdentityError) -> Certificate.PrivateKey {
        var fields = try Fields(ber: bytes, of: .privateKey)
        let version = try fields.integer()
        guard version != 1 else { throw .unsupported("multi-prime RSA") }
        guard version == 0 else { throw .malformed(.privateKey) }
        var numbers: [ArraySlice<UInt8>] = []
        for _ in 0..<8 { numbers.append(try fields.next().integerBytes(.privateKey)) }
        try fields.end()
        let bits = try bitCount(numbers[0])
        guard supportedSizes.contains(bits) else { throw .unsupported("RSA-\(bits)") }
        // The key is encoded again in DER, the only form that swift-crypto
        // reads; swift-crypto checks that the numbers are consistent.
        guard let encoded = try? der(numbers), let key = try? _RSA.Signing.PrivateKey(derRepresentation: encoded) else {
            throw .malformed(.privateKey)
        }
        return Certificate.PrivateKey(key)
    }

    /// Returns the size of a modulus, in bits.
    static func bitCount(_ modulus: ArraySlice<UInt8>) throws(IdentityError) -> Int {
        let digits = modulus.drop { $0 == 0 }
        guard let first = digits.first, let sign = modulus.first, sign < 0x80 else { throw .malformed(.privateKey) }
        return digits.count * 8 - first.leadingZeroBitCount
    }

    private static func der(_ numbers: [ArraySlice<UInt8>]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { sequence in
            try sequence.serialize(0)
            for number in numbers {
                sequence.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: number) }
            }
        }
        return serializer.serializedBytes
    }
}
