// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct BudgetTests {
    /// The authorities share a name and a key and have issued each other, so every permutation of them is a path.
    @Test("Certificates that issue each other exhaust the budget") func crossSigned() throws {
        let key = P256.Signing.PrivateKey()
        let authority = try TestAuthority(root: .authority("loop", key: key))
        let twins = try (1...40).map { number in
            try authority.issue(.authority("loop", key: key).with { $0.serialNumber = [1, UInt8(number)] }).certificate
        }
        let leaf = try authority.issue(Recipe()).certificate
        let verdict = try evaluate([leaf] + twins, anchors: [try TestAuthority(root: .authority("loop")).certificate])
        #expect(codes(verdict) == ["trust.budget-exhausted"] && !verdict.isRecoverable)
        #expect(verdict.paths.count <= 512)
        // The evaluator finds a true anchor before it tries those paths.
        #expect(try evaluate([leaf] + twins, anchors: [authority.certificate]).isTrusted)
    }

    @Test("Many issuers of one name with other keys exhaust the budget") func impostors() throws {
        let authority = try TestAuthority(root: .authority("name"))
        let impostors = try (0..<100).map { _ in try TestAuthority(root: .authority("name")).certificate }
        let leaf = try authority.issue(Recipe()).certificate
        #expect(try codes(evaluate([leaf] + impostors, anchors: [])) == ["trust.budget-exhausted"])
    }

    @Test("A chain that is too deep is not trusted, and does not hide a shorter one") func depth() throws {
        let root = try TestAuthority(root: .authority("0"))
        for (depth, expected) in [(9, []), (14, ["trust.budget-exhausted"])] as [(Int, [String])] {
            var chain = [root]
            for number in 1...depth { chain.append(try chain[number - 1].issue(.authority("\(number)"))) }
            let leaf = try chain[depth].issue(Recipe())
            let presented = ([leaf] + chain.dropFirst().reversed()).map(\.certificate)
            #expect(try codes(evaluate(presented, anchors: [root.certificate])) == expected)
            // A branch that exceeds the depth limit does not hide a shorter valid branch.
            let short = try root.issue(.authority("\(depth)", key: chain[depth].key)).certificate
            #expect(try evaluate(presented + [short], anchors: [root.certificate]).isTrusted)
            let stranger = try TestAuthority(root: .authority("stranger")).certificate
            #expect(try !evaluate(presented, anchors: [stranger]).isTrusted)
        }
    }

    /// Unlike certificates of the path, certificates outside the path have no effect.
    @Test("Certificates that the path does not need change nothing") func unneeded() throws {
        let chain = try TestChain()
        let needed = [chain.leaf, chain.intermediate].map(\.certificate)
        for count in [1, 10, 50] {
            let strangers = try (0..<count).map { try TestAuthority(root: .authority("s\($0)")).certificate }
            #expect(try evaluate(needed + strangers, anchors: [chain.root.certificate]).isTrusted)
            #expect(try !evaluate([needed[0]] + strangers, anchors: [chain.root.certificate]).isTrusted)
        }
    }
}

struct ProfileTests {
    private func verdict(_ chain: TestChain, _ anchors: TrustPolicy.Anchors, _ profile: TrustPolicy.Profile?) throws
        -> Verdict
    {
        let policy = TrustPolicy(anchors: anchors, profile: profile)
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([chain.root.certificate]))
            .evaluate(try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now)
    }

    /// The test's certificates have no key identifiers, which only the web profile requires.
    @Test("The anchor selects the profile unless the policy does") func chosenProfile() throws {
        let (chain, other) = (try TestChain(), try TestChain())
        for (anchors, profile, isTrusted) in [
            (.system, nil, false), (.only([chain.root.certificate]), nil, true),
            (.systemAnd([other.root.certificate]), nil, false), (.systemAnd([chain.root.certificate]), nil, true),
            (.system, .privatePKI, true), (.only([chain.root.certificate]), .webPKI, false),
            (.systemAnd([chain.root.certificate]), .webPKI, false),
        ] as [(TrustPolicy.Anchors, TrustPolicy.Profile?, Bool)] {
            let verdict = try verdict(chain, anchors, profile)
            #expect(verdict.isTrusted == isTrusted)
            #expect(codes(verdict) == (isTrusted ? [] : ["trust.nonconforming"]))
        }
    }

    @Test("Every profile refuses name constraints in a server's certificate") func leafConstraints() throws {
        let constraints = NameConstraints(permittedDNSDomains: ["test"])
        #expect(try codes(TestChain(leaf: { $0.nameConstraints = constraints }).verdict()) == ["trust.nonconforming"])
        #expect(try TestChain(intermediate: { $0.nameConstraints = constraints }).verdict().isTrusted)
    }

    @Test("Extensions require version 3") func version() throws {
        #expect(try codes(TestChain(leaf: { $0.version = .v1 }).verdict()) == ["trust.nonconforming"])
    }
}
