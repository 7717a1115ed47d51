// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// The effect of a stapled OCSP response (RFC 6066 section 8), which a certificate can require (RFC 7633).
struct StapleTests {
    private enum Staple: CaseIterable, Sendable {
        case good, goodByResponder, outdated, future, forged, otherCertificate, unknown, unreadable, oversized, refused
        case revoked

        /// The problem because of which the response does not show that the certificate is good.
        var problem: RevocationProblem? {
            switch self {
            case .good, .goodByResponder, .revoked: nil
            case .outdated: .outdated
            case .future: .notYetValid
            case .forged: .badSignature
            case .otherCertificate: .otherCertificate
            case .unknown: .unknownToResponder
            case .unreadable, .oversized: .malformed
            case .refused: .responderRefused(.tryLater)
            }
        }
    }

    private static let feature = Certificate.Extension(
        oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: Encoding.sequence([2, 1, 5])[...])
    private static let policies = [TrustPolicy.Revocation.whereDemanded, .softFail, .hardFail]

    private let chain: TestChain
    private let other: TestAuthority

    init(requiresStaple: Bool = true) throws {
        let access = AuthorityInformationAccess([
            .init(method: .ocspServer, location: .uniformResourceIdentifier("http://ocsp.test/"))
        ])
        let pointer = try Certificate.Extension(access, critical: false)
        other = try TestAuthority(root: .authority("other"))
        chain = try TestChain(
            intermediate: { $0.extra = [pointer] },
            leaf: { $0.extra = [pointer] + (requiresStaple ? [Self.feature] : []) })
    }

    private func response(
        by signer: TestAuthority? = nil, _ change: (inout ResponseRecipe) -> Void = { _ in }
    ) throws -> [UInt8] {
        try ResponseRecipe().with(change).encoded(for: chain.leaf.certificate, issuer: chain.intermediate, by: signer)
    }

    private func bytes(_ staple: Staple) throws -> [UInt8] {
        switch staple {
        case .good: return try response()
        case .goodByResponder:
            let responder = try chain.intermediate.issue(RevocationFixture.responder)
            return try response(by: responder) { $0.certificates = [responder.certificate] }
        case .outdated: return try response { $0.nextUpdate = Encoding.generalizedTime(Instant.now - 3600) }
        case .future: return try response { $0.thisUpdate = Encoding.generalizedTime(Instant.now + 3600) }
        case .forged: return try response { $0.key = other.key }
        case .otherCertificate: return try response { $0.serialNumber = [7] }
        case .unknown: return try response { $0.status = ResponseRecipe.unknown }
        case .unreadable: return [0x30, 1]
        case .oversized: return try response() + [UInt8](repeating: 0, count: 1 << 16)
        case .refused: return ResponseRecipe.refusal(3)
        case .revoked: return try response { $0.status = ResponseRecipe.revoked(reason: 1) }
        }
    }

    private func verdict(
        _ policy: TrustPolicy.Revocation = .whereDemanded, staple: Staple? = nil, fetched: [Staple] = [],
        lists: [[UInt8]] = []
    ) throws -> Verdict {
        var evidence = RevocationEvidence(lists: try lists.map { try CertificateRevocationList(derEncoded: $0) })
        if let staple { evidence.responses = [.init(stapled: try bytes(staple))] }
        evidence.responses += try fetched.map { .init(try OCSPResponse(derEncoded: try bytes($0))) }
        let policy = TrustPolicy(anchors: .only([chain.root.certificate]), revocation: policy)
        let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain.presented)), for: try HostName("a.test"), at: Instant.now,
            with: TrustEvidence(revocation: evidence))
        #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(verdict)) == verdict)
        return verdict
    }

    private func remarks(_ verdict: Verdict) -> [String] { verdict.remarks.map(\.code) }

    @Test("A good staple satisfies a certificate that requires one, without any fetch") func good() throws {
        for staple in [Staple.good, .goodByResponder] {
            let verdict = try Self().verdict(staple: staple)
            #expect(verdict.isTrusted && verdict.wanted.isEmpty && remarks(verdict) == ["not-revoked", "stapled"])
            #expect(verdict.evidence == [.read(nil)])
        }
        // The status of the intermediate is still wanted if the policy asks for it.
        let strict = try Self()
        let list = try ListRecipe().encoded(by: strict.chain.root)
        #expect(try codes(strict.verdict(.hardFail, staple: .good)) == ["trust.revocation-unknown"])
        #expect(try strict.verdict(.hardFail, staple: .good, lists: [list]).isTrusted)
    }

    @Test(
        "The failure names the problem of a staple that a certificate requires",
        arguments: Staple.allCases.filter { $0.problem != nil }, policies)
    private func bad(staple: Staple, policy: TrustPolicy.Revocation) throws {
        let scene = try Self()
        let leaf = CertificateSummary(scene.chain.leaf.certificate)
        let verdict = try scene.verdict(policy, staple: staple)
        #expect(verdict.failure == .badStaple(leaf, try #require(staple.problem)) && !verdict.isRecoverable)
        #expect(verdict.wanted.isEmpty)
        #expect(verdict.explanation.contains(try #require(staple.problem).parts.clause))
        // A better response from elsewhere does not help (RFC 6066 section 8).
        #expect(try scene.verdict(policy, staple: staple, fetched: [.good]).failure == verdict.failure)
    }

    @Test("A revocation in a staple or elsewhere has priority over a good status", arguments: policies)
    func revoked(policy: TrustPolicy.Revocation) throws {
        for requiresStaple in [true, false] {
            let scene = try Self(requiresStaple: requiresStaple)
            #expect(try codes(scene.verdict(policy, staple: .revoked)) == ["trust.revoked"])
            #expect(try codes(scene.verdict(policy, staple: .revoked, fetched: [.good])) == ["trust.revoked"])
            #expect(try codes(scene.verdict(policy, staple: .good, fetched: [.revoked])) == ["trust.revoked"])
        }
    }

    @Test("Without the required staple, a fetched response suffices under every policy", arguments: policies)
    func fetched(policy: TrustPolicy.Revocation) throws {
        let scene = try Self()
        let list = try ListRecipe().encoded(by: scene.chain.root)
        let missing = try scene.verdict(policy, lists: [list])
        #expect(codes(missing) == ["trust.revocation-unknown"] && missing.wanted.count == 1)
        let answered = try scene.verdict(policy, fetched: [.good], lists: [list])
        #expect(answered.isTrusted && remarks(answered).contains("staple-fetched"))
        #expect(!remarks(answered).contains("stapled"))
    }

    @Test(
        "A bad staple that the certificate does not require is like no answer",
        arguments: Staple.allCases.filter { $0.problem != nil })
    private func ignored(staple: Staple) throws {
        let scene = try Self(requiresStaple: false)
        let leaf = CertificateSummary(scene.chain.leaf.certificate)
        for policy in [TrustPolicy.Revocation.whereDemanded, .softFail] {
            let verdict = try scene.verdict(policy, staple: staple)
            #expect(verdict.isTrusted && verdict.remarks.first == .revocationUnknown(leaf, staple.problem))
        }
        let list = try ListRecipe().encoded(by: scene.chain.root)
        let strict = try scene.verdict(.hardFail, staple: staple, lists: [list])
        #expect(strict.failure == .revocationUnknown(leaf, staple.problem) && strict.wanted.count == 1)
        #expect(try scene.verdict(.hardFail, staple: staple, fetched: [.good], lists: [list]).isTrusted)
    }

    @Test("A staple is about the server's certificate alone") func intermediate() throws {
        let scene = try Self(requiresStaple: false)
        for staple in [Staple.unreadable, .refused, .otherCertificate] {
            let answers = try scene.verdict(.softFail, staple: staple).paths.last?.revocation?.map(\.answer)
            #expect(answers == [.unknown(staple.problem), .unknown(nil)])
        }
    }

    @Test("A fetched response about another certificate is not a bad staple") func unrelated() throws {
        let scene = try Self()
        let verdict = try scene.verdict(fetched: [.otherCertificate])
        #expect(codes(verdict) == ["trust.revocation-unknown"] && verdict.evidence == [.unrelated])
        #expect(try scene.verdict(staple: .good, fetched: [.otherCertificate]).isTrusted)
    }

    @Test("A staple of at most 65,536 bytes is read") func size() {
        let limit = 1 << 16
        let long = RevocationEvidence.Response(stapled: .init(repeating: 0, count: limit + 9))
        #expect(long.response.derBytes.count == limit)
    }

    @Test("Timestamps in a staple count like those in a fetched response, and those by TLS with them")
    func timestamps() throws {
        let logs = [TestLog("one", by: "A"), TestLog("two", by: "B")]
        let scene = try TransparencyScene()
        let server = try scene.intermediate.issue(scene.recipe).certificate
        let list = TestLog.list(try logs.map { try $0.timestamp(for: server) })
        let policy = TrustPolicy(
            anchors: .only([scene.root.certificate]),
            transparency: CertificateTransparency(
                logs: try TransparencyLogList(json: TestLog.json(logs)), rule: .apple))
        let evaluator = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
        func verdict(staple: [UInt8]? = nil, handshake: [UInt8]? = nil) throws -> Verdict {
            evaluator.evaluate(
                try #require(PresentedChain([server, scene.intermediate.certificate])), for: try HostName("a.test"),
                at: Instant.now,
                with: TrustEvidence(
                    revocation: RevocationEvidence(responses: staple.map { [.init(stapled: $0)] } ?? []),
                    timestamps: handshake.map { TimestampList(handshake: $0) }))
        }
        let staple = try scene.response(for: server, list: list)
        #expect(try verdict(staple: staple).timestamps.map(\.source) == [.ocsp, .ocsp])
        #expect(try verdict(staple: staple).isTrusted && verdict(handshake: list).isTrusted)
        #expect(try verdict(handshake: list).timestamps.map(\.source) == [.tls, .tls])
        #expect(try shortfall(verdict()) == .noTimestamps)
        // A list that cannot be read is reported, and does not hide the staple's.
        let broken = try verdict(staple: staple, handshake: [0, 9, 1])
        #expect(broken.isTrusted && statuses(broken) == [.listMalformed, .valid, .valid])
        let long = try verdict(handshake: TestLog.list(Array(repeating: [9], count: 17)))
        #expect(statuses(long) == [.listTooLong] && shortfall(long) == .tooFewLogs)
        // A timestamp for another certificate does not count.
        let strange = try verdict(handshake: TestLog.list([try logs[0].timestamp(for: scene.root.certificate)]))
        #expect(statuses(strange) == [.badSignature])
    }
}
