// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// The algorithm of a certificate's signature (RFC 4055, RFC 5758, RFC 8410).
enum CertificateSignatureAlgorithm: Hashable, Sendable {
    /// A hash function, with its name in OpenSSL.
    enum Hash: String, Hashable, Sendable {
        case sha1 = "SHA1"
        case sha224 = "SHA224"
        case sha256 = "SHA256"
        case sha384 = "SHA384"
        case sha512 = "SHA512"

        /// The name in FIPS 180-4.
        var name: String { "SHA-" + rawValue.dropFirst(3) }

        /// The length of a hash, in octets.
        var length: Int {
            switch self {
            case .sha1: 20
            case .sha224: 28
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    case rsa(Hash)
    case pss(PSSParameters)
    case ecdsa(Hash)
    case ed25519
    case ed448
    /// An algorithm known only by name, with which no signature is valid, because signatures can be forged.
    case broken(String)
    /// An algorithm with which no signature can be verified.
    case unsupported(UnsupportedAlgorithm)

    private static let null: [UInt8] = [DERTag.null, 0]
    private static let pkcs1: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
    private static let ecdsa: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04]
    /// id-RSASSA-PSS (RFC 4055 section 3.1), the algorithm of signatures and of keys.
    static let pssIdentifier = pkcs1 + [10]

    /// The algorithms by the content octets of their object identifiers.
    private static let all: [(identifier: [UInt8], algorithm: Self)] = [
        (ecdsa + [3, 2], .ecdsa(.sha256)), (ecdsa + [3, 3], .ecdsa(.sha384)), (ecdsa + [3, 4], .ecdsa(.sha512)),
        (pkcs1 + [11], .rsa(.sha256)), (pkcs1 + [12], .rsa(.sha384)), (pkcs1 + [13], .rsa(.sha512)),
        ([0x2b, 0x65, 0x70], .ed25519), (pkcs1 + [5], .rsa(.sha1)), (ecdsa + [1], .ecdsa(.sha1)),
        (pkcs1 + [14], .rsa(.sha224)), (ecdsa + [3, 1], .ecdsa(.sha224)), ([0x2b, 0x65, 0x71], .ed448),
        (pkcs1 + [4], .broken("MD5")), (pkcs1 + [2], .broken("MD2")), (pkcs1 + [3], .broken("MD4")),
        ([0x2b, 0x0e, 0x03, 0x02, 0x1d], .broken("SHA-1")),
        ([0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x03], .broken("SHA-1")),
    ]

    /// Reads an algorithm; one that is unknown or has other parameters than its standard requires is unsupported.
    ///
    /// - Parameter identifier: The AlgorithmIdentifier, with tag and length.
    init(_ identifier: ArraySlice<UInt8>) {
        var outer = DERReader(identifier)
        guard var fields = outer.enter(DERTag.sequence), let name = fields.next()?.content else {
            self = .unsupported(UnsupportedAlgorithm("an algorithm without a name", .malformed))
            return
        }
        if let found = Self.all.first(where: { name.elementsEqual($0.identifier) })?.algorithm {
            self = found
            if weakness != nil || fields.isAtEnd { return }
            // RSA has NULL parameters, which may be omitted (RFC 4055 section 5); the other algorithms have none.
            if case .rsa = found, fields.rest.elementsEqual(Self.null) { return }
            self = .unsupported(UnsupportedAlgorithm("\(found.name) with parameters", .malformed))
        } else if name.elementsEqual(Self.pssIdentifier) {
            // The parameters are required in a signature (RFC 4055 section 3.1).
            self =
                PSSParameters(fields.rest).map(Self.pss)
                ?? .unsupported(UnsupportedAlgorithm(AlgorithmNames.name(of: name), .malformed))
        } else {
            self = .unsupported(UnsupportedAlgorithm(AlgorithmNames.name(of: name), .unknown))
        }
    }

    /// The name of the broken hash or algorithm that makes signatures forgeable; `nil` if there is none.
    var weakness: String? {
        switch self {
        case .rsa(.sha1), .ecdsa(.sha1): "SHA-1"
        case .pss(let parameters): parameters.hash == .sha1 ? "SHA-1" : nil
        case .broken(let name): name
        case .rsa, .ecdsa, .ed25519, .ed448, .unsupported: nil
        }
    }

    /// The reason why signatures of the algorithm cannot be verified, whatever the key; `nil` if they can be.
    var limitation: UnsupportedAlgorithm? {
        switch self {
        case .unsupported(let algorithm): algorithm
        case .rsa(.sha224), .ecdsa(.sha224), .ed448: openSSLLimitation
        case .pss(let parameters): parameters.needsOpenSSL ? openSSLLimitation : nil
        case .rsa, .ecdsa, .ed25519, .broken: nil
        }
    }

    private var openSSLLimitation: UnsupportedAlgorithm? {
        OpenSSLSignatures.problem.map { UnsupportedAlgorithm(name, $0) }
    }

    /// The name, such as "RSA with SHA-256".
    var name: String {
        switch self {
        case .rsa(let hash): "RSA with \(hash.name)"
        case .pss(let parameters): parameters.name
        case .ecdsa(let hash): "ECDSA with \(hash.name)"
        case .ed25519: "Ed25519"
        case .ed448: "Ed448"
        case .broken(let name): name
        case .unsupported(let algorithm): algorithm.name
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
        case .ecdsa, .rsa, .pss, .ed448, .broken, .unsupported: nil
        }
    }
}

/// The parameters of RSASSA-PSS (RFC 4055 section 3.1), of a signature or of the key that makes it.
struct PSSParameters: Hashable, Sendable {
    private(set) var hash: CertificateSignatureAlgorithm.Hash
    /// The hash of the mask generation function MGF1, the only one that is defined.
    private(set) var maskHash: CertificateSignatureAlgorithm.Hash
    /// The length of the salt in octets; in a key, the minimum.
    private(set) var saltLength: Int

    /// id-mgf1.
    private static let mgf1: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x08]
    /// The longest salt: the octets of a modulus of 16384 bits without the shortest hash and the two octets around
    /// them.
    private static let maximumSaltLength = 2048 - 20 - 2
    private static let hashes: [(identifier: [UInt8], hash: CertificateSignatureAlgorithm.Hash)] = [
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01], .sha256),
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02], .sha384),
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03], .sha512),
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x04], .sha224),
        ([0x2b, 0x0e, 0x03, 0x02, 0x1a], .sha1),
    ]

    /// Reads RSASSA-PSS-params, whose fields have explicit tags and default to SHA-1, MGF1 with SHA-1, 20 and 1;
    /// encoded defaults are accepted, as OpenSSL and GnuTLS do.
    ///
    /// - Parameter bytes: The parameters, with tag and length; the result is `nil` if they are malformed or use a hash
    ///   or mask generation function that is not supported.
    init?(_ bytes: ArraySlice<UInt8>) {
        var outer = DERReader(bytes)
        guard var fields = outer.enter(DERTag.sequence), outer.isAtEnd else { return nil }
        (hash, maskHash, saltLength) = (.sha1, .sha1, 20)
        if fields.nextTag == DERTag.constructed(0) {
            guard let found = fields.enter(DERTag.constructed(0)).flatMap(Self.hash) else { return nil }
            hash = found
        }
        if fields.nextTag == DERTag.constructed(1) {
            guard let found = fields.enter(DERTag.constructed(1)).flatMap(Self.maskHash) else { return nil }
            maskHash = found
        }
        if fields.nextTag == DERTag.constructed(2) {
            guard let number = fields.enter(DERTag.constructed(2)).flatMap(Self.number),
                number <= Self.maximumSaltLength
            else { return nil }
            saltLength = number
        }
        if fields.nextTag == DERTag.constructed(3) {
            guard fields.enter(DERTag.constructed(3)).flatMap(Self.number) == 1 else { return nil }
        }
        guard fields.isAtEnd else { return nil }
    }

    /// Reads the AlgorithmIdentifier of a hash, whose parameters are NULL or absent (RFC 4055 section 2.1).
    private static func hash(_ reader: DERReader) -> CertificateSignatureAlgorithm.Hash? {
        var outer = reader
        guard var fields = outer.enter(DERTag.sequence), outer.isAtEnd, let name = fields.next(),
            name.tag == DERTag.objectIdentifier, fields.isAtEnd || fields.rest.elementsEqual([DERTag.null, 0])
        else { return nil }
        return hashes.first { name.content.elementsEqual($0.identifier) }?.hash
    }

    private static func maskHash(_ reader: DERReader) -> CertificateSignatureAlgorithm.Hash? {
        var outer = reader
        guard var fields = outer.enter(DERTag.sequence), outer.isAtEnd, let name = fields.next(),
            name.tag == DERTag.objectIdentifier, name.content.elementsEqual(mgf1)
        else { return nil }
        return hash(fields)
    }

    /// Reads an integer from 0 to 65535.
    private static func number(_ reader: DERReader) -> Int? {
        var reader = reader
        guard let octets = try? reader.takeInteger(DERTag.integer, .algorithm), reader.isAtEnd, octets.count <= 3,
            let first = octets.first, first < 0x80
        else { return nil }
        return octets.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether only OpenSSL verifies such signatures: swift-crypto uses one hash for both purposes, and its length for
    /// the salt.
    var needsOpenSSL: Bool { hash != maskHash || saltLength != hash.length || hash == .sha224 }

    /// The name, such as "RSASSA-PSS with SHA-256", and parameters other than the usual ones.
    var name: String {
        var parts = ["RSASSA-PSS with \(hash.name)"]
        if maskHash != hash { parts.append("MGF1 with \(maskHash.name)") }
        if saltLength != hash.length { parts.append("a salt of \(saltLength) octets") }
        return parts.joined(separator: ", ")
    }

    /// Returns whether a key with these parameters may make signatures with others (RFC 4055 section 3.3).
    func allows(_ signature: PSSParameters) -> Bool {
        hash == signature.hash && maskHash == signature.maskHash && saltLength <= signature.saltLength
    }
}

/// A weakness of a signature or a key that a policy can accept, although an attacker with sufficient means can exploit it.
@nonexhaustive
public enum CertificateWeakness: String, Hashable, Sendable, Codable, CaseIterable {
    /// Signatures over SHA-1 hashes, for which collisions were found in 2017.
    case sha1 = "sha-1"
    /// RSA keys of 1024 to 2047 bits.
    case rsa1024 = "rsa-1024"
}
