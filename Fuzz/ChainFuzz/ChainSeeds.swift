// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import Foundation
import Identities
import SwiftASN1
import X509

/// Chains to start from: one that is made here, and those of x509-limbo where it is at hand.
enum ChainSeeds {
    /// 2026-06-01 00:00:00 UTC, when the chains are evaluated.
    static let time = Date(timeIntervalSince1970: 1_780_272_000)

    private struct Suite: Decodable { let testcases: [Case] }

    private struct Case: Decodable {
        let trustedCerts: [String]
        let untrustedIntermediates: [String]
        let peerCertificate: String

        var texts: [String] { [peerCertificate] + untrustedIntermediates + trustedCerts.prefix(1) }
    }

    static func all(limbo: String?) throws -> [[UInt8]] {
        let root = try CertificateAuthority(name: "root", now: time)
        let issuer = try root.issueIntermediate(name: "intermediate", now: time)
        let leaf = try issuer.issue(.server(names: ["example.com"]), now: time)
        let made = try ([leaf.certificate, issuer.certificate, root.certificate]).flatMap { certificate in
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
        let chains = try [made] + (limbo.map(Self.chains) ?? [])
        return chains.enumerated().map { index, chain in [UInt8(truncatingIfNeeded: index)] + chain }
    }

    private static func chains(of limbo: String) throws -> [[UInt8]] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let suite = try decoder.decode(Suite.self, from: Data(contentsOf: URL(filePath: limbo)))
        return suite.testcases.map { one in
            one.texts.flatMap { (try? PEMDocument(pemString: $0))?.derBytes ?? [] }
        }
    }
}
