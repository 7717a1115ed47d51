// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// The verdict on a chain if several authorities have the same name but different keys.
@Suite("Authorities with the same name") struct NamesakeTests {
    private static func expired(_ recipe: inout Recipe) {
        (recipe.notBefore, recipe.notAfter) = (Instant.now - 200_000, Instant.now - 100_000)
    }

    @Test("A signature that does not match an expired authority of the same name is bad") func expiredNamesake() throws
    {
        let known = try TestAuthority(root: .authority("known").with(Self.expired))
        let stranger = try TestAuthority(root: .authority("known"))
        let leaf = try stranger.issue(Recipe()).certificate
        for anchors in [[], [known.certificate]] {
            let verdict = try evaluate([leaf, known.certificate], anchors: anchors)
            #expect(codes(verdict).contains("trust.bad-signature") && !verdict.isRecoverable)
        }
    }

    @Test("The failure of the true issuer is reported rather than the bad signature for its namesake")
    func refusedIssuer() throws {
        let root = try TestAuthority(root: .authority("root"))
        let refused = try root.issue(.authority("middle").with { $0.purposes = [.codeSigning] })
        let namesake = try root.issue(.authority("middle"))
        let leaf = try refused.issue(Recipe()).certificate
        for authorities in [[refused, namesake], [namesake, refused]] {
            let verdict = try evaluate([leaf] + authorities.map(\.certificate), anchors: [root.certificate])
            #expect(codes(verdict) == ["trust.extended-key-usage"])
        }
        let forged = try evaluate([leaf, namesake.certificate], anchors: [root.certificate])
        #expect(codes(forged) == ["trust.bad-signature"])
    }

    @Test("The failure of a path to an anchor is reported rather than a forged certificate outside the path")
    func forgeryBesidePath() throws {
        let root = try TestAuthority(root: .authority("root"))
        let middle = try root.issue(.authority("middle"))
        let leaf = try middle.issue(Recipe().with(Self.expired)).certificate
        let key = middle.key
        let forged = try TestAuthority(root: .authority("root")).issue(.authority("middle").with { $0.key = key })
        for authorities in [[middle, forged], [forged, middle]] {
            let verdict = try evaluate([leaf] + authorities.map(\.certificate), anchors: [root.certificate])
            #expect(codes(verdict) == ["trust.expired"])
        }
        let verdict = try evaluate([leaf, forged.certificate], anchors: [root.certificate])
        #expect(codes(verdict).contains("trust.bad-signature"))
    }

    /// The evaluator does not verify a signature again that it has verified with the same key.
    @Test("A verified signature is cached for its own key only") func cachedSignatures() throws {
        let (known, stranger) = try (TestAuthority(root: .authority("known")), TestAuthority(root: .authority("known")))
        let middle = try known.issue(.authority("middle"))
        let leaf = try middle.issue(Recipe())
        let chain = try #require(PresentedChain([leaf.certificate, middle.certificate]))
        func verdict(_ anchor: TestAuthority, _ host: String = "a.test", at time: Date = Instant.now) throws -> Verdict
        {
            TrustEvaluator(policy: TrustPolicy(anchors: .only([anchor.certificate])), systemAnchors: AnchorStore([]))
                .evaluate(chain, for: try HostName(host), at: time)
        }
        for _ in 0..<3 {
            #expect(try verdict(known).isTrusted)
            #expect(try codes(verdict(stranger)) == ["trust.bad-signature"])
            #expect(try codes(verdict(known, "b.test")) == ["trust.host-mismatch"])
            #expect(try codes(verdict(known, at: Instant.now + 100_000)).contains("trust.expired"))
        }
    }

    @Test("An expired authority without an anchor is reported as expired and as unknown") func expiredAndUnknown()
        throws
    {
        let own = try TestAuthority(root: .authority("known").with(Self.expired))
        let leaf = try own.issue(Recipe()).certificate
        #expect(try codes(evaluate([leaf, own.certificate], anchors: [])) == ["trust.unknown-root", "trust.expired"])
        let middle = try own.issue(.authority("middle").with(Self.expired))
        let below = try middle.issue(Recipe()).certificate
        let verdict = try evaluate([below, middle.certificate], anchors: [])
        #expect(codes(verdict) == ["trust.issuer-not-found", "trust.expired"])
        #expect(
            verdict.explanation.contains("expired on")
                && verdict.explanation.contains("was issued by CN=known, whose certificate the server did not send"))
    }

    @Test("An expired authority below an anchor is reported as expired only") func expiredBelowAnchor() throws {
        let chain = try TestChain(intermediate: Self.expired)
        #expect(try codes(chain.verdict()) == ["trust.expired"])
        let old = try TestChain(root: Self.expired)
        #expect(try codes(old.verdict()) == ["trust.expired"])
    }

    @Test("A presented authority of the same name does not prevent fetching the issuer") func fetchedIssuer() throws {
        let place = "http://ca.test/intermediate.cer"
        let access = AuthorityInformationAccess([
            .init(method: .issuingCA, location: .uniformResourceIdentifier(place))
        ])
        let pointer = try Certificate.Extension(access, critical: false)
        let chain = try TestChain(leaf: { $0.extra = [pointer] })
        let namesake = try TestChain().intermediate.certificate
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]), missingIssuers: .fetched)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain([chain.leaf.certificate, namesake])), for: try HostName("a.test"),
            at: Instant.now)
        #expect(verdict.wanted == [.issuer(of: CertificateSummary(chain.leaf.certificate), at: [place])])
    }

    @Test("Names that differ only in case belong to the same authority") func letterCase() throws {
        let root = try TestAuthority(root: .authority("root"))
        let middle = try root.issue(.authority("INTER"))
        let leaf = try middle.issue(Recipe().with { $0.serialNumber = [0x41, 9] })
        let twin = try root.issue(.authority("inter", key: middle.key))
        #expect(try evaluate([leaf.certificate, twin.certificate], anchors: [root.certificate]).isTrusted)
        let list = try CertificateRevocationList(
            derEncoded: ListRecipe().with { $0.entries = [.init([0x41, 9])] }.encoded(by: twin))
        let policy = TrustPolicy(anchors: .only([root.certificate]), revocation: .softFail)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain([leaf.certificate, twin.certificate])), for: try HostName("a.test"),
            at: Instant.now, with: TrustEvidence(revocation: .init(lists: [list])))
        #expect(codes(verdict) == ["trust.revoked"])
    }

    @Test("A revocation applies to every path with the same key") func revokedKey() throws {
        let root = try TestAuthority(root: .authority("root"))
        let signer = try root.issue(.authority("inter"))
        // The same authority has a second certificate, which does not allow it to sign revocation lists.
        let twin = try root.issue(
            .authority("inter", key: signer.key).with { $0.keyUsage = KeyUsage(keyCertSign: true) })
        let leaf = try signer.issue(Recipe().with { $0.serialNumber = [0x41, 9] }).certificate
        let list = try CertificateRevocationList(
            derEncoded: ListRecipe().with { $0.entries = [.init([0x41, 9])] }.encoded(by: signer))
        let policy = TrustPolicy(anchors: .only([root.certificate]), revocation: .softFail)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain([leaf, signer.certificate, twin.certificate])), for: try HostName("a.test"),
            at: Instant.now, with: TrustEvidence(revocation: .init(lists: [list])))
        #expect(codes(verdict) == ["trust.revoked"])
    }

    @Test("A deep path does not hide a failure of another path") func deepLadder() throws {
        var authority = try TestAuthority(root: .authority("deep 0"))
        var ladder: [Certificate] = []
        let key = authority.key
        for depth in 1...12 {
            ladder.append(authority.certificate)
            authority = try authority.issue(.authority("deep \(depth)", key: depth == 12 ? key : .init()))
        }
        let verdict = try evaluate(
            [try authority.issue(Recipe().with { $0.purposes = [.clientAuth] }).certificate, authority.certificate]
                + ladder, anchors: [])
        #expect(Set(codes(verdict)).isSuperset(of: ["trust.unknown-root", "trust.extended-key-usage"]))
    }
}
