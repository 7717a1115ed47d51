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
        Case(name: "revoked", expected: .revoked(at: RevocationBench.revokedAt, reason: .unspecified)) {
            $0.status = ResponseRecipe.revoked()
        },
        Case(name: "revoked with a reason", expected: .revoked(at: RevocationBench.revokedAt, reason: .superseded)) {
            $0.status = ResponseRecipe.revoked(reason: 4)
        },
        Case(name: "unknown", expected: .unusable(.unknownToResponder)) { $0.status = ResponseRecipe.unknown },
        Case(name: "another serial number", expected: .absent) { $0.serialNumber = [1] },
        Case(name: "another issuer's name", expected: .absent) {
            $0.issuerName = try? DistinguishedName { CommonName("other") }
        },
        Case(name: "another issuer's key", expected: .absent) { $0.issuerKey = P256.Signing.PrivateKey().publicKey },
        Case(name: "another's signature", expected: .unusable(.badSignature)) { $0.key = P256.Signing.PrivateKey() },
        Case(name: "a responder that nobody is", expected: .unusable(.signerNotAuthorized)) {
            $0.responder = .raw(Encoding.tagged(2, Encoding.octets([UInt8](repeating: 0, count: 20))))
        },
        Case(name: "SHA-1", expected: .unusable(.weakSignature)) {
            $0.algorithm = Encoding.sequence(Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01]))
        },
        Case(name: "from the future", expected: .unusable(.notYetValid)) {
            $0.thisUpdate = Encoding.generalizedTime(Instant.now + 301)
        },
        Case(name: "made in the future", expected: .unusable(.notYetValid)) {
            $0.producedAt = Encoding.generalizedTime(Instant.now + 301)
        },
        Case(name: "from a clock that is a little ahead", expected: .good(until: tomorrow)) {
            $0.thisUpdate = Encoding.generalizedTime(Instant.now + 300)
        },
        Case(name: "outdated", expected: .unusable(.outdated)) {
            $0.nextUpdate = Encoding.generalizedTime(Instant.now - 1)
        },
        Case(name: "an end before the start", expected: .unusable(.malformed)) {
            $0.nextUpdate = Encoding.generalizedTime(Instant.now - 7201)
        },
        Case(name: "no end, and new", expected: .good(until: Instant.now - 7200 + 86400)) { $0.nextUpdate = nil },
        Case(name: "no end, and over a day old", expected: .unusable(.outdated)) {
            $0.nextUpdate = nil
            $0.thisUpdate = Encoding.generalizedTime(Instant.now - 86401)
        },
        Case(name: "an unknown critical extension", expected: .unusable(.unknownCriticalExtension("2.5.29.99"))) {
            $0.extensions = [Encoding.extensionNumber(99, critical: true, [5, 0])]
        },
        Case(
            name: "an unknown critical extension of the answer",
            expected: .unusable(.unknownCriticalExtension("2.5.29.99"))
        ) {
            $0.answerExtensions = [Encoding.extensionNumber(99, critical: true, [5, 0])]
        },
        Case(name: "unknown extensions that are not critical", expected: .good(until: tomorrow)) {
            $0.extensions = [Encoding.extensionNumber(99, [5, 0])]
            $0.answerExtensions = [Encoding.extensionNumber(99, [5, 0])]
        },
    ]

    @Test(arguments: judged)
    func responsesAreJudged(_ one: Case) throws {
        let bench = try RevocationBench()
        #expect(try bench.status(responses: [bench.response(one.change)]) == one.expected)
    }

    struct NonceCase: Sendable {
        let sent: [UInt8]?
        let received: [UInt8]?
        let expected: RevocationStatus
    }

    @Test(arguments: [
        NonceCase(sent: nonce, received: ResponseRecipe.nonce(nonce), expected: .good(until: tomorrow)),
        NonceCase(sent: nonce, received: ResponseRecipe.nonce(nonce, critical: true), expected: .good(until: tomorrow)),
        NonceCase(sent: nonce, received: nil, expected: .good(until: tomorrow)),
        NonceCase(sent: nil, received: ResponseRecipe.nonce(nonce), expected: .good(until: tomorrow)),
        NonceCase(sent: nonce, received: ResponseRecipe.nonce([7]), expected: .unusable(.nonceMismatch)),
        NonceCase(sent: nonce, received: ResponseRecipe.nonce([]), expected: .unusable(.nonceMismatch)),
        NonceCase(sent: nonce, received: ResponseRecipe.nonce(nonce + [7]), expected: .unusable(.nonceMismatch)),
    ])
    func aNonceComesBackOrNoneDoes(_ one: NonceCase) throws {
        let bench = try RevocationBench()
        let response = try bench.response { $0.extensions = one.received.map { [$0] } ?? [] }
        #expect(try bench.status(responses: [response], nonce: one.sent) == one.expected)
    }

    struct DelegateCase: CustomTestStringConvertible, Sendable {
        let name: String
        let problem: RevocationProblem?
        let change: @Sendable (inout Recipe) -> Void
        var testDescription: String { name }
    }

    static let delegates: [DelegateCase] = [
        DelegateCase(name: "a responder", problem: nil) { _ in },
        DelegateCase(name: "without key usage", problem: nil) { $0.keyUsage = nil },
        DelegateCase(name: "that need not be checked", problem: nil) {
            $0.extra = [.init(oid: [1, 3, 6, 1, 5, 5, 7, 48, 1, 5], critical: true, value: [5, 0])]
        },
        DelegateCase(name: "with another purpose", problem: .signerNotAuthorized) { $0.purposes = [.serverAuth] },
        DelegateCase(name: "with any purpose", problem: .signerNotAuthorized) { $0.purposes = [.any] },
        DelegateCase(name: "without a purpose", problem: .signerNotAuthorized) { $0.purposes = nil },
        DelegateCase(name: "whose key is for something else", problem: .signerNotAuthorized) {
            $0.keyUsage = KeyUsage(keyEncipherment: true)
        },
        DelegateCase(name: "expired", problem: .outdated) { $0.notAfter = Instant.now - 1 },
        DelegateCase(name: "not yet valid", problem: .notYetValid) { $0.notBefore = Instant.now + 1 },
        DelegateCase(name: "unknown critical extension", problem: .unknownCriticalExtension("2.5.29.99")) {
            $0.extra = [.init(oid: [2, 5, 29, 99], critical: true, value: [5, 0])]
        },
    ]

    @Test(arguments: delegates)
    func whoMayAnswerForTheIssuer(_ one: DelegateCase) throws {
        let bench = try RevocationBench()
        let responder = try bench.responder(one.change)
        let expected = one.problem.map(RevocationStatus.unusable) ?? .good(until: Self.tomorrow)
        for name in [ResponseRecipe.Responder.name, .key] {
            let response = try bench.response(by: responder) {
                $0.certificates = [bench.root.certificate, responder.certificate]
                $0.responder = name
            }
            #expect(try bench.status(responses: [response]) == expected)
        }
    }

    @Test func aResponderIsMadeByTheIssuerAlone() throws {
        let bench = try RevocationBench()
        let impostor = try TestAuthority(root: .authority("root"))
        let middle = try bench.root.issue(.authority("middle"))
        for (authority, problem) in [(impostor, RevocationProblem.signerNotAuthorized), (middle, .signerNotAuthorized)]
        {
            let responder = try authority.issue(RevocationBench.responder)
            let response = try bench.response(by: responder) {
                $0.certificates = [responder.certificate, authority.certificate]
            }
            #expect(try bench.status(responses: [response]) == .unusable(problem))
        }
        // The server itself, whose certificate the root did issue.
        let response = try bench.response(by: bench.server) { $0.certificates = [bench.server.certificate] }
        #expect(try bench.status(responses: [response]) == .unusable(.signerNotAuthorized))
    }

    @Test func aResponderIsNamedAndItsIssuerIsTheOneOfTheName() throws {
        let bench = try RevocationBench()
        let namesake = try TestAuthority(root: .authority("other", key: bench.root.key))
        let foreign = try namesake.issue(RevocationBench.responder)
        let misnamed = try bench.responder()
        for responder in [foreign, misnamed] {
            let response = try bench.response(by: responder) {
                $0.certificates = [responder.certificate]
                if responder.certificate == misnamed.certificate {
                    $0.responder = .raw(Encoding.tagged(2, Encoding.octets([UInt8](repeating: 0, count: 20))))
                }
            }
            #expect(try bench.status(responses: [response]) == .unusable(.signerNotAuthorized))
        }
        let forged = try bench.response {
            $0.certificates = [bench.root.certificate]
            $0.key = P256.Signing.PrivateKey()
        }
        #expect(try bench.status(responses: [forged]) == .unusable(.badSignature))
    }

    @Test func aResponderSignsWhatItAnswers() throws {
        let bench = try RevocationBench()
        let responder = try bench.responder()
        let forged = try bench.response(by: responder) {
            $0.certificates = [responder.certificate]
            $0.key = P256.Signing.PrivateKey()
        }
        #expect(try bench.status(responses: [forged]) == .unusable(.badSignature))
        let unaccompanied = try bench.response(by: responder)
        #expect(try bench.status(responses: [unaccompanied]) == .unusable(.signerNotAuthorized))
        let forgedCertificate = try responder.forged()
        let unissued = try bench.response(by: responder) { $0.certificates = [forgedCertificate] }
        #expect(try bench.status(responses: [unissued]) == .unusable(.signerNotAuthorized))
    }

    @Test func anyAnswerThatRevokesDecides() throws {
        let bench = try RevocationBench()
        let revoked = RevocationStatus.revoked(at: RevocationBench.revokedAt, reason: .unspecified)
        let other = try ResponseRecipe().with {
            $0.hash = .sha256
            $0.status = ResponseRecipe.revoked()
        }.answer(for: bench.server.certificate, issuer: bench.root)
        #expect(try bench.status(responses: [bench.response { $0.otherAnswers = [other] }]) == revoked)
        let revoking = try bench.response { $0.status = ResponseRecipe.revoked() }
        let forged = try bench.response { $0.key = P256.Signing.PrivateKey() }
        #expect(try bench.status(responses: [bench.response(), forged, revoking]) == revoked)
        #expect(try bench.status(lists: [bench.list()], responses: [revoking]) == revoked)
        #expect(try bench.status(responses: [forged, bench.response()]) == .good(until: Self.tomorrow))
    }

    @Test func manyResponsesExhaustTheBudget() throws {
        let bench = try RevocationBench()
        let impostor = try TestAuthority(root: .authority("root"))
        let certificates = try (1...8).map { number in
            try impostor.issue(RevocationBench.responder.with { $0.serialNumber = [UInt8(number)] }).certificate
        }
        let responder = try impostor.issue(RevocationBench.responder)
        let response = try bench.response(by: responder) { $0.certificates = certificates }
        #expect(try bench.status(responses: [response, bench.response()]) == .unusable(.budgetExhausted))
    }

    @Test(
        arguments: [
            (1, OCSPResponse.Refusal.malformedRequest), (2, .internalError), (3, .tryLater), (5, .signatureRequired),
            (6, .unauthorized),
        ] as [(UInt8, OCSPResponse.Refusal)])
    func refusalsHaveNames(code: UInt8, refusal: OCSPResponse.Refusal) throws {
        let bytes = ResponseRecipe.refusal(code)
        #expect(try OCSPResponse(derEncoded: bytes).refusal == refusal)
        #expect(try RevocationBench().status(responses: [bytes]) == .unusable(.responderRefused(refusal)))
    }

    @Test(
        arguments: [
            (ResponseRecipe.refusal(4), .malformed(.status)), (ResponseRecipe.refusal(0), .malformed(.structure)),
            (ResponseRecipe.refusal(7), .malformed(.status)), ([], .malformed(.structure)),
            (ResponseRecipe.refusal(6) + [0], .malformed(.structure)),
            (Encoding.sequence([0x0a, 1, 6], Encoding.tagged(0, [5, 0])), .malformed(.structure)),
        ] as [([UInt8], RevocationEncodingError)])
    func otherFormsAreRefused(bytes: [UInt8], error: RevocationEncodingError) {
        #expect(throws: error) { try OCSPResponse(derEncoded: bytes) }
    }

    struct Refused: CustomTestStringConvertible, Sendable {
        let name: String
        let error: RevocationEncodingError
        let change: @Sendable (inout ResponseRecipe) -> Void
        var testDescription: String { name }
    }

    static let refused: [Refused] = [
        Refused(name: "another type", error: .unsupportedResponseType) { $0.type[8] = 9 },
        Refused(name: "UTCTime", error: .malformed(.time)) { $0.thisUpdate = Encoding.utcTime(Instant.now) },
        Refused(name: "fractions of a second", error: .malformed(.time)) {
            $0.producedAt = Encoding.element(0x18, Array("20260601000000.5Z".utf8))
        },
        Refused(name: "a status that is none", error: .malformed(.status)) { $0.status = [0x83, 0] },
        Refused(name: "good with something in it", error: .malformed(.status)) { $0.status = [0x80, 1, 0] },
        Refused(name: "reason 8", error: .malformed(.status)) { $0.status = ResponseRecipe.revoked(reason: 8) },
        Refused(name: "a responder of neither kind", error: .malformed(.responder)) {
            $0.responder = .raw([0xa3, 0])
        },
        Refused(name: "an extension twice", error: .malformed(.extensions)) {
            $0.extensions = [ResponseRecipe.nonce([1]), ResponseRecipe.nonce([1])]
        },
        Refused(name: "a version", error: .unsupportedVersion) {
            $0.responder = .raw(Encoding.tagged(0, [2, 1, 0]))
        },
        Refused(name: "a hundred answers", error: .tooMany(.status)) {
            let one = Encoding.sequence(
                Encoding.sequence(
                    Encoding.sequence(Encoding.identifier([0x2a, 3])), Encoding.octets([]), Encoding.octets([]),
                    [2, 1, 1]), ResponseRecipe.good, Encoding.generalizedTime(Instant.now))
            $0.otherAnswers = Array(repeating: one, count: 100)
        },
    ]

    @Test(arguments: refused)
    func malformedResponsesAreRefused(_ one: Refused) throws {
        let bytes = try RevocationBench().response(one.change)
        #expect(throws: one.error) { try OCSPResponse(derEncoded: bytes) }
    }
}
