// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// The effect of revocation evidence on a verdict under each policy.
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
        "The revocation policy determines the effect of a missing response",
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
        for case .revocationUnknown(_, let problem) in unknown {
            #expect(problem == nil || problem == .noSource)
        }
        guard case .revocationUnknown(_, .outdated) = try verdict(.softFail, .broken).remarks.first else {
            Issue.record("the problem is not named")
            return
        }
        guard case .notRevoked = try verdict(.softFail, .good).remarks.first else {
            Issue.record("the good response is not reported")
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

/// The report of a verdict about its paths and its revocation evidence.
@Suite struct RevocationFindingTests {
    private func verdict(
        _ chain: TestChain, _ policy: TrustPolicy.Revocation = .whereDemanded, lists: [[UInt8]] = [],
        responses: [[UInt8]] = [], presented: [Certificate]? = nil, anchors: [Certificate]? = nil
    ) throws -> Verdict {
        let evidence = RevocationEvidence(
            lists: try lists.map { try CertificateRevocationList(derEncoded: $0) },
            responses: try responses.map { .init(try OCSPResponse(derEncoded: $0)) })
        let policy = TrustPolicy(anchors: .only(anchors ?? [chain.root.certificate]), revocation: policy)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(presented ?? chain.presented)), for: try HostName("a.test"), at: Instant.now,
            with: TrustEvidence(revocation: evidence))
        #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict)) == verdict)
        return verdict
    }

    private static func list(
        of authority: TestAuthority, revoking certificate: Certificate? = nil,
        _ change: (inout ListRecipe) -> Void = { _ in }
    ) throws -> [UInt8] {
        try ListRecipe().with {
            $0.entries = certificate.map { [.init(Array($0.serialNumber.bytes))] } ?? []
            change(&$0)
        }.encoded(by: authority)
    }

    @Test(
        "Every policy refuses a certificate that a faulty list names",
        arguments: [TrustPolicy.Revocation.whereDemanded, .softFail, .hardFail])
    func faultyList(policy: TrustPolicy.Revocation) throws {
        let chain = try TestChain()
        let faults: [(inout ListRecipe) -> Void] = [
            { $0.number = nil }, { $0.nextUpdate = nil }, { $0.nextUpdate = Encoding.utcTime(Instant.now - 60) },
        ]
        for fault in faults {
            for (authority, revoked) in [
                (chain.intermediate, chain.leaf.certificate), (chain.root, chain.intermediate.certificate),
            ] {
                let verdict = try verdict(chain, policy, lists: [Self.list(of: authority, revoking: revoked, fault)])
                #expect(verdict.failure?.code == "trust.revoked")
            }
        }
    }

    @Test("A path reports the revocation status of each certificate below the anchor") func findings() throws {
        let chain = try TestChain()
        let (leaf, middle) = (chain.leaf.certificate, chain.intermediate.certificate)
        func answers(
            _ policy: TrustPolicy.Revocation = .whereDemanded, lists: [[UInt8]] = []
        ) throws -> [RevocationAnswer]? {
            let path = try #require(try verdict(chain, policy, lists: lists).paths.last)
            #expect(path.revocation?.map(\.certificate) == [leaf, middle].map { CertificateSummary($0) })
            return path.revocation?.map(\.answer)
        }
        let good = RevocationAnswer.good(until: Instant.now + 86400)
        let revoked = RevocationAnswer.revoked(at: Instant.now - 3600, reason: .unspecified)
        let (ofRoot, ofMiddle) = (try Self.list(of: chain.root), try Self.list(of: chain.intermediate))
        #expect(try answers() == [.notAsked, .notAsked])
        #expect(try answers(.softFail) == [.unknown(.noSource), .unknown(.noSource)])
        #expect(try answers(.hardFail) == [.unknown(.noSource), .unknown(.noSource)])
        #expect(try answers(lists: [ofRoot]) == [.notAsked, good])
        #expect(try answers(.softFail, lists: [ofRoot]) == [.unknown(.noSource), good])
        #expect(try answers(lists: [ofRoot, ofMiddle]) == [good, good])
        #expect(
            try answers(lists: [Self.list(of: chain.intermediate) { $0.number = nil }]) == [
                .unknown(.listNumber), .notAsked,
            ])
        let revoking = try Self.list(of: chain.root, revoking: middle) { $0.nextUpdate = nil }
        #expect(try answers(.hardFail, lists: [revoking]) == [.unknown(.noSource), revoked])
        // An unknown status of one certificate does not hide the revocation of another.
        #expect(try verdict(chain, .hardFail, lists: [revoking]).failure?.code == "trust.revoked")
    }

    @Test("A path that fails at an anchor is the only path, whatever was presented")
    func failedPath() throws {
        let chain = try TestChain()
        let (leaf, middle, root) = (chain.leaf.certificate, chain.intermediate.certificate, chain.root.certificate)
        let revoking = try Self.list(of: chain.intermediate, revoking: leaf)
        for presented in [[leaf, middle], [leaf, middle, root], [leaf, root, middle, root]] {
            for (policy, lists, code) in [
                (TrustPolicy.Revocation.whereDemanded, [revoking], "trust.revoked"),
                (.hardFail, [], "trust.revocation-unknown"),
            ] {
                let verdict = try verdict(chain, policy, lists: lists, presented: presented)
                #expect(verdict.failures.map(\.code) == [code])
                #expect(verdict.paths.map { $0.failure?.code } == [code])
                #expect(
                    verdict.paths.allSatisfy { $0.endsInAnchor && $0.certificates.last == CertificateSummary(root) })
            }
        }
        // An intermediate that is an anchor needs no issuer, and a path may continue from it to another anchor.
        let alone = try verdict(chain, lists: [revoking], anchors: [middle])
        #expect(alone.paths.map(\.certificates.count) == [2] && alone.wanted.isEmpty)
        let both = try verdict(chain, lists: [revoking], anchors: [middle, root])
        #expect(both.paths.map(\.certificates.count) == [2, 3] && both.paths.allSatisfy(\.endsInAnchor))
        // If the path has no anchor, the failure is still the unknown root.
        let unknown = try verdict(chain, presented: [leaf, middle, root], anchors: [try TestChain().root.certificate])
        #expect(unknown.failures.map(\.code) == ["trust.unknown-root"] && unknown.paths.allSatisfy { !$0.endsInAnchor })
    }

    @Test("The verdict reports the use of each list and response over all paths") func uses() throws {
        let chain = try TestChain()
        let other = try TestAuthority(root: .authority("other"))
        let lists = [
            try Self.list(of: chain.intermediate), try Self.list(of: other),
            try Self.list(of: chain.intermediate) { $0.key = other.key },
            try Self.list(of: chain.root) { $0.thisUpdate = Encoding.utcTime(Instant.now + 86400) },
            try Self.list(of: chain.root) { $0.nextUpdate = nil },
        ]
        let responses = [
            try ResponseRecipe().encoded(for: chain.leaf.certificate, issuer: chain.intermediate),
            try ResponseRecipe().with { $0.serialNumber = [7] }
                .encoded(for: chain.leaf.certificate, issuer: chain.intermediate),
            ResponseRecipe.refusal(6),
        ]
        let expected: [EvidenceUse] = [
            .read(nil), .unrelated, .unusable(.badSignature), .unusable(.notYetValid), .read(.noNextUpdate),
            .read(nil), .unrelated, .unusable(.responderRefused(.unauthorized)),
        ]
        for policy in [TrustPolicy.Revocation.whereDemanded, .softFail] {
            let verdict = try verdict(chain, policy, lists: lists, responses: responses)
            #expect(verdict.isTrusted && verdict.evidence == expected)
        }
        // The list that revokes the server's certificate does not prevent the use of the other lists.
        let revoking = try Self.list(of: chain.intermediate, revoking: chain.leaf.certificate)
        #expect(try verdict(chain, lists: [revoking, Self.list(of: chain.root)]).evidence == [.read(nil), .read(nil)])
        let unreached = try verdict(chain, lists: lists, anchors: [other.certificate])
        #expect(unreached.evidence == .init(repeating: .notReached, count: lists.count))
    }

    @Test("A signer without the right to sign lists is named") func withoutUse() throws {
        let chain = try TestChain(intermediate: { $0.keyUsage = KeyUsage(keyCertSign: true) })
        let revoking = try Self.list(of: chain.intermediate, revoking: chain.leaf.certificate)
        let verdict = try verdict(chain, lists: [revoking])
        #expect(verdict.isTrusted && verdict.evidence == [.unusable(.signerNotAuthorized)])
        #expect(verdict.paths.last?.revocation?.map(\.answer) == [.unknown(.signerNotAuthorized), .notAsked])
    }
}

struct MissingIssuerTests {
    @Test(
        "A missing issuer is requested if the policy allows it, and completes the path",
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
