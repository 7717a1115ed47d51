// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes

@testable import CertificateTrust

struct OCSPEncodingTests {
    @Test(
        "Each OCSP error status has its name",
        arguments: [
            (1, OCSPResponse.Refusal.malformedRequest), (2, .internalError), (3, .tryLater), (5, .signatureRequired),
            (6, .unauthorized),
        ] as [(UInt8, OCSPResponse.Refusal)])
    func refusals(code: UInt8, refusal: OCSPResponse.Refusal) throws {
        let bytes = ResponseRecipe.refusal(code)
        #expect(try OCSPResponse(derEncoded: bytes).refusal == refusal)
        #expect(try RevocationFixture().status(responses: [bytes]) == .unusable(.responderRefused(refusal)))
    }

    @Test(
        "A malformed OCSP status is refused",
        arguments: [
            (ResponseRecipe.refusal(4), .malformed(.status)), (ResponseRecipe.refusal(0), .malformed(.structure)),
            (ResponseRecipe.refusal(7), .malformed(.status)), ([], .malformed(.structure)),
            (ResponseRecipe.refusal(6) + [0], .malformed(.structure)),
            (Encoding.sequence([0x0a, 1, 6], Encoding.tagged(0, [5, 0])), .malformed(.structure)),
        ] as [([UInt8], RevocationEncodingError)])
    func malformed(bytes: [UInt8], error: RevocationEncodingError) {
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
        Refused(name: "no time", error: .malformed(.time)) { $0.thisUpdate = [5, 0] },
        Refused(name: "an undefined status", error: .malformed(.status)) { $0.status = [0x83, 0] },
        Refused(name: "a good status with content", error: .malformed(.status)) { $0.status = [0x80, 1, 0] },
        Refused(name: "an undefined responder ID", error: .malformed(.responder)) {
            $0.responder = .raw([0xa3, 0])
        },
        Refused(name: "version 2", error: .unsupportedVersion) {
            $0.responder = .raw(Encoding.tagged(0, [2, 1, 1]))
        },
        Refused(name: "a hundred single responses", error: .tooMany(.status)) {
            let one = Encoding.sequence(
                Encoding.sequence(
                    Encoding.sequence(Encoding.identifier([0x2a, 3])), Encoding.octets([]), Encoding.octets([]),
                    [2, 1, 1]), ResponseRecipe.good, Encoding.generalizedTime(Instant.now))
            $0.otherSingleResponses = Array(repeating: one, count: 100)
        },
    ]

    @Test("A malformed OCSP response is refused with its reason", arguments: refused)
    func malformedResponses(_ one: Refused) throws {
        let bytes = try RevocationFixture().response(one.change)
        #expect(throws: one.error) { try OCSPResponse(derEncoded: bytes) }
    }
}
