// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import SwiftASN1
import Testing
import X509
@testable import Identities
import EssentialFoundation

@Suite struct PrivateKeys {
    private static let p256: ASN1ObjectIdentifier = .NamedCurves.secp256r1
    private static let p384: ASN1ObjectIdentifier = .NamedCurves.secp384r1
    private let key = P256.Signing.PrivateKey()

    @Test("An elliptic curve key may lack its point or its curve, and may contain either form of point")
    func ellipticKeys() throws {
        let scalar = key.rawRepresentation
        let points: [Data?] = [nil, key.publicKey.x963Representation, key.publicKey.compressedRepresentation]
        for point in points {
            for (outer, inner) in [(Self.p256, nil), (nil, Self.p256), (Self.p256, Self.p256)] {
                let file = try pkcs8(.AlgorithmIdentifier.idEcPublicKey, parameters: outer) {
                    try sec1(&$0, scalar: [UInt8](scalar), curve: inner, point: point)
                }
                #expect(try read(file) == Certificate.PrivateKey(key))
            }
        }
    }

    @Test("A scalar may lack leading zeros or have more of them") func scalars() throws {
        let small = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 0, count: 31) + [7])
        for scalar: [UInt8] in [[7], [0, 7], [UInt8](repeating: 0, count: 40) + [7]] {
            let file = try pkcs8(.AlgorithmIdentifier.idEcPublicKey, parameters: Self.p256) {
                try sec1(&$0, scalar: scalar, curve: nil, point: nil)
            }
            #expect(try read(file) == Certificate.PrivateKey(small))
        }
    }

    @Test("An elliptic curve key whose parts contradict each other is refused") func contradictions() throws {
        let other = P256.Signing.PrivateKey().publicKey.x963Representation
        let scalar = [UInt8](key.rawRepresentation)
        let cases: [(outer: ASN1ObjectIdentifier?, scalar: [UInt8], inner: ASN1ObjectIdentifier?, point: Data?)] = [
            (Self.p256, scalar, nil, other), (Self.p256, scalar, Self.p384, nil), (nil, scalar, nil, nil),
            (Self.p256, [UInt8](repeating: 0, count: 32), nil, nil), (Self.p256, [], nil, nil),
            (Self.p256, [1] + scalar, nil, nil), (Self.p256, [UInt8](repeating: 0xff, count: 32), nil, nil),
            (Self.p256, scalar, nil, Data()), (Self.p384, scalar, nil, key.publicKey.x963Representation),
        ]
        for (outer, scalar, inner, point) in cases {
            let file = try pkcs8(.AlgorithmIdentifier.idEcPublicKey, parameters: outer) {
                try sec1(&$0, scalar: scalar, curve: inner, point: point)
            }
            #expect(throws: IdentityError.malformed(.privateKey)) { try read(file) }
        }
    }

    @Test("An Ed25519 key with another point or length is refused") func edwardsKeys() throws {
        let key = Curve25519.Signing.PrivateKey()
        let seed = [UInt8](key.rawRepresentation)
        func file(_ seed: [UInt8], publicKey: Data?) throws -> [UInt8] {
            try pkcs8(.ed25519, publicKey: publicKey) { try $0.serialize(ASN1OctetString(contentBytes: seed[...])) }
        }
        for point in [nil, key.publicKey.rawRepresentation] {
            #expect(try read(file(seed, publicKey: point)) == Certificate.PrivateKey(key))
        }
        let other = Curve25519.Signing.PrivateKey().publicKey.rawRepresentation
        for bad in [
            try file(seed, publicKey: other), try file(seed + [0], publicKey: nil), try file([], publicKey: nil),
        ] {
            #expect(throws: IdentityError.malformed(.privateKey)) { try read(bad) }
        }
    }

    private func read(_ file: [UInt8]) throws -> Certificate.PrivateKey {
        try PrivateKeyInfo(ASN1Node.parse(ber: file, as: .privateKey)).privateKey()
    }

    private func pkcs8(
        _ algorithm: ASN1ObjectIdentifier, parameters: ASN1ObjectIdentifier? = nil, publicKey: Data? = nil,
        key: (inout DER.Serializer) throws -> Void
    ) throws -> [UInt8] {
        var inner = DER.Serializer()
        try key(&inner)
        var outer = DER.Serializer()
        try outer.appendConstructedNode(identifier: .sequence) { file in
            try file.serialize(publicKey == nil ? 0 : 1)
            try file.appendConstructedNode(identifier: .sequence) { identifier in
                try identifier.serialize(algorithm)
                if let parameters { try identifier.serialize(parameters) }
            }
            try file.serialize(ASN1OctetString(contentBytes: inner.serializedBytes[...]))
            if let publicKey {
                file.appendPrimitiveNode(identifier: .init(tagWithNumber: 1, tagClass: .contextSpecific)) { bytes in
                    bytes += [0] + publicKey
                }
            }
        }
        return outer.serializedBytes
    }

    private func sec1(
        _ serializer: inout DER.Serializer, scalar: [UInt8], curve: ASN1ObjectIdentifier?, point: Data?
    ) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { key in
            try key.serialize(1)
            try key.serialize(ASN1OctetString(contentBytes: scalar[...]))
            if let curve { try key.serialize(curve, explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) }
            if let point {
                let bits = ASN1BitString(bytes: [UInt8](point)[...])
                try key.serialize(bits, explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific)
            }
        }
    }
}
