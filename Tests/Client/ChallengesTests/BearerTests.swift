// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Secrets
import Testing

@testable import Challenges

@Suite struct BearerTests {
    private static let facts = RequestFacts(method: "GET", target: "/")

    /// The first token is the example of RFC 6750 section 2.1.
    @Test("A token is sent unchanged", arguments: ["mF_9.B5f-4.1JqM", "a", "a+/~==", "0="])
    func token(token: String) throws {
        let credential = Credential.token(Secret(token))
        var bearer = HTTPBearerAuthenticator()
        #expect(try bearer.authorization(with: credential, for: Self.facts) == "Bearer " + token)
    }

    @Test(
        "A malformed token is refused with an error that does not contain it",
        arguments: ["", "=", "a b", "a\r\nX: y", "a=b", "\u{e4}", "a,b", "a\""])
    func malformedTokens(token: String) {
        let credential = Credential.token(Secret(token))
        var bearer = HTTPBearerAuthenticator()
        #expect(throws: HTTPAuthenticatorError.malformedToken) {
            try bearer.authorization(with: credential, for: Self.facts)
        }
    }

    @Test("Bearer does not accept a password, and Basic does not accept a token") func unsuitableCredential() {
        let credential = Credential.password(user: "u", password: Secret("p"))
        var (basic, bearer) = (HTTPBasicAuthenticator(), HTTPBearerAuthenticator())
        #expect(throws: HTTPAuthenticatorError.unsuitableCredential(.bearer)) {
            try bearer.authorization(with: credential, for: Self.facts)
        }
        #expect(throws: HTTPAuthenticatorError.unsuitableCredential(.basic)) {
            try basic.authorization(with: .token(Secret("t")), for: Self.facts)
        }
    }

    @Test("A Bearer challenge provides its error and scopes") func challenge() throws {
        let field = "Bearer realm=\"example\", error=\"invalid_token\", scope=\"openid  profile\""
        let challenge = try #require(try HTTPChallenge.parse([field]).first)
        #expect(challenge.bearerError == "invalid_token")
        #expect(challenge.scopes == ["openid", "profile"])
        #expect(challenge.realm == "example")
    }

    @Test(
        "The handler gives one origin a token, and one new token after invalid_token",
        arguments: [
            (scheme: "https", host: "a.test", port: 443, failures: 0, error: "", expected: "token"),
            (scheme: "https", host: "a.test", port: 443, failures: 1, error: "invalid_token", expected: "fresh"),
            (scheme: "https", host: "a.test", port: 443, failures: 1, error: "insufficient_scope", expected: nil),
            (scheme: "https", host: "a.test", port: 443, failures: 1, error: "", expected: nil),
            (scheme: "https", host: "a.test", port: 443, failures: 2, error: "invalid_token", expected: nil),
            (scheme: "http", host: "a.test", port: 443, failures: 0, error: "", expected: nil),
            (scheme: "https", host: "a.test", port: 8443, failures: 0, error: "", expected: nil),
            (scheme: "https", host: "b.test", port: 443, failures: 0, error: "", expected: nil),
        ])
    func handler(
        scheme: String, host: String, port: Int, failures: Int, error: String, expected: String?
    ) async throws {
        let handler: any ChallengeHandler = .bearer(host: "A.test") { demand in
            Secret(demand.invalidToken == Secret("old") ? "fresh" : "token")
        }
        let space = ProtectionSpace(
            host: try HostName(host), port: port, scheme: scheme, realm: nil, method: .bearer)
        let statement = try #require(try HTTPChallenge.parse(["Bearer error=\"\(error)\""]).first)
        let disposition = try await handler.answer(
            Challenge(
                space: space, failureCount: failures, proposedCredential: failures > 0 ? .token(Secret("old")) : nil,
                statement: .http(statement)))
        if case .use(let credential) = disposition {
            #expect(credential == expected.map { .token(Secret($0)) })
        } else {
            #expect(expected == nil)
        }
    }
}
