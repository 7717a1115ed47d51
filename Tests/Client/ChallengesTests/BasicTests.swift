// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@testable import Challenges

@Suite struct BasicTests {
    @Test(
        "User and password are encoded in Base64",
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),  // RFC 7617 section 2
            ("test", "123\u{a3}", "Basic dGVzdDoxMjPCow=="),  // RFC 7617 section 2.1
            ("", "", "Basic Og=="),
            ("a", "b:c", "Basic YTpiOmM="),
        ])
    func encoding(user: String, password: String, expected: String) throws {
        let credential = Credential.password(user: user, password: Secret(password))
        var basic = HTTPBasicAuthenticator()
        for _ in 0..<2 {
            #expect(try basic.authorization(with: credential, for: .init(method: "GET", target: "/")) == expected)
        }
    }

    @Test(
        "A user with a colon and control characters are refused",
        arguments: [
            ("a:b", "p", HTTPAuthenticatorError.colonInUser),
            ("a\r\nb", "p", .controlCharacter(.user)),
            ("a\u{0}", "p", .controlCharacter(.user)),
            ("a", "p\n", .controlCharacter(.password)),
            ("a", "p\u{7f}", .controlCharacter(.password)),
        ])
    func unsendable(user: String, password: String, error: HTTPAuthenticatorError) {
        let credential = Credential.password(user: user, password: Secret(password))
        var basic = HTTPBasicAuthenticator()
        #expect(throws: error) {
            try basic.authorization(with: credential, for: .init(method: "GET", target: "/"))
        }
    }

    @Test("Each credential gets its own Authorization field, which printing does not reveal")
    func otherCredential() throws {
        let facts = RequestFacts(method: "GET", target: "/")
        var basic: any HTTPAuthenticator = HTTPBasicAuthenticator()
        // The two users are equal as strings, but differ in their bytes.
        for (user, password, expected) in [
            ("\u{fc}", "p", "Basic w7w6cA=="), ("u\u{308}", "p", "Basic dcyIOnA="), ("\u{fc}", "q", "Basic w7w6cQ=="),
        ] {
            let credential = Credential.password(user: user, password: Secret(password))
            #expect(try basic.authorization(with: credential, for: facts) == expected)
            var dumped = ""
            dump(basic, to: &dumped)
            #expect(!"\(basic) \(String(reflecting: basic)) \(dumped)".contains(expected.dropFirst(6)))
        }
    }
}
