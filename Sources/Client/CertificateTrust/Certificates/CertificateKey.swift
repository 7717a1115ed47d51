// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import EssentialFoundation
import X509

/// The public key of a certificate (RFC 3279, RFC 5480, RFC 8410), of a type that can verify signatures.
enum CertificateKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// The AlgorithmIdentifiers of the key types, with tag and length.
    private enum Algorithm {
        private static let ellipticCurve: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
        static let p256 =
            [0x30, 0x13] + ellipticCurve + [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        static let p384 = [0x30, 0x10] + ellipticCurve + [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22]
        static let p521 = [0x30, 0x10] + ellipticCurve + [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23]
        static let rsa: [UInt8] = [
            0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        static let ed25519: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70]
    }

    /// Reads a SubjectPublicKeyInfo, with tag and length; throws if it is malformed or the key is of another type.
    init(publicKeyInfo info: ArraySlice<UInt8>) throws {
        var outer = DERReader(info)
        var fields = DERReader(try outer.only(DERTag.sequence, .certificate).content)
        let algorithm = try fields.take(DERTag.sequence, .certificate).bytes
        let content = try fields.only(DERTag.bitString, .certificate).content
        guard content.first == 0 else { throw CertificateEncodingError() }
        let bits = content.dropFirst()
        if algorithm.elementsEqual(Algorithm.p256) {
            self = .p256(try P256.Signing.PublicKey(x963Representation: bits))
        } else if algorithm.elementsEqual(Algorithm.rsa) {
            let (modulus, exponent) = try Self.numbers(ofKey: bits)
            self = .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
        } else if algorithm.elementsEqual(Algorithm.p384) {
            self = .p384(try P384.Signing.PublicKey(x963Representation: bits))
        } else if algorithm.elementsEqual(Algorithm.p521) {
            self = .p521(try P521.Signing.PublicKey(x963Representation: bits))
        } else if algorithm.elementsEqual(Algorithm.ed25519) {
            self = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: bits))
        } else {
            throw CertificateEncodingError()
        }
    }

    /// Makes a key from a parsed key, sharing the values that were precomputed for verification.
    init?(_ key: Certificate.PublicKey) {
        if let key = P256.Signing.PublicKey(key) {
            self = .p256(key)
        } else if let key = _RSA.Signing.PublicKey(key) {
            self = .rsa(key)
        } else if let key = P384.Signing.PublicKey(key) {
            self = .p384(key)
        } else if let key = P521.Signing.PublicKey(key) {
            self = .p521(key)
        } else if let key = Curve25519.Signing.PublicKey(key) {
            self = .ed25519(key)
        } else {
            return nil
        }
    }

    /// Returns the modulus and exponent of an RSAPublicKey (RFC 8017 appendix A.1.1), neither of which is negative.
    private static func numbers(
        ofKey bits: ArraySlice<UInt8>
    ) throws -> (modulus: ArraySlice<UInt8>, exponent: ArraySlice<UInt8>) {
        var outer = DERReader(bits)
        var numbers = DERReader(try outer.only(DERTag.sequence, .certificate).content)
        let modulus = try numbers.takeInteger(DERTag.integer, .certificate)
        let exponent = try numbers.takeInteger(DERTag.integer, .certificate)
        try numbers.finish(.certificate)
        guard let first = modulus.first, first < 0x80, let second = exponent.first, second < 0x80 else {
            throw CertificateEncodingError()
        }
        return (modulus, exponent)
    }

    /// The size of an RSA key in bits; `nil` for other keys.
    var rsaSize: Int? {
        if case .rsa(let key) = self { key.keySizeInBits } else { nil }
    }

    /// The key as a swift-certificates type.
    var typed: Certificate.PublicKey {
        switch self {
        case .p256(let key): Certificate.PublicKey(key)
        case .p384(let key): Certificate.PublicKey(key)
        case .p521(let key): Certificate.PublicKey(key)
        case .rsa(let key): Certificate.PublicKey(key)
        case .ed25519(let key): Certificate.PublicKey(key)
        }
    }

    /// Returns whether the key made a signature.
    func isValidSignature(
        _ signature: ArraySlice<UInt8>, for bytes: ArraySlice<UInt8>, by algorithm: CertificateSignatureAlgorithm
    ) -> Bool {
        switch (self, algorithm) {
        case (_, .ecdsa(.sha1)), (_, .rsa(.sha1)): isValid(signature, for: Insecure.SHA1.hash(data: bytes), algorithm)
        case (_, .ecdsa(.sha256)), (_, .rsa(.sha256)): isValid(signature, for: SHA256.hash(data: bytes), algorithm)
        case (_, .ecdsa(.sha384)), (_, .rsa(.sha384)): isValid(signature, for: SHA384.hash(data: bytes), algorithm)
        case (_, .ecdsa(.sha512)), (_, .rsa(.sha512)): isValid(signature, for: SHA512.hash(data: bytes), algorithm)
        case (.ed25519(let key), .ed25519): key.isValidSignature(signature, for: bytes)
        case (_, .ed25519), (_, .broken): false
        }
    }

    private func isValid(
        _ signature: ArraySlice<UInt8>, for digest: some Digest, _ algorithm: CertificateSignatureAlgorithm
    ) -> Bool {
        switch (self, algorithm) {
        case (.p256(let key), .ecdsa):
            (try? Self.numbers(signature, size: 32).map(P256.Signing.ECDSASignature.init(rawRepresentation:)))
                .map { key.isValidSignature($0, for: digest) } ?? false
        case (.p384(let key), .ecdsa):
            (try? Self.numbers(signature, size: 48).map(P384.Signing.ECDSASignature.init(rawRepresentation:)))
                .map { key.isValidSignature($0, for: digest) } ?? false
        case (.p521(let key), .ecdsa):
            (try? Self.numbers(signature, size: 66).map(P521.Signing.ECDSASignature.init(rawRepresentation:)))
                .map { key.isValidSignature($0, for: digest) } ?? false
        case (.rsa(let key), .rsa):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        default: false
        }
    }

    /// Returns the two integers of an ECDSA-Sig-Value (RFC 3279 section 2.2.3), each padded to `size` octets.
    private static func numbers(_ signature: ArraySlice<UInt8>, size: Int) throws -> Data? {
        var outer = DERReader(signature)
        var numbers = DERReader(try outer.only(DERTag.sequence, .signature).content)
        var filled = Data(count: 2 * size)
        for end in [size, 2 * size] {
            var number = try numbers.takeInteger(DERTag.integer, .signature)
            guard let first = number.first, first < 0x80 else { return nil }
            if first == 0 { number = number.dropFirst() }
            guard number.count <= size else { return nil }
            filled.withUnsafeMutableBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: bytes[(end - number.count)..<end]).copyBytes(from: number)
            }
        }
        try numbers.finish(.signature)
        return filled
    }
}

/// The algorithm of a certificate's signature (RFC 4055, RFC 5758, RFC 8410).
enum CertificateSignatureAlgorithm: Hashable, Sendable {
    enum Hash: Hashable, Sendable {
        case sha1, sha256, sha384, sha512
    }

    case rsa(Hash)
    case ecdsa(Hash)
    case ed25519
    /// An algorithm known only by name, with which no signature is valid.
    case broken(String)

    private static let null: [UInt8] = [DERTag.null, 0]
    private static let pkcs1: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
    private static let ecdsa: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04]

    /// The algorithms by the content octets of their object identifiers.
    private static let all: [(identifier: [UInt8], algorithm: Self)] = [
        (ecdsa + [3, 2], .ecdsa(.sha256)), (ecdsa + [3, 3], .ecdsa(.sha384)), (ecdsa + [3, 4], .ecdsa(.sha512)),
        (pkcs1 + [11], .rsa(.sha256)), (pkcs1 + [12], .rsa(.sha384)), (pkcs1 + [13], .rsa(.sha512)),
        ([0x2b, 0x65, 0x70], .ed25519), (pkcs1 + [5], .rsa(.sha1)), (ecdsa + [1], .ecdsa(.sha1)),
        (pkcs1 + [4], .broken("MD5")), (pkcs1 + [2], .broken("MD2")),
        ([0x2b, 0x0e, 0x03, 0x02, 0x1d], .broken("SHA-1")),
        ([0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x03], .broken("SHA-1")),
    ]

    /// - Parameter identifier: The AlgorithmIdentifier, with tag and length.
    init?(_ identifier: ArraySlice<UInt8>) {
        var outer = DERReader(identifier)
        guard var fields = outer.enter(DERTag.sequence), let name = fields.next()?.content,
            let found = Self.all.first(where: { name.elementsEqual($0.identifier) })?.algorithm
        else { return nil }
        self = found
        guard weakness == nil, !fields.isAtEnd else { return }
        // RSA has NULL parameters, which may be omitted (RFC 4055 section 5); the other algorithms have none.
        guard case .rsa = found, fields.rest.elementsEqual(Self.null) else { return nil }
    }

    /// The name of the broken hash or algorithm that makes signatures forgeable; `nil` if there is none.
    var weakness: String? {
        switch self {
        case .rsa(.sha1), .ecdsa(.sha1): "SHA-1"
        case .broken(let name): name
        case .rsa, .ecdsa, .ed25519: nil
        }
    }

    /// The algorithm as a swift-certificates value; `nil` if that library does not define it.
    var typed: Certificate.SignatureAlgorithm? {
        switch self {
        case .rsa(.sha1): .sha1WithRSAEncryption
        case .rsa(.sha256): .sha256WithRSAEncryption
        case .rsa(.sha384): .sha384WithRSAEncryption
        case .rsa(.sha512): .sha512WithRSAEncryption
        case .ecdsa(.sha256): .ecdsaWithSHA256
        case .ecdsa(.sha384): .ecdsaWithSHA384
        case .ecdsa(.sha512): .ecdsaWithSHA512
        case .ed25519: .ed25519
        case .ecdsa(.sha1), .broken: nil
        }
    }
}

/// Reads the RSA key size from a certificate that swift-certificates rejects because the key is too small.
package enum RSAKeySize {
    /// The smallest key that swift-certificates reads, in bits.
    package static let smallest = 2048

    /// rsaEncryption (RFC 8017 appendix A.1).
    private static let rsaEncryption: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]

    /// Returns the length of the modulus in bits; `nil` if the bytes are not a certificate with an RSA key.
    package static func bits(inCertificate certificate: [UInt8]) -> Int? {
        guard let fields = CertificateFields(certificate: certificate[...]) else { return nil }
        var outer = DERReader(fields.publicKeyInfo)
        guard var info = outer.enter(DERTag.sequence), var algorithm = info.enter(DERTag.sequence),
            algorithm.next()?.content.elementsEqual(rsaEncryption) == true,
            let bitString = info.next(), bitString.tag == DERTag.bitString
        else { return nil }
        // The first octet is the number of unused bits in the last one.
        var key = DERReader(bitString.content.dropFirst())
        guard var numbers = key.enter(DERTag.sequence), let modulus = numbers.next(), modulus.tag == DERTag.integer
        else { return nil }
        let digits = modulus.content.drop { $0 == 0 }
        return digits.first.map { digits.count * 8 - $0.leadingZeroBitCount }
    }
}
