// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct TrustSettingsTests {
    private let chain: TestChain

    init() throws { chain = try TestChain() }

    private func verdict(
        distrusting certificates: Set<Certificate>, validation: TrustPolicy.Validation = .full
    ) throws -> Verdict {
        let policy = TrustPolicy(
            anchors: .only([chain.root.certificate]), distrusted: certificates, validation: validation)
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
            .evaluate(try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now)
    }

    @Test("No path contains a distrusted certificate at any position or by any issuer") func distrusted()
        throws
    {
        for certificate in chain.presented + [chain.root.certificate] {
            let verdict = try verdict(distrusting: [certificate])
            #expect(codes(verdict).first == "trust.distrusted" && !verdict.isRecoverable)
        }
        #expect(try verdict(distrusting: [TestChain().leaf.certificate]).isTrusted)
    }

    @Test("A distrusted certificate stays distrusted with another signature") func otherSignature() throws {
        let recipe = Recipe()
        let (one, other) = (try chain.intermediate.issue(recipe), try chain.intermediate.issue(recipe))
        #expect(one.certificate != other.certificate)
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]), distrusted: [one.certificate])
        let presented = try #require(PresentedChain([other.certificate, chain.intermediate.certificate]))
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
            .evaluate(presented, for: try HostName("a.test"), at: Instant.now)
        #expect(codes(verdict).first == "trust.distrusted")
    }

    @Test(
        "A distrusted server is not accepted even if validation is disabled",
        arguments: [
            TrustPolicy.Validation.dangerouslyDisabled, .firstUse,
        ])
    func withoutValidation(_ validation: TrustPolicy.Validation) throws {
        let verdict = try verdict(distrusting: [chain.leaf.certificate], validation: validation)
        #expect(!verdict.isTrusted && codes(verdict).first == "trust.distrusted")
    }

    @Test("Settings are added to a policy for their hosts or for all hosts") func policies() throws {
        let (leaf, root) = (chain.leaf.certificate, chain.root.certificate)
        let (host, other) = (try HostName("a.test"), try HostName("b.test"))
        let settings = TrustSettings([
            .init(root, .anchor, hosts: [host]), .init(leaf, .pin, hosts: [host]), .init(root, .distrusted),
        ])
        let above = ServerPolicy(trust: TrustPolicy(anchors: .only([leaf])))
        let policies = settings.policies(
            DomainPolicies(entries: [.init(domain: try HostName("test"), includesSubdomains: true, policy: above)]))
        let here = policies.policy(for: host).trust
        #expect(here.anchors == .only([leaf, root]) && here.pins.pins == [Pin(of: leaf)] && here.distrusted == [root])
        let there = policies.policy(for: other).trust
        #expect(there.anchors == .only([leaf]) && there.pins.pins.isEmpty && there.distrusted == [root])
        #expect(policies.fallback.trust.distrusted == [root])
        // The entry of a host does not apply to its subdomains.
        #expect(policies.policy(for: try HostName("www.a.test")) == policies.policy(for: other))
    }

    @Test("A setting for a host does not apply to its subdomains, even if an entry of the host includes them")
    func subdomains() throws {
        let host = try HostName("a.test")
        let settings = TrustSettings([.init(chain.root.certificate, .anchor, hosts: [host])])
        let own = ServerPolicy(trust: TrustPolicy(anchors: .only([chain.leaf.certificate])))
        let policies = settings.policies(
            DomainPolicies(entries: [.init(domain: host, includesSubdomains: true, policy: own)]))
        #expect(
            policies.policy(for: host).trust.anchors == .only([chain.leaf.certificate, chain.root.certificate]))
        #expect(policies.policy(for: try HostName("b.a.test")) == own)
    }

    @Test("A setting for a proxy's host does not apply the fallback's methods and pins to the proxy")
    func proxies() throws {
        let (host, root) = (try HostName("proxy.test"), chain.root.certificate)
        let fallback = ServerPolicy(
            trust: TrustPolicy(pins: [Pin(of: chain.leaf.certificate)]), methods: AllowedMethods(names: ["basic"]))
        let policies = TrustSettings([.init(root, .anchor, hosts: [host])])
            .policies(DomainPolicies(fallback: fallback))
        let forProxy = policies.proxyPolicy(for: host)
        #expect(forProxy.methods == .all && forProxy.trust.pins.pins.isEmpty)
        #expect(forProxy.trust.anchors == .systemAnd([root]))
        #expect(policies.policy(for: host).methods == fallback.methods)
        #expect(policies.policy(for: host).trust.pins == fallback.trust.pins)
    }
}
