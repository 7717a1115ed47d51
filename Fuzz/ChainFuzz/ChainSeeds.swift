// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import SwiftASN1
import TrustRecipes
import X509

/// Seeds with generated chains, and with those of x509-limbo if it is available.
enum ChainSeeds {
    static func all(limbo: String?) throws -> [[UInt8]] {
        let made = try ChainRecipe.all().flatMap(inputs)
        return try made + costly() + (limbo.map(LimboSeeds.all) ?? [])
    }

    /// Returns chains of cross-signed authorities, and of authorities with the same name as the true one.
    private static func costly() throws -> [[UInt8]] {
        let keys = ChainInput.keys
        let authority = try TestAuthority(root: .authority("loop", key: keys[0]))
        let leaf = try authority.issue(Recipe().with { $0.key = keys[2] }).certificate
        return try [keys[0], keys[1]].map { key in
            let twins = try (1...40).map { number in
                try authority.issue(.authority("loop", key: key).with { $0.serialNumber = [1, number] }).certificate
            }
            return try ([leaf] + twins).flatMap { certificate in
                ChainRecord(.presentedToSign, [0] + signedBytes(try certificate.bytes())).bytes
            }
        }
    }

    /// The policies as the bytes in ``ChainInput``: first the default, then another value at each position.
    private static let policies: [[UInt8]] = [
        [], [0, 0, 1], [0, 0, 2, 1], [1, 0, 0, 0, 0, 0, 0, 1], [1], [2], [0, 1], [0, 2, 0, 0, 1, 2, 1],
        [0, 0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 1, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2],
        [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 3],
    ]

    /// Returns inputs with a complete chain and one to sign, with evidence, for every policy.
    private static func inputs(_ chain: ChainRecipe) throws -> [[UInt8]] {
        let keys = ChainInput.keys
        let root = try TestAuthority(root: chain.root.with { $0.key = keys[0] })
        let intermediate = try root.issue(chain.intermediate.with { $0.key = keys[1] })
        let leaf = try intermediate.issue(chain.leaf.with { $0.key = keys[2] })
        let cross = try TestAuthority(root: .authority("root", key: keys[0]))
        let list = try ListRecipe().encoded(by: root)
        let response = try ResponseRecipe().encoded(for: leaf.certificate, issuer: intermediate)
        let verbatim = [
            ChainRecord(.presented, try leaf.certificate.bytes()),
            ChainRecord(.presented, try intermediate.certificate.bytes()),
            ChainRecord(.presented, try cross.certificate.bytes()), ChainRecord(.anchor, try root.certificate.bytes()),
        ]
        let toSign = [
            ChainRecord(.presentedToSign, [1] + signedBytes(try leaf.certificate.bytes())),
            ChainRecord(.presentedToSign, [0] + signedBytes(try intermediate.certificate.bytes())),
            ChainRecord(.anchorToSign, [0] + signedBytes(try root.certificate.bytes())),
        ]
        let evidence = [
            ChainRecord(.listToSign, [0] + signedBytes(list)), ChainRecord(.response, response),
            ChainRecord(.responseToSign, [1] + (SignedParts(response: response)?.signedBytes ?? [])),
            ChainRecord(.pinned, [0, 0]), ChainRecord(.pinned, [0x81, 1]), ChainRecord(.host, Array("a.test".utf8)),
        ]
        return policies.flatMap { policy in
            [verbatim, toSign, toSign + evidence].map { records in
                (records + [ChainRecord(.policy, policy)]).flatMap(\.bytes)
            }
        }
    }

    private static func signedBytes(_ bytes: [UInt8]) -> [UInt8] { SignedParts(bytes)?.signedBytes ?? [] }
}
