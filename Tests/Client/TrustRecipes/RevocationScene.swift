// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto
import Foundation
import SwiftASN1
import X509

extension P256.Signing.PrivateKey {
    /// Returns a key that is the same in every run, so that signatures stay valid across runs.
    package static func fixed(_ number: UInt8) throws -> Self {
        try Self(rawRepresentation: Data(repeating: number, count: 32))
    }
}

/// A root, a server and a responder with the same keys in every run.
package struct RevocationScene {
    package let root: TestAuthority
    package let server: TestAuthority
    package let responder: TestAuthority

    /// The scene of the fuzzers, which cannot handle an error.
    package static let shared: RevocationScene = {
        guard let scene = try? RevocationScene() else { fatalError("the scene cannot be created") }
        return scene
    }()

    package init() throws {
        root = try TestAuthority(root: .authority("root", key: .fixed(1)))
        let key = try P256.Signing.PrivateKey.fixed(2)
        server = try root.issue(Recipe().with { $0.key = key })
        let responderKey = try P256.Signing.PrivateKey.fixed(3)
        responder = try root.issue(
            Recipe().with {
                $0.commonName = "responder"
                $0.names = nil
                $0.purposes = [.ocspSigning]
                $0.serialNumber = [0x55]
                $0.key = responderKey
            })
    }
}

/// The signed content, the algorithm and the signature, parsed with SwiftASN1 rather than with the code under test.
package struct SignedParts {
    package let signedBytes: [UInt8]
    package let signature: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard let node = try? DER.parse(bytes), case .constructed(let nodes) = node.content else { return nil }
        let parts = Array(nodes)
        guard parts.count >= 3, let bits = try? ASN1BitString(derEncoded: parts[2]) else { return nil }
        signedBytes = Array(parts[0].encodedBytes)
        signature = Array(bits.bytes)
    }

    /// Reads the parts of the BasicOCSPResponse in a response (RFC 6960 section 4.2.1).
    package init?(response: [UInt8]) {
        guard let node = try? DER.parse(response), let basic = Self.octets(in: node) else { return nil }
        self.init(basic)
    }

    package func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: signedBytes)
    }

    private static func octets(in node: ASN1Node) -> [UInt8]? {
        if let octets = try? ASN1OctetString(derEncoded: node) { return Array(octets.bytes) }
        guard case .constructed(let nodes) = node.content else { return nil }
        return nodes.lazy.compactMap(octets).first
    }
}

extension Encoding {
    /// Signs any content, and appends further parts.
    package static func signed(
        _ bytes: [UInt8], by key: P256.Signing.PrivateKey, with parts: [UInt8] = []
    ) throws -> [UInt8] {
        let signature = try key.signature(for: bytes).derRepresentation
        return sequence(bytes, ListRecipe.ecdsaWithSHA256, bits(Array(signature)), parts)
    }
}

extension TestAuthority {
    package func sign(_ bytes: [UInt8], with parts: [UInt8] = []) throws -> [UInt8] {
        try Encoding.signed(bytes, by: key, with: parts)
    }
}
