// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// How a certificate was signed (RFC 4055, RFC 5758, RFC 8410).
enum CertificateSignatureAlgorithm: Hashable, Sendable {
    enum Hash: Hashable, Sendable {
        case sha1, sha256, sha384, sha512
    }

    case rsa(Hash)
    case ecdsa(Hash)
    case ed25519
    /// Known by name only, and never found good.
    case broken(String)

    private static let null: [UInt8] = [DERTag.null, 0]
    private static let pkcs1: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
    private static let ecdsa: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04]

    /// By the content of their object identifiers.
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
        // RSA has NULL for parameters, which may be left out (RFC 4055 section 5); the others have none.
        guard case .rsa = found, fields.rest.elementsEqual(Self.null) else { return nil }
    }

    /// What makes signatures forgeable; `nil` where they are not.
    var weakness: String? {
        switch self {
        case .rsa(.sha1), .ecdsa(.sha1): "SHA-1"
        case .broken(let name): name
        case .rsa, .ecdsa, .ed25519: nil
        }
    }

    /// By the name that swift-certificates has for it; `nil` where it has none.
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
