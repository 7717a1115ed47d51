// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import SwiftASN1
internal import X509

/// A SEC 1 key (RFC 5915 section 3).
enum ECPrivateKey {
    enum Curve {
        case p256, p384, p521

        /// ECParameters, of which RFC 5480 section 2.1.1 allows named curves only.
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

    /// Reads a key whose curve it names itself or PKCS#8 names around it; where both do, they must agree.
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

    /// The number in exactly its curve's length: some writers drop leading zeros, some add one.
    private static func scalar(_ number: [UInt8], byteCount: Int) -> [UInt8]? {
        let digits = number.drop { $0 == 0 }
        guard digits.count <= byteCount else { return nil }
        return [UInt8](repeating: 0, count: byteCount - digits.count) + digits
    }

    /// The key, with both encodings of its public point: a file's must be one of them, or it is another key's.
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
