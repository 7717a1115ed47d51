// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@testable import Challenges

@Suite struct NTLMResponseTests {
    private static func key(_ user: String = "Domain\\User", _ password: String = "Password") throws -> NTLMKey {
        try NTLMKey(account: NTLMAccount(user), password: Secret(password))
    }

    private static func hexadecimal(_ key: NTLMKey) -> String {
        // An HMAC distinguishes keys without revealing them.
        DigestAlgorithm.hexadecimal(key.code([1, 2, 3]))
    }

    private static func key(hexadecimal: String) -> NTLMKey {
        var bytes = NTLMVectors.bytes(hexadecimal)
        return NTLMKey(erasing: &bytes)
    }

    /// The vectors are from MS-NLMP section 4.2.4.1.1; the domain is case-sensitive, the user name is not.
    @Test(
        "The response key matches MS-NLMP",
        arguments: [
            ("Domain\\User", "Password", true), ("Domain\\uSER", "Password", true),
            ("DOMAIN\\User", "Password", false), ("User@Domain", "Password", false), ("User", "Password", false),
            ("Domain\\User", "password", false), ("Domain\\User", "", false),
        ])
    func responseKey(user: String, password: String, isSame: Bool) throws {
        let expected = Self.hexadecimal(Self.key(hexadecimal: NTLMVectors.responseKey))
        #expect((Self.hexadecimal(try Self.key(user, password)) == expected) == isSame)
    }

    /// The vector is from MS-NLMP section 4.2.2.1.1 (NTOWFv1).
    @Test("The password hash matches MS-NLMP") func passwordHash() throws {
        let hash = try NTLMKey(hashing: Secret("Password"))
        let expected = Self.key(hexadecimal: "a4f49c406510bdcab6824ee7c30fd852")
        #expect(Self.hexadecimal(hash) == Self.hexadecimal(expected))
    }

    /// The vectors are from MS-NLMP sections 4.2.4.1.2, 4.2.4.1.3 and 4.2.4.2.2.
    @Test("The NTLMv2 response matches MS-NLMP") func response() throws {
        let response = NTLMResponse(
            to: NTLMVectors.serverChallenge, key: try Self.key(), time: [UInt8](repeating: 0, count: 8),
            clientChallenge: NTLMVectors.clientChallenge,
            targetInformation: try NTLMTargetInformation(NTLMVectors.targetInformation))
        #expect(DigestAlgorithm.hexadecimal(response.bytes.prefix(16)) == NTLMVectors.proof)
        let body = NTLMVectors.bytes("0101000000000000 0000000000000000 aaaaaaaaaaaaaaaa 00000000")
        #expect(Array(response.bytes.dropFirst(16)) == body + NTLMVectors.targetInformation + [0, 0, 0, 0])
        let sessionKey = Self.key(hexadecimal: NTLMVectors.sessionKey)
        #expect(Self.hexadecimal(response.sessionKey) == Self.hexadecimal(sessionKey))
    }

    @Test(
        "A user name is uppercased one UTF-16 unit at a time",
        arguments: [
            ("user", "USER"), ("j\u{f6}rg", "J\u{d6}RG"), ("\u{3c9}", "\u{3a9}"), ("\u{ff}", "\u{178}"),
            ("stra\u{df}e", "STRA\u{df}E"),  // one letter does not become two
            ("\u{131}\u{17f}", "\u{131}\u{17f}"),  // no letter becomes an ASCII letter
            ("\u{10428}", "\u{10428}"),  // outside the Basic Multilingual Plane
            ("1@x.test", "1@X.TEST"),
        ])
    func uppercasing(name: String, expected: String) {
        #expect(name.uppercasedForNTLM == expected)
    }

    @Test(
        "An account is parsed in each of its three forms",
        arguments: [
            ("D\\u", "D", "u"), ("u@d.test", "", "u@d.test"), ("u", "", "u"), ("\\u", "", "u"),
            ("D\\a\\b", "D", "a\\b"),
            ("D\\u@d.test", "D", "u@d.test"),
        ])
    func accounts(name: String, domain: String, user: String) throws {
        let account = try NTLMAccount(name)
        #expect(account.domain == domain)
        #expect(account.user == user)
    }

    @Test("Printing a key or an exchange reveals no secret") func description() throws {
        let key = try Self.key()
        var text = "\(key) \(String(reflecting: key))"
        dump(key, to: &text)
        let exchange = try NTLMExchange(user: "u", password: Secret("Password"), service: "HTTP/h", channelBinding: nil)
        dump(exchange, to: &text)
        text += "\(exchange)"
        #expect(text.contains("<redacted>"))
        for secret in ["Password", "12, 134, 138", "0c868a", "bytes"] { #expect(!text.contains(secret)) }
    }
}
