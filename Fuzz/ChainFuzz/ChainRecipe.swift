// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import TrustRecipes
import X509

/// The recipes of a chain's certificates.
struct ChainRecipe {
    var root = Recipe.authority("root")
    var intermediate = Recipe.authority("intermediate")
    var leaf = Recipe()

    static func all() throws -> [ChainRecipe] {
        try [ChainRecipe(), pointing(), constrained(), governed(), identified(), expired()]
    }

    /// Creates a chain whose leaf has URLs of its issuer and its OCSP responder, and requires stapling (RFC 7633).
    private static func pointing() throws -> ChainRecipe {
        let access = AuthorityInformationAccess([
            .init(method: .ocspServer, location: .uniformResourceIdentifier("http://ocsp.test/")),
            .init(method: .issuingCA, location: .uniformResourceIdentifier("http://ca.test/ca.cer")),
        ])
        var chain = ChainRecipe()
        chain.leaf.extra = [
            try Certificate.Extension(access, critical: false),
            .init(oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: Encoding.sequence([2, 1, 5])[...]),
        ]
        return chain
    }

    /// Creates a chain with name constraints (RFC 5280 section 4.2.1.10).
    private static func constrained() -> ChainRecipe {
        var chain = ChainRecipe()
        chain.intermediate.nameConstraints = NameConstraints(
            permittedDNSDomains: ["test"], excludedDNSDomains: ["b.test"])
        chain.leaf.names = [
            .dnsName("a.test"), .dnsName("*.a.test"), .ipAddress(.init(contentBytes: [192, 0, 2, 1])),
        ]
        return chain
    }

    /// Creates a chain with certificate policies, mappings and constraints
    /// (RFC 5280 sections 4.2.1.4, 4.2.1.5, 4.2.1.11 and 4.2.1.14).
    private static func governed() -> ChainRecipe {
        let (one, other) = (Encoding.identifier([0x2a, 3]), Encoding.identifier([0x2a, 4]))
        let policies = Encoding.sequence(Encoding.sequence(one))
        let mappings = Encoding.sequence(Encoding.sequence(one, other))
        let constraints = Encoding.sequence([0x80, 1, 0], [0x81, 1, 1])
        var chain = ChainRecipe()
        chain.intermediate.extra = [
            .init(oid: [2, 5, 29, 32], critical: false, value: policies[...]),
            .init(oid: [2, 5, 29, 33], critical: true, value: mappings[...]),
            .init(oid: [2, 5, 29, 36], critical: true, value: constraints[...]),
            .init(oid: [2, 5, 29, 54], critical: true, value: [2, 1, 0]),
        ]
        chain.leaf.extra = [.init(oid: [2, 5, 29, 32], critical: false, value: policies[...])]
        return chain
    }

    /// Creates a chain with key identifiers (RFC 5280 sections 4.2.1.1 and 4.2.1.2).
    private static func identified() throws -> ChainRecipe {
        var chain = ChainRecipe()
        chain.intermediate.extra = [
            try Certificate.Extension(SubjectKeyIdentifier(keyIdentifier: [1, 2, 3, 4]), critical: false)
        ]
        chain.leaf.extra = [
            try Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: [1, 2, 3, 4]), critical: false)
        ]
        return chain
    }

    /// Creates a chain with an expired leaf, whose verdict with trust on first use once contained a trusted path.
    private static func expired() -> ChainRecipe {
        var chain = ChainRecipe()
        chain.leaf.notAfter = Instant.now - 1
        return chain
    }
}
