// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import TrustRecipes
import X509

/// Makes recipes whose keys and serial numbers come from the random number generator.
struct RandomRecipes {
    var generator: SplitMix64

    /// Returns `true` once in `count` times on average.
    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    mutating func authority(_ name: String) -> Recipe {
        let recipe = renewed(.authority(name, key: key()))
        return chance(2) ? recipe : recipe.with { $0.extra = [Self.identifier(of: name)].compactMap(\.self) }
    }

    mutating func leaf() -> Recipe {
        let key = key()
        return renewed(Recipe().with { $0.key = key })
    }

    mutating func renewed(_ recipe: Recipe) -> Recipe {
        let number = generator.next() >> 1 | 1 << 62
        return recipe.with { recipe in
            recipe.serialNumber = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    /// Issues certificates that resemble those of an authority but are in no valid path.
    mutating func decoys(of recipe: Recipe, _ authority: TestAuthority, issuer: TestAuthority) throws -> [Certificate] {
        let (otherKey, twin) = (key(), renewed(recipe))
        let recipes = [
            twin.with { $0.notAfter = Instant.now - 1 }, twin.with { $0.key = otherKey },
            twin.with { $0.constraints = .notCertificateAuthority },
            twin.with { $0.keyUsage = KeyUsage(digitalSignature: true) }, twin.with { $0.purposes = [.clientAuth] },
        ]
        var decoys: [Certificate] = []
        for recipe in recipes where chance(3) { decoys.append(try issuer.issue(recipe).certificate) }
        if chance(3) { decoys.append(try authority.forged()) }
        if chance(3) { decoys.append(try TestAuthority(root: twin.with { $0.key = otherKey }).certificate) }
        return decoys
    }

    private mutating func key() -> P256.Signing.PrivateKey {
        let bytes = (0..<32).map { _ in UInt8.random(in: 1...0x7f, using: &generator) }
        // The value is below the order of the curve because its first byte is at most 0x7f.
        return (try? P256.Signing.PrivateKey(rawRepresentation: bytes)) ?? P256.Signing.PrivateKey()
    }

    private static func identifier(of name: String) -> Certificate.Extension? {
        try? Certificate.Extension(SubjectKeyIdentifier(keyIdentifier: Array(name.utf8)[...]), critical: false)
    }
}
