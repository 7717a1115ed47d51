// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import SwiftASN1
import TrustRecipes
import X509

/// Chains to start from: some that are made here, and those of x509-limbo where it is at hand.
enum ChainSeeds {
    static func all(limbo: String?) throws -> [[UInt8]] {
        let made = try recipes.flatMap(inputs)
        return try made + (limbo.map(LimboSeeds.all) ?? [])
    }

    /// A chain of which each certificate is changed in its turn.
    private struct Chain {
        var root = Recipe.authority("root")
        var intermediate = Recipe.authority("intermediate")
        var leaf = Recipe()
        var more: [ChainRecord] = []
    }

    /// A policy for each of the first choices: as it comes, soft, hard, first use, off, and each profile.
    private static let policies: [[UInt8]] = [
        [], [0, 0, 1], [0, 0, 2, 1], [1, 0, 0, 0, 0, 0, 0, 1], [1], [2], [0, 1], [0, 2, 0, 0, 1, 2, 1],
        [0, 0, 0, 0, 0, 0, 2],
        [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 1, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2],
        [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 3],
    ]

    private static let mustStaple = Certificate.Extension(
        oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: Encoding.sequence([2, 1, 5])[...])

    private static var recipes: [Chain] {
        get throws {
            var chains = [Chain()]
            let access = AuthorityInformationAccess([
                .init(method: .ocspServer, location: .uniformResourceIdentifier("http://ocsp.test/")),
                .init(method: .issuingCA, location: .uniformResourceIdentifier("http://ca.test/ca.cer")),
            ])
            var pointed = Chain()
            pointed.leaf.extra = [try Certificate.Extension(access, critical: false), mustStaple]
            chains.append(pointed)
            var constrained = Chain()
            constrained.intermediate.nameConstraints = NameConstraints(
                permittedDNSDomains: ["test"], excludedDNSDomains: ["b.test"])
            constrained.leaf.names = [
                .dnsName("a.test"), .dnsName("*.a.test"), .ipAddress(.init(contentBytes: [192, 0, 2, 1])),
            ]
            chains.append(constrained)
            var governed = Chain()
            let policy = Encoding.sequence(Encoding.sequence(Encoding.identifier([0x2a, 3])))
            let mapping = Encoding.sequence(
                Encoding.sequence(Encoding.identifier([0x2a, 3]), Encoding.identifier([0x2a, 4])))
            let constraints = Encoding.sequence([0x80, 1, 0], [0x81, 1, 1])
            governed.intermediate.extra = [
                .init(oid: [2, 5, 29, 32], critical: false, value: policy[...]),
                .init(oid: [2, 5, 29, 33], critical: true, value: mapping[...]),
                .init(oid: [2, 5, 29, 36], critical: true, value: constraints[...]),
                .init(oid: [2, 5, 29, 54], critical: true, value: [2, 1, 0][...]),
            ]
            governed.leaf.extra = [.init(oid: [2, 5, 29, 32], critical: false, value: policy[...])]
            chains.append(governed)
            var identified = Chain()
            let subjectKey = SubjectKeyIdentifier(keyIdentifier: [1, 2, 3, 4])
            identified.intermediate.extra = [try Certificate.Extension(subjectKey, critical: false)]
            identified.leaf.extra = [
                try Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: [1, 2, 3, 4]), critical: false)
            ]
            chains.append(identified)
            return chains
        }
    }

    /// The chain verbatim and to be signed, with evidence, under every policy.
    private static func inputs(_ chain: Chain) throws -> [[UInt8]] {
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
