// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import EssentialFoundation
import X509

/// The public key of a certificate (RFC 3279, RFC 4055, RFC 5480, RFC 5639, RFC 8410).
enum CertificateKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    /// A key that makes only RSASSA-PSS signatures, with the restriction of their parameters; `nil` if there is none.
    case pss(_RSA.Signing.PublicKey, PSSParameters?)
    /// A key with which only OpenSSL verifies signatures.
    case openSSL(OpenSSLKey)
    /// A key with which no signature can be verified; the size is that of an RSA key in bits.
    case unsupported(UnsupportedAlgorithm, rsaSize: Int? = nil)

    /// A key of a type that swift-crypto lacks.
    struct OpenSSLKey: Sendable {
        /// The name of the curve.
        let name: String
        let isForEdwardsCurve: Bool
        /// The SubjectPublicKeyInfo.
        let info: ArraySlice<UInt8>
    }

    /// The AlgorithmIdentifiers of the key types, with tag and length.
    private enum Algorithm {
        /// The object identifier of all keys for ECDSA.
        static let ellipticCurve: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
        static let p256 =
            [0x30, 0x13] + ellipticCurve + [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        static let p384 = [0x30, 0x10] + ellipticCurve + [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22]
        static let p521 = [0x30, 0x10] + ellipticCurve + [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23]
        static let rsa: [UInt8] = [
            0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        static let ed25519: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70]
        static let ed448: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x71]
    }

    /// The curves that only OpenSSL has, by the content octets of their object identifiers; smaller ones are too weak.
    private static let curves: [(identifier: [UInt8], name: String, size: Int)] = {
        let brainpool: [UInt8] = [0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01]
        return [
            (brainpool + [7], "brainpoolP256r1", 32), (brainpool + [11], "brainpoolP384r1", 48),
            (brainpool + [13], "brainpoolP512r1", 64), (brainpool + [5], "brainpoolP224r1", 28),
            (brainpool + [9], "brainpoolP320r1", 40), (brainpool + [6], "brainpoolP224t1", 28),
            (brainpool + [8], "brainpoolP256t1", 32), (brainpool + [10], "brainpoolP320t1", 40),
            (brainpool + [12], "brainpoolP384t1", 48), (brainpool + [14], "brainpoolP512t1", 64),
            ([0x2b, 0x81, 0x04, 0x00, 0x0a], "secp256k1", 32), ([0x2b, 0x81, 0x04, 0x00, 0x21], "P-224", 28),
        ]
    }()

    /// The limits of RSA keys: the largest modulus and exponent in bits that BoringSSL accepts, and the smallest
    /// modulus that swift-crypto reads.
    private enum RSALimit {
        static let modulus = 1024...16384
        static let exponent = 33
        /// The smallest modulus that swift-crypto reads without an explicit choice.
        static let usual = 2048
    }

    private static let ed448Length = 57

    /// Reads a SubjectPublicKeyInfo, with tag and length; a key that is malformed or of an unknown type is unsupported.
    init(publicKeyInfo info: ArraySlice<UInt8>) {
        var algorithm: ArraySlice<UInt8> = []
        do {
            var outer = DERReader(info)
            var fields = DERReader(try outer.only(DERTag.sequence, .certificate).content)
            algorithm = try fields.take(DERTag.sequence, .certificate).bytes
            let content = try fields.only(DERTag.bitString, .certificate).content
            guard content.first == 0 else { throw CertificateEncodingError() }
            self = try Self.key(algorithm, content.dropFirst(), info)
        } catch {
            self = .unsupported(UnsupportedAlgorithm(Self.name(of: algorithm), .malformed))
        }
    }

    private static func key(
        _ algorithm: ArraySlice<UInt8>, _ bits: ArraySlice<UInt8>, _ info: ArraySlice<UInt8>
    ) throws -> CertificateKey {
        if algorithm.elementsEqual(Algorithm.p256) {
            .p256(try P256.Signing.PublicKey(x963Representation: bits))
        } else if algorithm.elementsEqual(Algorithm.rsa) {
            try rsaKey(bits, info) { .rsa($0) }
        } else if algorithm.elementsEqual(Algorithm.p384) {
            .p384(try P384.Signing.PublicKey(x963Representation: bits))
        } else if algorithm.elementsEqual(Algorithm.p521) {
            .p521(try P521.Signing.PublicKey(x963Representation: bits))
        } else if algorithm.elementsEqual(Algorithm.ed25519) {
            .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: bits))
        } else {
            try unusualKey(algorithm, bits, info)
        }
    }

    private static func unusualKey(
        _ algorithm: ArraySlice<UInt8>, _ bits: ArraySlice<UInt8>, _ info: ArraySlice<UInt8>
    ) throws -> CertificateKey {
        var outer = DERReader(algorithm)
        guard var fields = outer.enter(DERTag.sequence), let name = fields.next(), name.tag == DERTag.objectIdentifier
        else { throw CertificateEncodingError() }
        if name.content.elementsEqual(CertificateSignatureAlgorithm.pssIdentifier) {
            var restriction: PSSParameters?
            if !fields.isAtEnd {
                guard let parameters = PSSParameters(fields.rest) else { throw CertificateEncodingError() }
                restriction = parameters
            }
            return try rsaKey(bits, info) { .pss($0, restriction) }
        }
        if algorithm.elementsEqual(Algorithm.ed448) {
            guard bits.count == ed448Length else { throw CertificateEncodingError() }
            return openSSLKey("Ed448", isForEdwardsCurve: true, info)
        }
        if name.bytes.elementsEqual(Algorithm.ellipticCurve), let parameters = fields.next(),
            parameters.tag == DERTag.objectIdentifier, fields.isAtEnd,
            let curve = curves.first(where: { parameters.content.elementsEqual($0.identifier) })
        {
            guard bits.first == 0x04, bits.count == 1 + 2 * curve.size else { throw CertificateEncodingError() }
            return openSSLKey(curve.name, isForEdwardsCurve: false, info)
        }
        // A known type with other parameters, such as an RSA key without NULL (RFC 3279 section 2.3.1).
        let others = [Algorithm.rsa, Algorithm.ed25519, Algorithm.ed448]
        if others.contains(where: { $0.dropFirst(2).starts(with: name.bytes) }) { throw CertificateEncodingError() }
        return .unsupported(UnsupportedAlgorithm(self.name(of: algorithm), .unknown))
    }

    private static func openSSLKey(
        _ name: String, isForEdwardsCurve: Bool, _ info: ArraySlice<UInt8>
    ) -> CertificateKey {
        if let problem = OpenSSLSignatures.problem { return .unsupported(UnsupportedAlgorithm(name, problem)) }
        return .openSSL(OpenSSLKey(name: name, isForEdwardsCurve: isForEdwardsCurve, info: info))
    }

    /// Reads an RSA key, and refuses one that is expensive to use before it is decoded.
    private static func rsaKey(
        _ bits: ArraySlice<UInt8>, _ info: ArraySlice<UInt8>, _ make: (_RSA.Signing.PublicKey) -> CertificateKey
    ) throws -> CertificateKey {
        let (modulus, exponent) = try numbers(ofKey: bits)
        let size = bitCount(modulus)
        guard RSALimit.modulus.contains(size) else {
            return .unsupported(UnsupportedAlgorithm("RSA with \(size) bits", .unknown), rsaSize: size)
        }
        guard bitCount(exponent) <= RSALimit.exponent else {
            let name = "RSA with a public exponent of \(bitCount(exponent)) bits"
            return .unsupported(UnsupportedAlgorithm(name, .unknown), rsaSize: size)
        }
        guard size < RSALimit.usual else { return make(try _RSA.Signing.PublicKey(n: modulus, e: exponent)) }
        return make(try _RSA.Signing.PublicKey(unsafeDERRepresentation: info))
    }

    /// Returns the position of the highest bit that is set.
    private static func bitCount(_ number: ArraySlice<UInt8>) -> Int {
        let digits = number.drop { $0 == 0 }
        return digits.first.map { digits.count * 8 - $0.leadingZeroBitCount } ?? 0
    }

    /// Returns the name of a key's type: its named curve, or else its algorithm.
    private static func name(of algorithm: ArraySlice<UInt8>) -> String {
        var outer = DERReader(algorithm)
        guard var fields = outer.enter(DERTag.sequence), let name = fields.next() else { return "an unknown algorithm" }
        guard name.bytes.elementsEqual(Algorithm.ellipticCurve) else { return AlgorithmNames.name(of: name.content) }
        let typical = [("P-256", Algorithm.p256), ("P-384", Algorithm.p384), ("P-521", Algorithm.p521)]
        if let curve = typical.first(where: { algorithm.elementsEqual($0.1) }) { return curve.0 }
        guard let parameters = fields.next(), parameters.tag == DERTag.objectIdentifier else {
            return "ECDSA without a named curve"
        }
        return curves.first { parameters.content.elementsEqual($0.identifier) }?.name
            ?? AlgorithmNames.name(of: parameters.content)
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
        switch self {
        case .rsa(let key), .pss(let key, _): key.keySizeInBits
        case .unsupported(_, let size): size
        case .p256, .p384, .p521, .ed25519, .openSSL: nil
        }
    }

    /// The name of the type and size, such as "RSA-2048" or "brainpoolP256r1".
    var name: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        case .ed25519: "Ed25519"
        case .rsa(let key): "RSA-\(key.keySizeInBits)"
        case .pss(let key, _): "RSASSA-PSS-\(key.keySizeInBits)"
        case .openSSL(let key): key.name
        case .unsupported(let algorithm, _): algorithm.name
        }
    }

    /// The reason why signatures of the key cannot be verified; `nil` if they can be.
    var limitation: UnsupportedAlgorithm? { if case .unsupported(let algorithm, _) = self { algorithm } else { nil } }

    /// The key as a swift-certificates type; `nil` if that library does not define it.
    var typed: Certificate.PublicKey? {
        switch self {
        case .p256(let key): Certificate.PublicKey(key)
        case .p384(let key): Certificate.PublicKey(key)
        case .p521(let key): Certificate.PublicKey(key)
        case .rsa(let key): Certificate.PublicKey(key)
        case .ed25519(let key): Certificate.PublicKey(key)
        case .pss, .openSSL, .unsupported: nil
        }
    }

    /// Returns whether the key made a signature.
    func isValidSignature(
        _ signature: ArraySlice<UInt8>, for bytes: ArraySlice<UInt8>, by algorithm: CertificateSignatureAlgorithm
    ) -> Bool {
        switch (self, algorithm) {
        case (.openSSL(let key), .ecdsa):
            !key.isForEdwardsCurve && OpenSSLSignatures.isValid(signature, for: bytes, key: key.info, by: algorithm)
        case (.openSSL(let key), .ed448):
            key.isForEdwardsCurve && OpenSSLSignatures.isValid(signature, for: bytes, key: key.info, by: algorithm)
        case (.pss(_, let restriction?), .pss(let parameters)) where !restriction.allows(parameters): false
        case (.pss(let key, _), .pss(let parameters)), (.rsa(let key), .pss(let parameters)):
            isValidPSS(signature, bytes, key, parameters)
        case (_, .ecdsa(.sha1)), (_, .rsa(.sha1)): isValid(signature, for: Insecure.SHA1.hash(data: bytes), algorithm)
        case (_, .ecdsa(.sha256)), (_, .rsa(.sha256)): isValid(signature, for: SHA256.hash(data: bytes), algorithm)
        case (_, .ecdsa(.sha384)), (_, .rsa(.sha384)): isValid(signature, for: SHA384.hash(data: bytes), algorithm)
        case (_, .ecdsa(.sha512)), (_, .rsa(.sha512)): isValid(signature, for: SHA512.hash(data: bytes), algorithm)
        case (.ed25519(let key), .ed25519): key.isValidSignature(signature, for: bytes)
        case (.rsa(let key), .rsa(.sha224)):
            OpenSSLSignatures.isValid(signature, for: bytes, key: key.derRepresentation, by: algorithm)
        case (.p256(let key), .ecdsa(.sha224)):
            OpenSSLSignatures.isValid(signature, for: bytes, key: key.derRepresentation, by: algorithm)
        case (.p384(let key), .ecdsa(.sha224)):
            OpenSSLSignatures.isValid(signature, for: bytes, key: key.derRepresentation, by: algorithm)
        case (.p521(let key), .ecdsa(.sha224)):
            OpenSSLSignatures.isValid(signature, for: bytes, key: key.derRepresentation, by: algorithm)
        case (_, .rsa), (_, .pss), (_, .ecdsa), (_, .ed25519), (_, .ed448), (_, .broken), (_, .unsupported): false
        }
    }

    private func isValidPSS(
        _ signature: ArraySlice<UInt8>, _ bytes: ArraySlice<UInt8>, _ key: _RSA.Signing.PublicKey,
        _ parameters: PSSParameters
    ) -> Bool {
        guard !parameters.needsOpenSSL else {
            return OpenSSLSignatures.isValid(signature, for: bytes, key: key.derRepresentation, by: .pss(parameters))
        }
        func isValid(_ digest: some Digest) -> Bool {
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .PSS)
        }
        return switch parameters.hash {
        case .sha1: isValid(Insecure.SHA1.hash(data: bytes))
        case .sha256: isValid(SHA256.hash(data: bytes))
        case .sha384: isValid(SHA384.hash(data: bytes))
        case .sha512: isValid(SHA512.hash(data: bytes))
        case .sha224: false
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

/// The size of RSA keys.
package enum RSAKeySize {
    /// The smallest key that policies accept without ``TrustPolicy/Weakness/rsa1024``, in bits.
    package static let smallest = 2048
    /// The smallest key that a policy can accept, in bits.
    package static let smallestAcceptable = 1024
}
