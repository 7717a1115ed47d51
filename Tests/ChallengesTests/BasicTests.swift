// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@testable import Challenges

@Suite struct BasicTests {
    @Test(arguments: [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),  // RFC 7617 section 2
        ("test", "123\u{a3}", "Basic dGVzdDoxMjPCow=="),  // RFC 7617 section 2.1
        ("", "", "Basic Og=="),
        ("a", "b:c", "Basic YTpiOmM="),
    ])
    func thePairIsEncoded(user: String, password: String, expected: String) throws {
        let credential = Credential.password(user: user, password: Secret(password))
        #expect(
            try BasicAuthenticator().authorization(with: credential, for: .init(method: "GET", target: "/")) == expected
        )
    }

    @Test(arguments: [
        ("a:b", "p", HTTPAuthenticatorError.colonInUser),
        ("a\r\nb", "p", .controlCharacter(.user)),
        ("a\u{0}", "p", .controlCharacter(.user)),
        ("a", "p\n", .controlCharacter(.password)),
        ("a", "p\u{7f}", .controlCharacter(.password)),
    ])
    func whatCannotBeSentIsRefused(user: String, password: String, error: HTTPAuthenticatorError) {
        let credential = Credential.password(user: user, password: Secret(password))
        #expect(throws: error) {
            try BasicAuthenticator().authorization(with: credential, for: .init(method: "GET", target: "/"))
        }
    }
}
