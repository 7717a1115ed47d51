// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// What evidence does to a verdict under each policy.
struct PathRevocationTests {
    private enum Evidence: CaseIterable, Sendable {
        case none, good, revoked, broken
    }

    private static let places: [Certificate.Extension] = {
        let access = AuthorityInformationAccess([
            .init(method: .ocspServer, location: .uniformResourceIdentifier("http://ocsp.test/"))
        ])
        return [try? Certificate.Extension(access, critical: false)].compactMap(\.self)
    }()
    private static let mustStaple = Certificate.Extension(
        oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: Encoding.sequence([2, 1, 5])[...])

    private func verdict(
        _ policy: TrustPolicy.Revocation, _ evidence: Evidence, mustStaple: Bool = false
    ) throws -> Verdict {
        let chain = try TestChain(leaf: { $0.extra = Self.places + (mustStaple ? [Self.mustStaple] : []) })
        var gathered = RevocationEvidence()
        if evidence != .none {
            gathered.lists = [try .init(derEncoded: ListRecipe().encoded(by: chain.root))]
            let status = evidence == .revoked ? ResponseRecipe.revoked(reason: 1) : ResponseRecipe.good
            let recipe = ResponseRecipe().with { recipe in
                recipe.status = status
                if evidence == .broken { recipe.nextUpdate = Encoding.generalizedTime(Instant.now - 3600) }
            }
            let bytes = try recipe.encoded(for: chain.leaf.certificate, issuer: chain.intermediate)
            gathered.responses = [.init(try OCSPResponse(derEncoded: bytes))]
        }
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]), revocation: policy)
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now,
            with: TrustEvidence(revocation: gathered))
    }

    @Test(
        "The revocation policy decides what a missing response means",
        arguments: [
            (.whereDemanded, .none, []), (.whereDemanded, .good, []), (.whereDemanded, .revoked, ["trust.revoked"]),
            (.whereDemanded, .broken, []), (.softFail, .none, []), (.softFail, .good, []),
            (.softFail, .revoked, ["trust.revoked"]), (.softFail, .broken, []),
            (.hardFail, .none, ["trust.revocation-unknown"]),
            (.hardFail, .good, []), (.hardFail, .revoked, ["trust.revoked"]),
            (.hardFail, .broken, ["trust.revocation-unknown"]),
        ] as [(TrustPolicy.Revocation, Evidence, [String])])
    private func policies(
        policy: TrustPolicy.Revocation, evidence: Evidence, failures: [String]
    ) throws {
        let verdict = try verdict(policy, evidence)
        #expect(codes(verdict) == failures && !verdict.isRecoverable)
        let asksLeaf = verdict.wanted.contains {
            guard case .revocation(let asked, _, let responders, _) = $0 else { return false }
            return asked == verdict.paths.last?.certificates.first && responders == ["http://ocsp.test/"]
        }
        #expect(asksLeaf == (policy != .whereDemanded && [.none, .broken].contains(evidence)))
    }

    @Test("An unknown status that the policy tolerates is a remark") func remarks() throws {
        let unknown = try verdict(.softFail, .none).remarks
        #expect(unknown.count == 2)
        for case .revocationUnknown(_, let problem) in unknown { #expect(problem == nil) }
        guard case .revocationUnknown(_, .outdated) = try verdict(.softFail, .broken).remarks.first else {
            Issue.record("the problem is not named")
            return
        }
        guard case .notRevoked = try verdict(.softFail, .good).remarks.first else {
            Issue.record("the good answer is not shown")
            return
        }
    }

    @Test("A certificate with the TLS feature requires a response") func mustStaple() throws {
        let unasked = try verdict(.whereDemanded, .none, mustStaple: true)
        #expect(codes(unasked) == ["trust.revocation-unknown"] && unasked.wanted.count == 1)
        let answered = try verdict(.whereDemanded, .good, mustStaple: true)
        #expect(answered.isTrusted)
        #expect(answered.remarks.contains { if case .stapleFetched = $0 { true } else { false } })
        #expect(try codes(verdict(.whereDemanded, .revoked, mustStaple: true)) == ["trust.revoked"])
    }
}

struct MissingIssuerTests {
    @Test(
        "A missing issuer is requested where the policy allows it, and completes the path",
        arguments: [TrustPolicy.MissingIssuers.notFetched, .fetched])
    func fetching(policy: TrustPolicy.MissingIssuers) throws {
        let place = "http://ca.test/intermediate.cer"
        let access = AuthorityInformationAccess([
            .init(method: .issuingCA, location: .uniformResourceIdentifier(place)),
            .init(method: .issuingCA, location: .uniformResourceIdentifier("ldap://ca.test/")),
        ])
        let pointer = try Certificate.Extension(access, critical: false)
        let chain = try TestChain(leaf: { $0.extra = [pointer] })
        let evaluator = TrustEvaluator(
            policy: TrustPolicy(anchors: .only([chain.root.certificate]), missingIssuers: policy),
            systemAnchors: AnchorStore([]))
        let (presented, host) = (try #require(PresentedChain([chain.leaf.certificate])), try HostName("a.test"))
        let verdict = evaluator.evaluate(presented, for: host, at: Instant.now)
        #expect(codes(verdict) == ["trust.issuer-not-found"])
        let request = EvidenceRequest.issuer(of: CertificateSummary(chain.leaf.certificate), at: [place])
        #expect(verdict.wanted == (policy == .fetched ? [request] : []))
        let evidence = TrustEvidence(issuers: [
            try TestChain().intermediate.certificate, chain.intermediate.certificate,
        ])
        #expect(evaluator.evaluate(presented, for: host, at: Instant.now, with: evidence).isTrusted)
    }
}
