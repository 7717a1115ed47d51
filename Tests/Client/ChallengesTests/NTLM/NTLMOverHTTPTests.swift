// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing
@testable import Challenges
import EssentialFoundation

@Suite struct NTLMOverHTTPTests {
    private static let answerable = "NTLM " + Data(NTLMVectors.challenge).base64EncodedString()

    private var exchange: NTLMExchange

    init() throws {
        exchange = try NTLMExchange(
            user: "Domain\\User", password: Secret("Password"), service: "HTTP/a.test", channelBinding: nil)
    }

    private mutating func receive(_ field: String) throws -> NTLMExchange.Action {
        let challenge = try #require(try HTTPChallenge.parse([field]).first { $0.method == .ntlm })
        return try exchange.receive(challenge, at: Date(timeIntervalSince1970: 0), clientChallenge: 1)
    }

    /// The example is from MS-NTHT section 4.
    @Test("An exchange has three legs, and a repeated challenge is a rejection") mutating func legs() throws {
        guard case .send(let first) = try receive("NTLM"), case .send(let second) = try receive(Self.answerable) else {
            Issue.record("refused")
            return
        }
        // The first twelve bytes of a message, its signature and type, are constant.
        #expect(first.hasPrefix("NTLM TlRMTVNTUAABAAAA"))
        #expect(second.hasPrefix("NTLM TlRMTVNTUAADAAAA"))
        #expect(try receive("Negotiate, NTLM, Basic realm=r") == .refused)
        #expect(throws: NTLMError.outOfTurn) { try receive("NTLM") }
    }

    @Test(
        "A message out of turn ends the exchange",
        arguments: [
            ([answerable], NTLMError.outOfTurn),
            (["NTLM", "NTLM"], .missingChallenge),
            (["NTLM", "NTLM AAAA"], .notAChallenge),
            (["NTLM", "NTLM TlRM-_=="], .malformedToken),
            (["NTLM", answerable, answerable], .outOfTurn),
        ])
    mutating func outOfTurn(fields: [String], error: NTLMError) throws {
        for field in fields.dropLast() { _ = try receive(field) }
        #expect(throws: error) { try receive(try #require(fields.last)) }
        for field in ["NTLM", Self.answerable] {
            #expect(throws: NTLMError.outOfTurn) { try receive(field) }
        }
    }

    @Test(
        "Only NTLM is bound to a connection",
        arguments: [
            (AuthenticationMethod.ntlm, true), (.init("NTLM"), true), (.basic, false), (.digest, false),
            (.clientCertificate, false),
        ])
    func connectionBound(method: AuthenticationMethod, isBound: Bool) {
        #expect(method.isConnectionBound == isBound)
    }
}
