// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import TrustRecipes
import X509

@testable import CertificateTrust

/// A root, authorities one below the other, a server, and much else; what is needed follows from how they were made.
struct RandomAuthorities {
    /// A certificate that belongs in a path: by which authority, and for which, counted from the root.
    struct Link {
        let certificate: Certificate
        let subject: Int
        let issuer: Int
    }

    /// The number of a second root, which vouches for some of the authorities too.
    private static let secondRoot = -1

    private(set) var leaf: Certificate
    private let leafIssuer: Int
    /// From the first authority to the last, each issued by the one before.
    private(set) var line: [Link] = []
    /// Other certificates of the same authorities, as good as those of the line.
    private(set) var crossLinks: [Link] = []
    /// Certificates that are in no good path.
    private(set) var decoys: [Certificate] = []
    /// By the number of the authority.
    private(set) var anchors: [Int: Certificate] = [:]
    private(set) var generator: SplitMix64

    var links: [Link] { line + crossLinks }

    init(seed: UInt64) throws {
        var workshop = Workshop(generator: SplitMix64(seed: seed))
        let root = try TestAuthority(root: workshop.authority("root"))
        let second = try TestAuthority(root: workshop.authority("second root"))
        var authorities = [root]
        anchors[0] = root.certificate
        let trustsSecond = workshop.chance(2)
        if trustsSecond { anchors[Self.secondRoot] = second.certificate }
        let depth = Int.random(in: 1...4, using: &workshop.generator)
        for number in 1...depth {
            let recipe = workshop.authority("level \(number)")
            let issuer = authorities[number - 1]
            let authority = try issuer.issue(recipe)
            line.append(Link(certificate: authority.certificate, subject: number, issuer: number - 1))
            if workshop.chance(3) {
                let other = Int.random(in: 0..<number, using: &workshop.generator)
                let certificate = try authorities[other].issue(workshop.renewed(recipe)).certificate
                crossLinks.append(Link(certificate: certificate, subject: number, issuer: other))
            }
            if workshop.chance(3) {
                let certificate = try second.issue(workshop.renewed(recipe)).certificate
                if trustsSecond {
                    crossLinks.append(Link(certificate: certificate, subject: number, issuer: Self.secondRoot))
                } else {
                    decoys.append(certificate)
                }
            }
            decoys += try workshop.decoys(of: recipe, authority, issuer: issuer)
            authorities.append(authority)
        }
        leaf = try authorities[depth].issue(workshop.leaf()).certificate
        leafIssuer = depth
        for number in 0..<Int.random(in: 0...3, using: &workshop.generator) {
            decoys.append(try TestAuthority(root: workshop.authority("stranger \(number)")).certificate)
        }
        generator = workshop.generator
    }

    /// Whether links lead from the leaf to an anchor, by the numbers of the authorities alone.
    func isReached(by links: [Link], from anchors: [Int: Certificate]) -> Bool {
        var (reached, waiting) = (Set<Int>(), [leafIssuer])
        while let number = waiting.popLast() {
            guard reached.insert(number).inserted else { continue }
            waiting += links.filter { $0.subject == number }.map(\.issuer)
        }
        return !reached.isDisjoint(with: anchors.keys)
    }

    /// Evaluates the leaf with certificates in any order, some presented, some fetched, some twice.
    mutating func verdict(_ certificates: [Certificate], anchors: [Int: Certificate]? = nil) throws -> Verdict {
        var certificates = certificates
        certificates += certificates.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
        certificates.shuffle(using: &generator)
        let count = Int.random(in: 0...certificates.count, using: &generator)
        let given = (anchors ?? self.anchors).sorted { $0.key < $1.key }.map(\.value)
        let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: .only(given)), systemAnchors: AnchorStore([]))
        guard let chain = PresentedChain([leaf] + certificates.prefix(count)) else { throw HostNameError.malformed("") }
        return evaluator.evaluate(
            chain, for: try HostName("a.test"), at: Instant.now,
            with: TrustEvidence(issuers: Array(certificates.dropFirst(count))))
    }
}

/// Makes recipes whose keys and serial numbers are the generator's.
private struct Workshop {
    var generator: SplitMix64

    /// True one time in so many.
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

    /// Certificates that look like those of an authority and lead nowhere.
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
        // Below the order of the curve as long as the first byte is.
        return (try? P256.Signing.PrivateKey(rawRepresentation: bytes)) ?? P256.Signing.PrivateKey()
    }

    private static func identifier(of name: String) -> Certificate.Extension? {
        try? Certificate.Extension(SubjectKeyIdentifier(keyIdentifier: Array(name.utf8)[...]), critical: false)
    }
}
