// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CryptoExtras
internal import SwiftASN1
internal import X509

/// A PKCS#1 key (RFC 8017 appendix A.1.2).
enum RSAPrivateKey {
    /// Sizes in bits: shorter keys can be broken and swift-certificates refuses them; longer ones take seconds to check.
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
        // Written again in DER, because swift-crypto reads nothing else; it checks that the numbers fit together.
        guard let encoded = try? der(numbers), let key = try? _RSA.Signing.PrivateKey(derRepresentation: encoded) else {
            throw .malformed(.privateKey)
        }
        return Certificate.PrivateKey(key)
    }

    /// The size of a modulus, in bits.
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
