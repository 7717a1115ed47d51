// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CryptoExtras
internal import SwiftASN1
internal import X509

/// A PKCS#1 key (RFC 8017 appendix A.1.2).
enum RSAPrivateKey {
    /// Shorter keys can be broken, and swift-certificates refuses them.
    private static let shortest = 2048
    /// Checking a longer key takes seconds.
    private static let longest = 16_384

    static func read(_ bytes: [UInt8]) throws(IdentityError) -> Certificate.PrivateKey {
        var fields = try Fields(ber: bytes, of: .privateKey)
        let version = try fields.integer()
        guard version != 1 else { throw .unsupported("multi-prime RSA") }
        guard version == 0 else { throw .malformed(.privateKey) }
        var numbers: [ArraySlice<UInt8>] = []
        for _ in 0..<8 { numbers.append(try fields.next().integerBytes(.privateKey)) }
        try fields.end()
        try checkSize(ofModulus: numbers[0])
        // Written again in DER, because swift-crypto reads nothing else; it checks that the numbers fit together.
        guard let encoded = try? der(numbers), let key = try? _RSA.Signing.PrivateKey(derRepresentation: encoded) else {
            throw .malformed(.privateKey)
        }
        return Certificate.PrivateKey(key)
    }

    private static func checkSize(ofModulus modulus: ArraySlice<UInt8>) throws(IdentityError) {
        let digits = modulus.drop { $0 == 0 }
        guard let first = digits.first, let sign = modulus.first, sign < 0x80 else { throw .malformed(.privateKey) }
        let bits = digits.count * 8 - first.leadingZeroBitCount
        guard (shortest...longest).contains(bits) else { throw .unsupported("RSA-\(bits)") }
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
