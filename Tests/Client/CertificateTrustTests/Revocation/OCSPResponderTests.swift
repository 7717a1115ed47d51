// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// The signers that RFC 6960 section 4.2.2.2 authorizes for an issuer.
struct OCSPResponderTests {
    static let tomorrow = Instant.now + 86400

    struct DelegateCase: CustomTestStringConvertible, Sendable {
        let name: String
        let problem: RevocationProblem?
        let change: @Sendable (inout Recipe) -> Void
        var testDescription: String { name }
    }

    static let delegates: [DelegateCase] = [
        DelegateCase(name: "a responder", problem: nil) { _ in },
        DelegateCase(name: "without key usage", problem: nil) { $0.keyUsage = nil },
        DelegateCase(name: "without revocation check", problem: nil) {
            $0.extra = [.init(oid: [1, 3, 6, 1, 5, 5, 7, 48, 1, 5], critical: true, value: [5, 0])]
        },
        DelegateCase(name: "with another purpose", problem: .responderPurpose) { $0.purposes = [.serverAuth] },
        DelegateCase(name: "with any purpose", problem: .responderPurpose) { $0.purposes = [.any] },
        DelegateCase(name: "without a purpose", problem: .responderPurpose) { $0.purposes = nil },
        DelegateCase(name: "with another key usage", problem: .signerNotAuthorized) {
            $0.keyUsage = KeyUsage(keyEncipherment: true)
        },
        DelegateCase(name: "expired", problem: .responderExpired) { $0.notAfter = Instant.now - 1 },
        DelegateCase(name: "not yet valid", problem: .notYetValid) { $0.notBefore = Instant.now + 1 },
        DelegateCase(name: "with an unknown critical extension", problem: .unknownCriticalExtension("2.5.29.99")) {
            $0.extra = [.init(oid: [2, 5, 29, 99], critical: true, value: [5, 0])]
        },
    ]

    @Test("A delegated responder needs the OCSP signing purpose and a valid certificate", arguments: delegates)
    func delegatedResponder(_ one: DelegateCase) throws {
        let fixture = try RevocationFixture()
        let responder = try fixture.responder(one.change)
        let expected = one.problem.map(RevocationStatus.unusable) ?? .good(until: Self.tomorrow)
        for name in [ResponseRecipe.Responder.name, .key] {
            let response = try fixture.response(by: responder) {
                $0.certificates = [fixture.root.certificate, responder.certificate]
                $0.responder = name
            }
            #expect(try fixture.status(responses: [response]) == expected)
        }
    }

    @Test("The responder's certificate is found among many") func manyCertificates() throws {
        let fixture = try RevocationFixture()
        let responder = try fixture.responder()
        let response = try fixture.response(by: responder) {
            $0.certificates = Array(repeating: fixture.root.certificate, count: 40) + [responder.certificate]
        }
        #expect(try fixture.status(responses: [response]) == .good(until: Self.tomorrow))
    }

    @Test("The response of a responder with an expired certificate can revoke, but not report good")
    func expiredResponder() throws {
        let fixture = try RevocationFixture()
        let responder = try fixture.responder { $0.notAfter = Instant.now - 3600 }
        func status(_ answer: [UInt8]) throws -> RevocationStatus {
            let response = try fixture.response(by: responder) {
                $0.certificates = [responder.certificate]
                $0.status = answer
            }
            return try fixture.status(responses: [response])
        }
        #expect(try status(ResponseRecipe.good) == .unusable(.responderExpired))
        #expect(
            try status(ResponseRecipe.revoked(reason: 1))
                == .revoked(at: RevocationFixture.revokedAt, reason: .keyCompromise))
    }

    @Test("A delegated responder must be issued by the certificate's issuer") func issuer() throws {
        let fixture = try RevocationFixture()
        let impostor = try TestAuthority(root: .authority("root"))
        let middle = try fixture.root.issue(.authority("middle"))
        for authority in [impostor, middle] {
            let responder = try authority.issue(RevocationFixture.responder)
            let response = try fixture.response(by: responder) {
                $0.certificates = [responder.certificate, authority.certificate]
            }
            #expect(try fixture.status(responses: [response]) == .unusable(.responderIssuer))
        }
        // The root has issued the server's own certificate, but does not authorize it as a responder.
        let response = try fixture.response(by: fixture.server) { $0.certificates = [fixture.server.certificate] }
        #expect(try fixture.status(responses: [response]) == .unusable(.signerNotAuthorized))
    }

    @Test("A responder must match the response's responder ID, and its issuer the issuer's name") func names() throws {
        let fixture = try RevocationFixture()
        let namesake = try TestAuthority(root: .authority("other", key: fixture.root.key))
        let foreign = try namesake.issue(RevocationFixture.responder)
        let misnamed = try fixture.responder()
        for (responder, problem) in [(foreign, RevocationProblem.responderIssuer), (misnamed, .signerNotAuthorized)] {
            let response = try fixture.response(by: responder) {
                $0.certificates = [responder.certificate]
                if responder.certificate == misnamed.certificate {
                    $0.responder = .raw(Encoding.tagged(2, Encoding.octets([UInt8](repeating: 0, count: 20))))
                }
            }
            #expect(try fixture.status(responses: [response]) == .unusable(problem))
        }
        let forged = try fixture.response {
            $0.certificates = [fixture.root.certificate]
            $0.key = P256.Signing.PrivateKey()
        }
        #expect(try fixture.status(responses: [forged]) == .unusable(.badSignature))
    }

    @Test("The responder must have signed the response") func signature() throws {
        let fixture = try RevocationFixture()
        let responder = try fixture.responder()
        let forged = try fixture.response(by: responder) {
            $0.certificates = [responder.certificate]
            $0.key = P256.Signing.PrivateKey()
        }
        #expect(try fixture.status(responses: [forged]) == .unusable(.badSignature))
        let unaccompanied = try fixture.response(by: responder)
        #expect(try fixture.status(responses: [unaccompanied]) == .unusable(.signerNotAuthorized))
        let forgedCertificate = try responder.forged()
        let unissued = try fixture.response(by: responder) { $0.certificates = [forgedCertificate] }
        #expect(try fixture.status(responses: [unissued]) == .unusable(.responderIssuer))
    }

    @Test("A responder that an available list revokes is not accepted") func revokedResponder() throws {
        let fixture = try RevocationFixture()
        let responder = try fixture.responder()
        let response = try fixture.response(by: responder) { $0.certificates = [responder.certificate] }
        let serialNumber = Array(responder.certificate.serialNumber.bytes)
        func list(_ entry: [UInt8], by authority: TestAuthority? = nil) throws -> [UInt8] {
            try ListRecipe().with { $0.entries = [.init(entry)] }.encoded(by: authority ?? fixture.root)
        }
        let stranger = try TestAuthority(root: .authority("root"))
        #expect(
            try fixture.status(lists: [list([0x66])], responses: [response]) == .good(until: Self.tomorrow))
        #expect(try fixture.status(responses: [response]) == .good(until: Self.tomorrow))
        #expect(
            try fixture.status(lists: [list(serialNumber, by: stranger)], responses: [response])
                == .good(until: Self.tomorrow))
        // A delta list without its base does not prove that the server's certificate is good.
        let delta = try ListRecipe().with {
            $0.number = Encoding.extensionNumber(20, [2, 1, 8])
            $0.extensions = [Encoding.extensionNumber(27, critical: true, [2, 1, 7])]
            $0.entries = [.init(serialNumber)]
        }.encoded(by: fixture.root)
        #expect(try fixture.status(lists: [delta], responses: [response]) == .unusable(.deltaList))
    }

    @Test("The status is unknown if lists use up the budget before the responder is checked") func exhaustedBudget()
        throws
    {
        let fixture = try RevocationFixture()
        let responder = try fixture.responder()
        let response = try fixture.response(by: responder) {
            $0.certificates = [responder.certificate]
            $0.status = ResponseRecipe.revoked(reason: 1)
        }
        let impostor = try TestAuthority(root: .authority("root"))
        let forged = try (1...9).map { number in
            try ListRecipe().with { $0.entries = [.init([UInt8(number)])] }.encoded(by: impostor)
        }
        #expect(try fixture.status(lists: forged, responses: [response]) == .unusable(.budgetExhausted))
        guard case .revoked = try fixture.status(lists: Array(forged.prefix(4)), responses: [response]) else {
            Issue.record("the response is not used")
            return
        }
    }

    @Test("A distrusted responder is not accepted") func distrustedResponder() throws {
        let chain = try TestChain()
        let responder = try chain.intermediate.issue(RevocationFixture.responder)
        let response = try ResponseRecipe().with { $0.certificates = [responder.certificate] }
            .encoded(for: chain.leaf.certificate, issuer: chain.intermediate, by: responder)
        let evidence = TrustEvidence(revocation: .init(responses: [.init(try OCSPResponse(derEncoded: response))]))
        for (distrusted, isKnown) in [(Set<Certificate>(), true), ([responder.certificate], false)] {
            let policy = TrustPolicy(
                anchors: .only([chain.root.certificate]), distrusted: distrusted, revocation: .softFail)
            let verdict = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
                try #require(PresentedChain([chain.leaf.certificate, chain.intermediate.certificate])),
                for: try HostName("a.test"), at: Instant.now, with: evidence)
            let server = CertificateSummary(ParsedCertificate(chain.leaf.certificate))
            let isAnswered = verdict.remarks.contains {
                if case .notRevoked(server, _) = $0 { true } else { false }
            }
            #expect(isAnswered == isKnown, "\(verdict.remarks)")
        }
    }

    @Test("Many responses exhaust the budget") func budget() throws {
        let fixture = try RevocationFixture()
        let impostor = try TestAuthority(root: .authority("root"))
        let certificates = try (1...8).map { number in
            try impostor.issue(RevocationFixture.responder.with { $0.serialNumber = [UInt8(number)] }).certificate
        }
        let responder = try impostor.issue(RevocationFixture.responder)
        let response = try fixture.response(by: responder) { $0.certificates = certificates }
        #expect(try fixture.status(responses: [response, fixture.response()]) == .unusable(.budgetExhausted))
    }
}
