// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct BudgetTests {
    /// The authorities share a name and a key and have issued each other, so every permutation of them is a path.
    @Test("Certificates that issue each other exhaust the budget", arguments: [40, 250]) func crossSigned(count: Int)
        throws
    {
        let key = P256.Signing.PrivateKey()
        let authority = try TestAuthority(root: .authority("loop", key: key))
        let twins = try (1...count).map { number in
            try authority.issue(.authority("loop", key: key).with { $0.serialNumber = [1, UInt8(number)] }).certificate
        }
        let leaf = try authority.issue(Recipe()).certificate
        let stranger = try TestAuthority(root: .authority("loop")).certificate
        let chain = try #require(PresentedChain([leaf] + twins))
        let evaluator = TrustEvaluator(
            policy: TrustPolicy(anchors: .only([stranger])), systemAnchors: AnchorStore([]))
        let host = try HostName("a.test")
        var verdict = evaluator.evaluate(chain, for: host, at: Instant.now)
        let duration = ContinuousClock().measure { verdict = evaluator.evaluate(chain, for: host, at: Instant.now) }
        print("\(count) twins: refused in \(duration)")
        #expect(codes(verdict) == ["trust.budget-exhausted"] && !verdict.isRecoverable)
        #expect(verdict.paths.count <= 512 + 4 * (count + 1))
        // The evaluator finds a true anchor before it tries those paths.
        #expect(try evaluate([leaf] + twins, anchors: [authority.certificate]).isTrusted)
    }

    @Test("The failure states the bound that was met") func statedBound() throws {
        let key = P256.Signing.PrivateKey()
        let authority = try TestAuthority(root: .authority("loop", key: key))
        let twins = try (1...40).map { number in
            try authority.issue(.authority("loop", key: key).with { $0.serialNumber = [1, UInt8(number)] }).certificate
        }
        let verdict = try evaluate(
            [try authority.issue(Recipe()).certificate] + twins,
            anchors: [try TestAuthority(root: .authority("loop")).certificate])
        #expect(verdict.failure == .budgetExhausted(.signatureChecks, allowed: 105, met: 105))
        #expect(verdict.explanation.contains("stopped at 105 signature checks"))
    }

    @Test("Each of many issuers of one name is tried") func namesakes() throws {
        let authority = try TestAuthority(root: .authority("name"))
        let impostors = try (0..<255).map { _ in try TestAuthority(root: .authority("name")).certificate }
        let root = try TestAuthority(root: .authority("root"))
        let real = try root.issue(.authority("name", key: authority.key)).certificate
        let leaf = try authority.issue(Recipe()).certificate
        #expect(try evaluate([leaf] + impostors + [real], anchors: [root.certificate]).isTrusted)
        #expect(try Set(codes(evaluate([leaf] + impostors, anchors: [root.certificate]))) == ["trust.bad-signature"])
        // The issuer that is needed is the last of too many.
        let verdict = try evaluate([leaf] + impostors + [impostors[0], real], anchors: [root.certificate])
        #expect(verdict.failure == .budgetExhausted(.certificates, allowed: 256, met: 257))
        #expect(verdict.explanation.contains("257 certificates"))
    }

    @Test("A straight path of many authorities is trusted", arguments: [9, 11, 20, 50, 100, 255]) func depth(depth: Int)
        throws
    {
        let root = try TestAuthority(root: .authority("0"))
        var chain = [root]
        for number in 1...depth { chain.append(try chain[number - 1].issue(.authority("\(number)"))) }
        let leaf = try chain[depth].issue(Recipe())
        let presented = ([leaf] + chain.dropFirst().reversed()).map(\.certificate)
        #expect(try evaluate(presented, anchors: [root.certificate]).path?.count == depth + 2)
        let short = try root.issue(.authority("\(depth)", key: chain[depth].key)).certificate
        #expect(try evaluate(presented + [short], anchors: [root.certificate]).isTrusted)
        let stranger = try TestAuthority(root: .authority("stranger")).certificate
        #expect(try codes(evaluate(presented, anchors: [stranger])) == ["trust.issuer-not-found"])
        // One forged link is still found.
        let forged = [leaf.certificate, try chain[depth].forged()] + presented.dropFirst(2)
        #expect(try codes(evaluate(forged, anchors: [root.certificate])) == ["trust.bad-signature"])
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

    @Test("The private profile tolerates name constraints in a server's certificate") func leafConstraints() throws {
        let constraints = NameConstraints(permittedDNSDomains: ["test"])
        let verdict = try TestChain(leaf: { $0.nameConstraints = constraints }).verdict()
        #expect(verdict.isTrusted && verdict.leniencies.contains { $0.rule == .constraintsWithoutAuthority })
        #expect(try TestChain(intermediate: { $0.nameConstraints = constraints }).verdict().isTrusted)
    }

    @Test("Extensions require version 3") func version() throws {
        #expect(try codes(TestChain(leaf: { $0.version = .v1 }).verdict()) == ["trust.nonconforming"])
    }
}
