// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CPKCS11
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import PKCS11

@Suite struct TokenSignatureTests {
    @Test("A DigestInfo contains its hash's algorithm", arguments: SignatureHash.allCases)
    func digestInfo(hash: SignatureHash) throws {
        let digest = hash.digest(of: Array("abc".utf8))
        let node = try DER.parse(hash.digestInfo(digest))
        try DER.sequence(node, identifier: .sequence) { fields in
            let first = fields.next()
            try DER.sequence(#require(first), identifier: .sequence) { algorithm in
                let identifier = try ASN1ObjectIdentifier(derEncoded: &algorithm)
                let last: UInt =
                    switch hash {
                    case .sha256: 1
                    case .sha384: 2
                    case .sha512: 3
                    }
                #expect(identifier == [2, 16, 840, 1, 101, 3, 4, 2, last])
                _ = try ASN1Null(derEncoded: &algorithm)
            }
            #expect(try ASN1OctetString(derEncoded: &fields).bytes == digest[...])
        }
    }

    @Test("The DigestInfo of \"abc\" with SHA-256 is correct") func vector() {
        // The digest is that of the example in FIPS 180-4.
        let expected =
            "3031300d060960864801650304020105000420ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let hash = SignatureHash.sha256
        let bytes = hash.digestInfo(hash.digest(of: Array("abc".utf8)))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == expected)
    }

    @Test("An ECDSA signature is encoded as two numbers without leading zeros", arguments: EllipticCurve.allCases)
    func encoding(curve: EllipticCurve) throws {
        // Leading zeros of a small number are removed; a number whose first bit is set gets a leading zero.
        let small = [UInt8](repeating: 0, count: curve.size - 1) + [5]
        let large = [0x80] + [UInt8](repeating: 1, count: curve.size - 1)
        let encoded = try curve.signature(small + large)
        let count = UInt8(curve.size)
        #expect(encoded == [0x30, count + 6, 0x02, 0x01, 0x05, 0x02, count + 1, 0x00] + large)
    }

    @Test("A signature of another length is refused", arguments: EllipticCurve.allCases)
    func length(curve: EllipticCurve) {
        for count in [0, 1, 2 * curve.size - 1, 2 * curve.size + 1] {
            #expect(throws: (any Error).self) { try curve.signature([UInt8](repeating: 1, count: count)) }
        }
    }

    @Test("A point is read with and without an OCTET STRING around it") func points() throws {
        let small = P256.Signing.PrivateKey().publicKey
        let large = P384.Signing.PrivateKey().publicKey
        for (curve, point, key) in [
            (EllipticCurve.p256, Array(small.x963Representation), Certificate.PublicKey(small)),
            (.p384, Array(large.x963Representation), Certificate.PublicKey(large)),
        ] {
            #expect(try curve.publicKey(point) == key)
            #expect(try curve.publicKey([0x04, UInt8(point.count)] + point) == key)
            #expect(throws: (any Error).self) { try curve.publicKey(point.dropLast()) }
            #expect(throws: (any Error).self) { try curve.publicKey([0x04, UInt8(point.count)] + point + [0]) }
            #expect(throws: (any Error).self) { try curve.publicKey([]) }
        }
    }

    @Test("Weak and unsupported algorithms have no hash") func algorithms() {
        for algorithm in [Certificate.SignatureAlgorithm.sha1WithRSAEncryption, .ed25519] {
            #expect(SignatureHash(algorithm) == nil)
        }
    }

    @Test("Attributes are passed with their values and lengths") func attributes() {
        let attributes: [TokenAttribute] = [
            .flag(1, true), .bytes(3, [7, 8, 9]), .number(0x121, 2_048), .bytes(4, []),
        ]
        attributes.withAttributes { list, count in
            #expect(count == 4)
            for (index, attribute) in attributes.enumerated() {
                #expect(list[index].type == attribute.type)
                let value = UnsafeRawBufferPointer(start: list[index].pValue, count: Int(list[index].ulValueLen))
                #expect(Array(value) == attribute.value)
            }
        }
    }
}
