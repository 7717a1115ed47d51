// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import TrustRecipes
import X509

@testable import CertificateTrust

/// A server with random authorities and certificates, whose construction determines the expected verdicts.
struct RandomAuthorities {
    /// A certificate of a valid path, with the numbers of its subject and its issuer, counted from the root.
    struct Link {
        let certificate: Certificate
        let subject: Int
        let issuer: Int
    }

    /// The number of a second root, which has also issued certificates to some of the authorities.
    private static let secondRoot = -1

    private let leafIssuer: Int
    private let second: TestAuthority
    /// The root, the intermediate authorities in order, and the server.
    private var authorities: [TestAuthority]
    /// The certificates of the intermediate authorities in order, each issued by the previous authority.
    private(set) var line: [Link] = []
    /// Other valid certificates of the same authorities.
    private(set) var crossLinks: [Link] = []
    /// The certificates that are in no valid path.
    private(set) var decoys: [Certificate] = []
    /// The anchors by the numbers of their authorities.
    private(set) var anchors: [Int: Certificate]
    private(set) var generator: SplitMix64

    var leaf: Certificate { authorities[leafIssuer + 1].certificate }
    var links: [Link] { line + crossLinks }

    init(seed: UInt64) throws {
        var recipes = RandomRecipes(generator: SplitMix64(seed: seed))
        let root = try TestAuthority(root: recipes.authority("root"))
        second = try TestAuthority(root: recipes.authority("second root"))
        (authorities, anchors) = ([root], [0: root.certificate])
        if recipes.chance(2) { anchors[Self.secondRoot] = second.certificate }
        leafIssuer = Int.random(in: 1...4, using: &recipes.generator)
        generator = recipes.generator
        for _ in 1...leafIssuer { try addAuthority(&recipes) }
        authorities.append(try authorities[leafIssuer].issue(recipes.leaf()))
        for number in 0..<Int.random(in: 0...3, using: &recipes.generator) {
            decoys.append(try TestAuthority(root: recipes.authority("stranger \(number)")).certificate)
        }
        generator = recipes.generator
    }

    /// Adds the next intermediate authority, perhaps with further valid and invalid certificates of it.
    private mutating func addAuthority(_ recipes: inout RandomRecipes) throws {
        let (number, issuer) = (authorities.count, authorities[authorities.count - 1])
        let recipe = recipes.authority("level \(number)")
        let authority = try issuer.issue(recipe)
        line.append(Link(certificate: authority.certificate, subject: number, issuer: number - 1))
        if recipes.chance(3) {
            let other = Int.random(in: 0..<number, using: &recipes.generator)
            let certificate = try authorities[other].issue(recipes.renewed(recipe)).certificate
            crossLinks.append(Link(certificate: certificate, subject: number, issuer: other))
        }
        if recipes.chance(3) {
            let certificate = try second.issue(recipes.renewed(recipe)).certificate
            if anchors[Self.secondRoot] == nil {
                decoys.append(certificate)
            } else {
                crossLinks.append(Link(certificate: certificate, subject: number, issuer: Self.secondRoot))
            }
        }
        decoys += try recipes.decoys(of: recipe, authority, issuer: issuer)
        authorities.append(authority)
    }

    /// Returns whether the links lead from the leaf to an anchor, considering only the numbers of the authorities.
    func isReached(by links: [Link], from anchors: [Int: Certificate]) -> Bool {
        var (reached, waiting) = (Set<Int>(), [leafIssuer])
        while let number = waiting.popLast() {
            guard reached.insert(number).inserted else { continue }
            waiting += links.filter { $0.subject == number }.map(\.issuer)
        }
        return !reached.isDisjoint(with: anchors.keys)
    }

    /// Evaluates the leaf with the certificates in random order, some presented, some fetched, some twice.
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
