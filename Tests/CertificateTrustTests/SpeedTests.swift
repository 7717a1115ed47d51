// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct SpeedTests {
    /// Prints rather than judges: a test machine is no bench.
    @Test func theCostOfAChainIsShownBesideThatOfItsSignatures() throws {
        let chain = try TestChain()
        let presented = try #require(PresentedChain(chain.presented))
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]))
        let evaluator = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
        let (host, count) = (try HostName("a.test"), 50)
        let clock = ContinuousClock()
        let all = clock.measure {
            for _ in 0..<count { #expect(evaluator.evaluate(presented, for: host, at: Instant.now).isTrusted) }
        }
        let bare = clock.measure {
            for _ in 0..<count {
                let (leaf, middle) = (chain.leaf.certificate, chain.intermediate.certificate)
                #expect(middle.publicKey.isValidSignature(leaf.signature, for: leaf))
                #expect(chain.root.certificate.publicKey.isValidSignature(middle.signature, for: middle))
            }
        }
        print("BENCH P-256, 3 certificates: \(all / count) a chain, of which \(bare / count) are its signatures")
    }
}
