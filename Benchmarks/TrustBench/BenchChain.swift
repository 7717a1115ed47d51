// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Foundation
import Identities
import SwiftASN1
import X509

/// The leaf, intermediate and root, as certificates and as bytes.
struct BenchChain {
    static let host = "server.test"

    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate
    let leafBytes: [UInt8]
    let intermediateBytes: [UInt8]

    init(_ keyType: CertificateAuthority.KeyType) throws {
        let now = Date()
        let authority = try CertificateAuthority(name: "Bench Root", keyType: keyType, now: now)
        let issuer = try authority.issueIntermediate(name: "Bench Intermediate", keyType: keyType, now: now)
        let leaf = try issuer.issue(.server(names: [Self.host], keyType: keyType), now: now).certificate
        // The certificates are parsed from bytes like a peer's,
        // because a newly created certificate holds its parsed key.
        leafBytes = try Self.bytes(of: leaf)
        intermediateBytes = try Self.bytes(of: issuer.certificate)
        self.leaf = try Certificate(derEncoded: leafBytes)
        intermediate = try Certificate(derEncoded: intermediateBytes)
        root = try Certificate(derEncoded: Self.bytes(of: authority.certificate))
    }

    /// Writes the files that `openssl/verify.c` reads.
    func write(to folder: URL) throws {
        try Data(leafBytes).write(to: folder.appending(path: "chain-leaf.der"))
        try Data(intermediateBytes).write(to: folder.appending(path: "chain-intermediate.der"))
        try Data(Self.bytes(of: root)).write(to: folder.appending(path: "chain-root.der"))
    }

    private static func bytes(of certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
