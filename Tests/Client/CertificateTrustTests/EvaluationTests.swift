// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// A root, an intermediate and a server certificate, each with the changes that a test requests.
struct TestChain {
    let root: TestAuthority
    let intermediate: TestAuthority
    let leaf: TestAuthority

    init(
        root: (inout Recipe) -> Void = { _ in }, intermediate: (inout Recipe) -> Void = { _ in },
        leaf: (inout Recipe) -> Void = { _ in }
    ) throws {
        self.root = try TestAuthority(root: .authority("root").with(root))
        self.intermediate = try self.root.issue(.authority("intermediate").with(intermediate))
        self.leaf = try self.intermediate.issue(Recipe().with(leaf))
    }

    /// The certificates that a correctly configured server presents.
    var presented: [Certificate] { [leaf.certificate, intermediate.certificate] }

    func verdict(for host: String = "a.test", at time: Date = Instant.now) throws -> Verdict {
        try evaluate(presented, anchors: [root.certificate], for: host, at: time)
    }
}

func evaluate(
    _ chain: [Certificate], anchors: [Certificate], pins: PinSet = [], validation: TrustPolicy.Validation = .full,
    for host: String = "a.test", at time: Date = Instant.now
) throws -> Verdict {
    let policy = TrustPolicy(anchors: .only(anchors), pins: pins, validation: validation)
    return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
        .evaluate(try #require(PresentedChain(chain)), for: try HostName(host), at: time)
}

/// Returns the codes of a verdict's failures, the most informative first.
func codes(_ verdict: Verdict) -> [String] { verdict.failures.map(\.code) }

struct PathTests {
    @Test("A valid chain is trusted, and the verdict contains its path") func trusted() throws {
        let chain = try TestChain()
        let verdict = try chain.verdict()
        #expect(verdict.isTrusted && verdict.failure == nil && !verdict.isRecoverable)
        #expect(verdict.path?.map(\.subject) == ["CN=server", "CN=intermediate", "CN=root"])
        #expect(verdict.explanation.contains("a.test"))
    }

    @Test("Order, duplicates and unrelated certificates do not change the path") func order() throws {
        let chain = try TestChain()
        let lower = try chain.intermediate.issue(.authority("lower"))
        let leaf = try lower.issue(Recipe()).certificate
        let stranger = try TestChain()
        let issuers = [lower.certificate, chain.intermediate.certificate]
        for presented in [
            [leaf] + issuers, [leaf] + issuers.reversed(), [leaf, leaf] + issuers + issuers,
            [leaf] + stranger.presented + issuers, [leaf, chain.root.certificate] + issuers,
            [leaf] + issuers + [chain.root.certificate, chain.root.certificate],
        ] {
            #expect(try evaluate(presented, anchors: [chain.root.certificate]).path?.count == 4)
        }
        #expect(
            try codes(evaluate([leaf, lower.certificate], anchors: [chain.root.certificate])) == [
                "trust.issuer-not-found"
            ])
    }

    @Test("An expired cross certificate does not hide the valid path") func expiredTwin() throws {
        let root = try TestAuthority(root: .authority("root"))
        let key = P256.Signing.PrivateKey()
        let good = try root.issue(.authority("cross", key: key))
        let expired = try root.issue(.authority("cross", key: key).with { $0.notAfter = Instant.now - 1000 })
        let leaf = try good.issue(Recipe()).certificate
        for issuers in [[expired, good], [good, expired]] {
            let verdict = try evaluate([leaf] + issuers.map(\.certificate), anchors: [root.certificate])
            #expect(verdict.isTrusted)
        }
        #expect(try codes(evaluate([leaf, expired.certificate], anchors: [root.certificate])) == ["trust.expired"])
    }

    @Test("A cross-signed root is trusted by either path") func crossSignedRoot() throws {
        let (old, key) = (try TestAuthority(root: .authority("old")), P256.Signing.PrivateKey())
        let new = try TestAuthority(root: .authority("new", key: key))
        let cross = try old.issue(.authority("new", key: key)).certificate
        let leaf = try new.issue(Recipe()).certificate
        #expect(try evaluate([leaf, cross], anchors: [old.certificate]).path?.count == 3)
        #expect(try evaluate([leaf, cross], anchors: [new.certificate]).path?.count == 2)
        #expect(try codes(evaluate([leaf, new.certificate], anchors: [old.certificate])) == ["trust.unknown-root"])
        #expect(try evaluate([leaf, new.certificate, cross], anchors: [old.certificate]).isTrusted)
    }

    @Test("A self-signed leaf is trusted only as its own anchor") func selfSigned() throws {
        let leaf = try TestAuthority(root: Recipe()).certificate
        let twin = try TestAuthority(root: Recipe()).certificate
        #expect(try evaluate([leaf], anchors: [leaf]).path?.count == 1)
        #expect(try codes(evaluate([leaf], anchors: [twin])) == ["trust.self-signed"])
        #expect(try codes(evaluate([leaf], anchors: [])) == ["trust.self-signed"])
        #expect(try codes(evaluate([leaf], anchors: [leaf], for: "b.test")) == ["trust.host-mismatch"])
    }

    @Test("A leaf that is an anchor needs no issuer") func leafAnchor() throws {
        let chain = try TestChain()
        #expect(try evaluate([chain.leaf.certificate], anchors: [chain.leaf.certificate]).path?.count == 1)
        #expect(try codes(evaluate([chain.leaf.certificate], anchors: [])) == ["trust.issuer-not-found"])
    }

    @Test("An intermediate can be an anchor") func intermediateAnchor() throws {
        let chain = try TestChain()
        #expect(try evaluate(chain.presented, anchors: [chain.intermediate.certificate]).path?.count == 2)
    }

    @Test("The failure for an unknown root contains the root") func unknownRoot() throws {
        let (chain, other) = (try TestChain(), try TestChain())
        let presented = chain.presented + [chain.root.certificate]
        let verdict = try evaluate(presented, anchors: [other.root.certificate])
        #expect(verdict.failure == .unknownRoot(CertificateSummary(chain.root.certificate)))
        #expect(verdict.isRecoverable)
    }

    @Test("The failure for a missing intermediate contains the leaf") func missingIntermediate() throws {
        let chain = try TestChain()
        let verdict = try evaluate([chain.leaf.certificate], anchors: [chain.root.certificate])
        #expect(verdict.failure == .issuerNotFound(of: CertificateSummary(chain.leaf.certificate)))
    }

    @Test("A forged signature is not recoverable") func forgedSignature() throws {
        let chain = try TestChain()
        let leaf = try chain.leaf.forged()
        let verdict = try evaluate([leaf, chain.intermediate.certificate], anchors: [chain.root.certificate])
        #expect(codes(verdict) == ["trust.bad-signature"] && !verdict.isRecoverable)
        let forgedIssuer = [chain.leaf.certificate, try chain.intermediate.forged()]
        #expect(try codes(evaluate(forgedIssuer, anchors: [chain.root.certificate])) == ["trust.bad-signature"])
        #expect(
            try evaluate(forgedIssuer + [chain.intermediate.certificate], anchors: [chain.root.certificate]).isTrusted)
    }

    @Test("An authority with the issuer's name and another key is not the issuer") func sameName() throws {
        let (chain, impostor) = (try TestChain(), try TestAuthority(root: .authority("intermediate")))
        let presented = [chain.leaf.certificate, impostor.certificate, chain.intermediate.certificate]
        #expect(try evaluate(presented, anchors: [chain.root.certificate]).isTrusted)
        #expect(try codes(evaluate(chain.presented, anchors: [impostor.certificate])) == ["trust.issuer-not-found"])
    }

    @Test("System anchors are used if the policy includes them") func systemAnchors() throws {
        let (chain, other) = (try TestChain(), try TestChain())
        let presented = try #require(PresentedChain(chain.presented))
        let system = AnchorStore([chain.root.certificate])
        let host = try HostName("a.test")
        for (anchors, isTrusted) in [
            (TrustPolicy.Anchors.system, true), (.systemAnd([other.root.certificate]), true), (.only([]), false),
            (.only([other.root.certificate]), false), (.only([chain.root.certificate]), true),
        ] {
            let policy = TrustPolicy(anchors: anchors, profile: .privatePKI)
            let evaluator = TrustEvaluator(policy: policy, systemAnchors: system)
            #expect(evaluator.evaluate(presented, for: host, at: Instant.now).isTrusted == isTrusted)
        }
    }

    @Test("An empty chain is not a presented chain") func emptyChain() {
        #expect(PresentedChain([]) == nil)
    }
}

struct ValidityTests {
    enum Place: CaseIterable { case root, intermediate, leaf }

    @Test(
        "The validity period includes both ends, to the second", arguments: Place.allCases,
        [-1.0, 0, 500, 1000, 1000.9, 1001])
    func boundaries(place: Place, offset: Double) throws {
        let (start, end) = (Instant.now, Instant.now + 1000)
        func limit(_ here: Place) -> (inout Recipe) -> Void {
            { recipe in
                if here == place { (recipe.notBefore, recipe.notAfter) = (start, end) }
            }
        }
        let chain = try TestChain(root: limit(.root), intermediate: limit(.intermediate), leaf: limit(.leaf))
        let expected = offset < 0 ? ["trust.not-yet-valid"] : offset > 1000.9 ? ["trust.expired"] : []
        let verdict = try chain.verdict(at: start + offset)
        #expect(codes(verdict) == expected)
        #expect(verdict.isRecoverable == !expected.isEmpty)
    }
}

struct HostTests {
    @Test("The failure for another host lists the presented names") func otherHost() throws {
        let chain = try TestChain { _ in
        } intermediate: { _ in
        } leaf: {
            $0.names = [.dnsName("b.test"), .ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 1]))]
        }
        let verdict = try chain.verdict()
        #expect(verdict.failures == [.hostMismatch(host: "a.test", presented: ["b.test", "192.0.2.1"])])
        #expect(verdict.isRecoverable)
        #expect(try chain.verdict(for: "192.0.2.1").isTrusted)
        #expect(try chain.verdict(for: "b.test").isTrusted)
    }

    @Test("A common name is not matched as a host name") func commonName() throws {
        let chain = try TestChain(leaf: { ($0.commonName, $0.names) = ("a.test", nil) })
        #expect(try codes(chain.verdict()) == ["trust.no-subject-alternative-names"])
    }
}
