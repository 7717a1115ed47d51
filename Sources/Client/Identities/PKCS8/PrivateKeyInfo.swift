// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import SwiftASN1
internal import X509

/// An unencrypted PKCS#8 key (RFC 5958 section 2), in BER as some PKCS#12 writers leave it.
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

    /// RFC 8410 section 7: an OCTET STRING in the OCTET STRING.
    private func ed25519() throws(IdentityError) -> Certificate.PrivateKey {
        guard algorithm.parameters == nil else { throw .malformed(.privateKey) }
        let seed = try ASN1Node.parse(ber: encodedKey, as: .privateKey).octets(.octetString, .privateKey)
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
            publicKey?.elementsEqual(key.publicKey.rawRepresentation) ?? true
        else { throw .malformed(.privateKey) }
        return Certificate.PrivateKey(key)
    }
}
