// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import SwiftASN1
import Testing

@testable import Identities

/// Crafted files that no writer produces, without encryption and integrity check.
@Suite struct PKCS12Limits {
    typealias Body = (inout DER.Serializer) throws -> Void

    @Test("The nesting of safes is limited") func nesting() throws {
        let maximumDepth = SafeReader.maximumSafeDepth
        let contents = try PKCS12(pfx { try nestedSafes(maximumDepth - 1, in: &$0) })
        #expect(contents.ignoredBagCount == 1)
        #expect(throws: IdentityError.tooLarge(.nesting, limit: maximumDepth)) {
            try PKCS12(pfx { try nestedSafes(maximumDepth, in: &$0) })
        }
    }

    @Test("The number of bags is limited") func bagCount() throws {
        func file(_ count: Int) throws -> [UInt8] {
            try pfx { safe in
                for _ in 0..<count {
                    try bag([1, 2, 3], in: &safe) { $0.appendPrimitiveNode(identifier: .null) { _ in } }
                }
            }
        }
        #expect(try PKCS12(file(SafeReader.maximumBagCount)).ignoredBagCount == SafeReader.maximumBagCount)
        #expect(throws: IdentityError.tooLarge(.elements, limit: SafeReader.maximumBagCount)) {
            try PKCS12(file(SafeReader.maximumBagCount + 1))
        }
    }

    @Test(
        "Public-key modes of PKCS#12 are refused by name",
        arguments: [(ASN1ObjectIdentifier.signedData, "signedData"), (.envelopedData, "envelopedData")])
    func publicKeyModes(type: ASN1ObjectIdentifier, name: String) throws {
        #expect(throws: IdentityError.unsupported(name)) { try PKCS12(pfx(type: type) { _ in }) }
        #expect(throws: IdentityError.unsupported(name)) { try PKCS12(pfx(safeType: type) { _ in }) }
    }

    @Test("Another version is refused", arguments: [0, 1, 2, 4, Int.max])
    func version(version: Int) throws {
        #expect(throws: IdentityError.malformed(.pkcs12)) { try PKCS12(pfx(version: version) { _ in }) }
    }

    @Test("A file without bags contains no identity") func empty() throws {
        let file = try pfx { _ in }
        #expect(try PKCS12(file).certificates.isEmpty)
        #expect(throws: IdentityError.noPrivateKey) { try Identity(pkcs12: file) }
    }

    /// RFC 9879 requires the key length; a short key allows forgery (CVE-2026-34181).
    @Test(
        "PBMAC1 requires a key length within limits (RFC 9879)",
        arguments: [(nil, false), (19, false), (20, true), (64, true), (65, false)] as [(Int?, Bool)])
    func pbmac1KeyLength(keyLength: Int?, isAccepted: Bool) throws {
        let node = try macData { algorithm in
            try algorithm.serialize(ASN1ObjectIdentifier.pbmac1)
            try algorithm.appendConstructedNode(identifier: .sequence) { parameters in
                try parameters.appendConstructedNode(identifier: .sequence) { derivation in
                    try derivation.serialize(ASN1ObjectIdentifier.pbkdf2)
                    try derivation.appendConstructedNode(identifier: .sequence) { values in
                        try values.serialize(ASN1OctetString(contentBytes: [1, 2, 3]))
                        try values.serialize(1)
                        if let keyLength { try values.serialize(keyLength) }
                    }
                }
                try parameters.appendConstructedNode(identifier: .sequence) { hmac in
                    try hmac.serialize([1, 2, 840, 113549, 2, 9] as ASN1ObjectIdentifier)
                }
            }
        }
        guard isAccepted else {
            #expect(throws: IdentityError.malformed(.messageAuthenticationCode)) { try MacData(node) }
            return
        }
        var budget = WorkBudget()
        let mac = try MacData(node)
        #expect(throws: IdentityError.wrongPassphrase) { try mac.verify([], passphrase: Secret("x"), budget: &budget) }
    }

    @Test(
        "An unsupported MAC digest is refused by its name",
        arguments: [
            ([1, 2, 840, 113549, 2, 5], "MD5"), ([1, 2, 3, 4, 5], "1.2.3.4.5"),
            ([2, 16, 840, 1, 101, 3, 4, 2, 8], "2.16.840.1.101.3.4.2.8"),
        ] as [(ASN1ObjectIdentifier, String)])
    func otherDigests(digest: ASN1ObjectIdentifier, name: String) throws {
        let node = try macData { try $0.serialize(digest) }
        #expect(throws: IdentityError.unsupported(name)) { try MacData(node) }
    }

    private func pfx(
        version: Int = 3, type: ASN1ObjectIdentifier = .data, safeType: ASN1ObjectIdentifier = .data, bags: Body
    ) throws -> [UInt8] {
        var safeContents = DER.Serializer()
        try safeContents.appendConstructedNode(identifier: .sequence, bags)
        var safes = DER.Serializer()
        try safes.appendConstructedNode(identifier: .sequence) { sequence in
            try contentInfo(safeType, safeContents.serializedBytes, in: &sequence)
        }
        var file = DER.Serializer()
        try file.appendConstructedNode(identifier: .sequence) { sequence in
            try sequence.serialize(version)
            try contentInfo(type, safes.serializedBytes, in: &sequence)
        }
        return file.serializedBytes
    }

    private func contentInfo(
        _ type: ASN1ObjectIdentifier, _ bytes: [UInt8], in serializer: inout DER.Serializer
    ) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { info in
            try info.serialize(type)
            let content = ASN1OctetString(contentBytes: bytes[...])
            try info.serialize(content, explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific)
        }
    }

    private func bag(_ type: ASN1ObjectIdentifier, in safe: inout DER.Serializer, value: Body) throws {
        try safe.appendConstructedNode(identifier: .sequence) { bag in
            try bag.serialize(type)
            try bag.appendConstructedNode(
                identifier: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific), value
            )
        }
    }

    /// Writes nested safes with an unknown bag in the innermost one.
    private func nestedSafes(_ levels: Int, in safe: inout DER.Serializer) throws {
        guard levels > 0 else {
            return try bag([1, 2, 3], in: &safe) { $0.appendPrimitiveNode(identifier: .null) { _ in } }
        }
        try bag(.safeContentsBag, in: &safe) { value in
            try value.appendConstructedNode(identifier: .sequence) { try nestedSafes(levels - 1, in: &$0) }
        }
    }

    private func macData(algorithm: Body) throws -> ASN1Node {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { macData in
            try macData.appendConstructedNode(identifier: .sequence) { digestInfo in
                try digestInfo.appendConstructedNode(identifier: .sequence, algorithm)
                try digestInfo.serialize(ASN1OctetString(contentBytes: []))
            }
            try macData.serialize(ASN1OctetString(contentBytes: [1]))
        }
        return try ASN1Node.parse(ber: serializer.serializedBytes, as: .messageAuthenticationCode)
    }
}
