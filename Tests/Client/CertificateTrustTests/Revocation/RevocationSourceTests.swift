// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import ErrorExplanations
import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

@Suite("A verdict reports the answer of each source, and the scope of the check") struct RevocationSourceTests {
    private func verdict(
        _ chain: TestChain, _ policy: TrustPolicy.Revocation, _ scope: TrustPolicy.RevocationScope = .path,
        _ evidence: RevocationEvidence
    ) throws -> Verdict {
        let policy = TrustPolicy(
            anchors: .only([chain.root.certificate]), revocation: policy, revocationScope: scope)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now,
            with: TrustEvidence(revocation: evidence))
        #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict)) == verdict)
        return verdict
    }

    private func list(
        of authority: TestAuthority, revoking certificate: Certificate? = nil,
        _ change: (inout ListRecipe) -> Void = { _ in }
    ) throws -> CertificateRevocationList {
        try CertificateRevocationList(
            derEncoded: ListRecipe().with {
                $0.entries = certificate.map { [.init(Array($0.serialNumber.bytes))] } ?? []
                change(&$0)
            }.encoded(by: authority))
    }

    @Test("With the scope of the leaf, only the leaf needs an answer, and every known revocation counts")
    func scope() throws {
        let chain = try TestChain()
        let ofLeaf = try list(of: chain.intermediate)
        let full = try verdict(chain, .hardFail, .path, .init(lists: [ofLeaf]))
        #expect(codes(full) == ["trust.revocation-unknown"])
        let leaf = try verdict(chain, .hardFail, .leaf, .init(lists: [ofLeaf]))
        #expect(leaf.isTrusted)
        #expect(leaf.paths.last?.revocation?.map(\.answer) == [.good(until: Instant.now + 86400), .outOfScope])
        #expect(try codes(verdict(chain, .hardFail, .leaf, .init())) == ["trust.revocation-unknown"])
        let revoking = try list(of: chain.root, revoking: chain.intermediate.certificate)
        for policy in [TrustPolicy.Revocation.whereDemanded, .softFail, .hardFail] {
            let verdict = try verdict(chain, policy, .leaf, .init(lists: [ofLeaf, revoking]))
            #expect(verdict.failure?.code == "trust.revoked")
        }
        // A faulty list beyond the scope is only a remark.
        let outdated = try list(of: chain.root) { $0.nextUpdate = Encoding.utcTime(Instant.now - 60) }
        #expect(try verdict(chain, .hardFail, .leaf, .init(lists: [ofLeaf, outdated])).isTrusted)
    }

    @Test("Without a check, the explanation gives the reason") func notAsked() throws {
        let finding = try verdict(TestChain(), .whereDemanded, .path, .init()).paths.last?.revocation?.first
        #expect(
            finding?.explanation == """
                Revocation was not checked for CN=server: the policy asks for it only where a certificate demands it.
                """)
        #expect(finding?.sources == [])
    }

    @Test("Each source has its own answer, in the order of lists, responses and silent sources") func answers() throws {
        let chain = try TestChain()
        let leaf = CertificateSummary(chain.leaf.certificate)
        var good = try list(of: chain.intermediate)
        good.origin = EvidenceOrigin(.list, at: "http://crl.test/", about: leaf)
        var foreign = try list(of: chain.root)
        foreign.origin = EvidenceOrigin(.list, at: "http://other.test/", about: leaf)
        let response = try OCSPResponse(
            derEncoded: ResponseRecipe().with { $0.status = ResponseRecipe.unknown }
                .encoded(for: chain.leaf.certificate, issuer: chain.intermediate))
        let evidence = RevocationEvidence(
            lists: [good, foreign],
            responses: [.init(response, from: EvidenceOrigin(.responder, at: "http://ocsp.test/", about: leaf))],
            silent: [
                .init(
                    EvidenceOrigin(.responder, at: "http://down.test/", about: leaf),
                    .notFetched("http://down.test/", .status(404)))
            ])
        let verdict = try verdict(chain, .hardFail, .leaf, evidence)
        #expect(verdict.isTrusted)
        let sources = try #require(verdict.paths.last?.revocation?.first?.sources)
        #expect(
            sources.map(\.answer) == [
                .good(until: Instant.now + 86400), .unknown(.otherIssuer), .unknown(.unknownToResponder),
                .unknown(.notFetched("http://down.test/", .status(404))),
            ])
        #expect(
            sources.map(\.explanation) == [
                "The revocation list http://crl.test/ says that it is not revoked, valid until 2026-06-02 00:00 UTC.",
                """
                The revocation list http://other.test/ cannot be used: the revocation information is about certificates of \
                another issuer.
                """,
                "The OCSP responder http://ocsp.test/ cannot be used: the OCSP responder does not know the certificate.",
                "The OCSP responder http://down.test/ cannot be used: it answered with the HTTP status 404.",
            ])
        // Without usable evidence, the failure names the reason.
        let silent = try self.verdict(chain, .hardFail, .leaf, RevocationEvidence(silent: evidence.silent))
        #expect(
            silent.failure == .revocationUnknown(leaf, .notFetched("http://down.test/", .status(404))))
    }

    @Test("A response for another certificate or another issuer is named") func otherCertificates() throws {
        let chain = try TestChain()
        let leaf = CertificateSummary(chain.leaf.certificate)
        func problem(_ change: (inout ResponseRecipe) -> Void) throws -> TrustFailure? {
            let response = try OCSPResponse(
                derEncoded: ResponseRecipe().with(change).encoded(
                    for: chain.leaf.certificate, issuer: chain.intermediate))
            let origin = EvidenceOrigin(.responder, at: "http://ocsp.test/", about: leaf)
            return try verdict(chain, .hardFail, .leaf, .init(responses: [.init(response, from: origin)])).failure
        }
        #expect(try problem { _ in } == nil)
        #expect(try problem { $0.serialNumber = [9] } == .revocationUnknown(leaf, .otherCertificate))
        #expect(
            try problem { $0.issuerKey = chain.root.key.publicKey } == .revocationUnknown(leaf, .otherIssuer))
    }

    @Test("Every problem of a fetch survives JSON and has its own code") func records() throws {
        let problems = EvidenceFetchProblem.examples.map { RevocationProblem.notFetched("http://a.test/", $0) }
        for problem in problems {
            let data = try JSONEncoder().encode(ProblemRecord(problem))
            #expect(try JSONDecoder().decode(ProblemRecord.self, from: data).problem() == problem)
        }
        #expect(Set(problems.map(\.code)).count == problems.count)
    }
}
