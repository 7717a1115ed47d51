// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct OCSPResponseTests {
    static let tomorrow = Instant.now + 86400
    static let nonce = [UInt8](repeating: 7, count: 32)

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let expected: RevocationStatus
        let change: @Sendable (inout ResponseRecipe) -> Void
        var testDescription: String { name }
    }

    static let judged: [Case] = [
        Case(name: "good", expected: .good(until: tomorrow)) { _ in },
        Case(name: "good, by SHA-256", expected: .good(until: tomorrow)) { $0.hash = .sha256 },
        Case(name: "the issuer named by its key", expected: .good(until: tomorrow)) { $0.responder = .key },
        Case(name: "revoked", expected: .revoked(at: RevocationFixture.revokedAt, reason: .unspecified)) {
            $0.status = ResponseRecipe.revoked()
        },
        Case(name: "revoked with a reason", expected: .revoked(at: RevocationFixture.revokedAt, reason: .superseded)) {
            $0.status = ResponseRecipe.revoked(reason: 4)
        },
        Case(name: "unknown", expected: .unusable(.unknownToResponder)) { $0.status = ResponseRecipe.unknown },
        Case(name: "another serial number", expected: .absent) { $0.serialNumber = [1] },
        Case(name: "another issuer's name", expected: .absent) {
            $0.issuerName = try? DistinguishedName { CommonName("other") }
        },
        Case(name: "another issuer's key", expected: .absent) { $0.issuerKey = P256.Signing.PrivateKey().publicKey },
        Case(name: "another's signature", expected: .unusable(.badSignature)) { $0.key = P256.Signing.PrivateKey() },
        Case(name: "an unknown responder", expected: .unusable(.signerNotAuthorized)) {
            $0.responder = .raw(Encoding.tagged(2, Encoding.octets([UInt8](repeating: 0, count: 20))))
        },
        Case(name: "from the future", expected: .unusable(.notYetValid)) {
            $0.thisUpdate = Encoding.generalizedTime(Instant.now + 301)
        },
        Case(name: "produced in the future", expected: .unusable(.notYetValid)) {
            $0.producedAt = Encoding.generalizedTime(Instant.now + 301)
        },
        Case(name: "from a clock that is slightly ahead", expected: .good(until: tomorrow)) {
            $0.thisUpdate = Encoding.generalizedTime(Instant.now + 300)
        },
        Case(name: "outdated", expected: .unusable(.outdated)) {
            $0.nextUpdate = Encoding.generalizedTime(Instant.now - 1)
        },
        Case(name: "a next update before this update", expected: .unusable(.malformed)) {
            $0.nextUpdate = Encoding.generalizedTime(Instant.now - 7201)
        },
        Case(name: "no next update, and recent", expected: .good(until: Instant.now - 7200 + 86400)) {
            $0.nextUpdate = nil
        },
        Case(name: "no next update, and over a day old", expected: .unusable(.outdated)) {
            $0.nextUpdate = nil
            $0.thisUpdate = Encoding.generalizedTime(Instant.now - 86401)
        },
        Case(name: "an unknown critical extension", expected: .unusable(.unknownCriticalExtension("2.5.29.99"))) {
            $0.extensions = [Encoding.extensionNumber(99, critical: true, [5, 0])]
        },
        Case(
            name: "an unknown critical extension of the single response",
            expected: .unusable(.unknownCriticalExtension("2.5.29.99"))
        ) {
            $0.answerExtensions = [Encoding.extensionNumber(99, critical: true, [5, 0])]
        },
        Case(name: "unknown extensions that are not critical", expected: .good(until: tomorrow)) {
            $0.extensions = [Encoding.extensionNumber(99, [5, 0])]
            $0.answerExtensions = [Encoding.extensionNumber(99, [5, 0])]
        },
    ]

    @Test("OCSP responses are evaluated", arguments: judged)
    func responses(_ one: Case) throws {
        let fixture = try RevocationFixture()
        #expect(try fixture.status(responses: [fixture.response(one.change)]) == one.expected)
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        let name: String
        let problem: RevocationProblem
        let change: @Sendable (inout ResponseRecipe) -> Void
        var testDescription: String { name }
    }

    static let faults: [Fault] = [
        Fault(name: "outdated", problem: .outdated) { $0.nextUpdate = Encoding.generalizedTime(Instant.now - 1) },
        Fault(name: "no next update, and over a day old", problem: .outdated) {
            $0.nextUpdate = nil
            $0.thisUpdate = Encoding.generalizedTime(Instant.now - 86400 * 900)
        },
        Fault(name: "a next update before this update", problem: .malformed) {
            $0.nextUpdate = Encoding.generalizedTime(Instant.now - 7201)
        },
        Fault(name: "an earlier update, produced in the future", problem: .notYetValid) {
            $0.producedAt = Encoding.generalizedTime(Instant.now + 301)
        },
        Fault(name: "a production time with fractional seconds", problem: .malformed) {
            $0.producedAt = Encoding.element(0x18, Array("20260530000000.5Z".utf8))
        },
        Fault(name: "UTCTime", problem: .malformed) { $0.thisUpdate = Encoding.utcTime(Instant.now - 60) },
        Fault(name: "an unknown critical extension", problem: .unknownCriticalExtension("2.5.29.99")) {
            $0.extensions = [Encoding.extensionNumber(99, critical: true, [5, 0])]
        },
        Fault(
            name: "an unknown critical extension of the single response",
            problem: .unknownCriticalExtension("2.5.29.99")
        ) {
            $0.answerExtensions = [Encoding.extensionNumber(99, critical: true, [5, 0])]
        },
        Fault(name: "a repeated extension", problem: .malformed) {
            $0.extensions = [ResponseRecipe.nonce([1]), ResponseRecipe.nonce([1])]
        },
        Fault(name: "another nonce", problem: .nonceMismatch) { $0.extensions = [ResponseRecipe.nonce([9])] },
        Fault(name: "an encoded default version", problem: .malformed) {
            $0.responder = .raw(Encoding.tagged(0, [2, 1, 0]) + Encoding.tagged(1, Self.rootName))
        },
        Fault(name: "another unreadable single response", problem: .malformed) {
            $0.otherSingleResponses = [Encoding.sequence([5, 0])]
        },
    ]

    private static let rootName = (try? DistinguishedName { CommonName("root") }.bytes()) ?? []

    @Test("A faulty response does not report good, but still revokes", arguments: faults)
    func faulty(_ one: Fault) throws {
        let fixture = try RevocationFixture()
        let nonce = Self.nonce
        for reason in [1, nil] as [UInt8?] {
            let revoking = try fixture.response {
                $0.status = ResponseRecipe.revoked(reason: reason)
                one.change(&$0)
            }
            #expect(
                try fixture.status(responses: [revoking], nonce: nonce)
                    == .revoked(
                        at: RevocationFixture.revokedAt, reason: reason == nil ? .unspecified : .keyCompromise))
        }
        #expect(try fixture.status(responses: [fixture.response(one.change)], nonce: nonce) == .unusable(one.problem))
    }

    @Test(
        "A revocation with an unreadable time or reason still revokes",
        arguments: [
            ResponseRecipe.revoked(reason: 8), ResponseRecipe.revoked(reason: 7),
            Encoding.tagged(1, Encoding.utcTime(Instant.now - 60)), Encoding.tagged(1, [5, 0]),
            Encoding.tagged(1, Encoding.generalizedTime(Instant.now - 60), [5, 0]),
            Encoding.tagged(1, Encoding.generalizedTime(Instant.now + 86400)),
        ])
    func unreadableRevocation(status: [UInt8]) throws {
        let fixture = try RevocationFixture()
        guard case .revoked = try fixture.status(responses: [fixture.response { $0.status = status }]) else {
            Issue.record("the response is not used")
            return
        }
    }

    @Test("A response from the future or with another key does not revoke") func noEvidence() throws {
        let fixture = try RevocationFixture()
        let future = try fixture.response {
            $0.status = ResponseRecipe.revoked(reason: 1)
            $0.thisUpdate = Encoding.generalizedTime(Instant.now + 301)
        }
        #expect(try fixture.status(responses: [future]) == .unusable(.notYetValid))
        let forged = try fixture.response {
            $0.status = ResponseRecipe.revoked(reason: 1)
            $0.key = P256.Signing.PrivateKey()
        }
        #expect(try fixture.status(responses: [forged]) == .unusable(.badSignature))
        #expect(try fixture.status(responses: [future, forged, fixture.response()]) == .good(until: Self.tomorrow))
    }

    @Test("Of several responses for one certificate, an old one that revokes takes precedence") func severalAnswers()
        throws
    {
        let fixture = try RevocationFixture()
        let old = try ResponseRecipe().with {
            $0.hash = .sha256
            $0.status = ResponseRecipe.revoked(reason: 1)
            $0.thisUpdate = Encoding.generalizedTime(Instant.now - 86400 * 9)
            $0.nextUpdate = Encoding.generalizedTime(Instant.now - 86400 * 8)
        }.answer(for: fixture.server.certificate, issuer: fixture.root)
        let revoked = RevocationStatus.revoked(at: RevocationFixture.revokedAt, reason: .keyCompromise)
        #expect(try fixture.status(responses: [fixture.response { $0.otherSingleResponses = [old] }]) == revoked)
        let future = try ResponseRecipe().with {
            $0.status = ResponseRecipe.revoked(reason: 1)
            $0.thisUpdate = Encoding.generalizedTime(Instant.now + 86400)
            $0.nextUpdate = nil
        }.answer(for: fixture.server.certificate, issuer: fixture.root)
        #expect(
            try fixture.status(responses: [fixture.response { $0.otherSingleResponses = [future] }])
                == .unusable(.notYetValid))
    }

    struct NonceCase: Sendable {
        let sent: [UInt8]?
        let received: [UInt8]?
        let expected: RevocationStatus
    }

    @Test(
        "A response's nonce, if present, must equal the request's",
        arguments: [
            NonceCase(sent: nonce, received: ResponseRecipe.nonce(nonce), expected: .good(until: tomorrow)),
            NonceCase(
                sent: nonce, received: ResponseRecipe.nonce(nonce, critical: true), expected: .good(until: tomorrow)),
            NonceCase(sent: nonce, received: nil, expected: .good(until: tomorrow)),
            NonceCase(sent: nil, received: ResponseRecipe.nonce(nonce), expected: .good(until: tomorrow)),
            NonceCase(sent: nonce, received: ResponseRecipe.nonce([7]), expected: .unusable(.nonceMismatch)),
            NonceCase(sent: nonce, received: ResponseRecipe.nonce([]), expected: .unusable(.nonceMismatch)),
            NonceCase(sent: nonce, received: ResponseRecipe.nonce(nonce + [7]), expected: .unusable(.nonceMismatch)),
        ])
    func nonces(_ one: NonceCase) throws {
        let fixture = try RevocationFixture()
        let response = try fixture.response { $0.extensions = one.received.map { [$0] } ?? [] }
        #expect(try fixture.status(responses: [response], nonce: one.sent) == one.expected)
    }

    @Test("A response that revokes takes precedence") func anyRevocation() throws {
        let fixture = try RevocationFixture()
        let revoked = RevocationStatus.revoked(at: RevocationFixture.revokedAt, reason: .unspecified)
        let other = try ResponseRecipe().with {
            $0.hash = .sha256
            $0.status = ResponseRecipe.revoked()
        }.answer(for: fixture.server.certificate, issuer: fixture.root)
        #expect(try fixture.status(responses: [fixture.response { $0.otherSingleResponses = [other] }]) == revoked)
        let revoking = try fixture.response { $0.status = ResponseRecipe.revoked() }
        let forged = try fixture.response { $0.key = P256.Signing.PrivateKey() }
        #expect(try fixture.status(responses: [fixture.response(), forged, revoking]) == revoked)
        #expect(try fixture.status(lists: [fixture.list()], responses: [revoking]) == revoked)
        #expect(try fixture.status(responses: [forged, fixture.response()]) == .good(until: Self.tomorrow))
    }
}
