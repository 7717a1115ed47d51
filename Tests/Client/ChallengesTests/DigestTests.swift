// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@testable import Challenges

@Suite struct DigestTests {
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    private static func authenticator(_ field: String, clientNonce: String = clientNonce) throws
        -> HTTPDigestAuthenticator
    {
        let challenge = try #require(try HTTPChallenge.parse([field]).first)
        return try #require(try HTTPDigestAuthenticator(challenge, makeClientNonce: { clientNonce }))
    }

    private static func parameters(_ value: String) throws -> HTTPChallenge {
        try #require(try HTTPChallenge.parse([value]).first)
    }

    private static let rfc7616 = """
        realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
        opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """

    @Test(
        "The responses to the examples of RFC 7616, RFC 2617 and RFC 2069 are correct",
        arguments: [
            // RFC 7616 section 3.9.1
            (
                field: "Digest \(rfc7616), algorithm=MD5", user: "Mufasa", password: "Circle of Life",
                target: "/dir/index.html", clientNonce: clientNonce, response: "8ca523f5e9506fed4657c9700eebdbec"
            ),
            (
                field: "Digest \(rfc7616), algorithm=SHA-256", user: "Mufasa", password: "Circle of Life",
                target: "/dir/index.html", clientNonce: clientNonce,
                response: "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
            ),
            // RFC 7616 section 3.9.2, as corrected by erratum 4897
            (
                field: """
                Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
                nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
                opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true
                """, user: "J\u{e4}s\u{f8}n Doe", password: "Secret, or not?", target: "/doe.json",
                clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
                response: "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"
            ),
            // RFC 2617 section 3.5: without an algorithm, MD5 is used
            (
                field: """
                Digest realm="testrealm@host.com", qop="auth,auth-int", \
                nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"
                """, user: "Mufasa", password: "Circle Of Life", target: "/dir/index.html", clientNonce: "0a4f113b",
                response: "6629fae49393a05397450978507c4ef1"
            ),
            // RFC 2069 section 2.4, as corrected by its erratum, without qop
            (
                field: """
                Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
                opaque="5ccc069c403ebaf9f0171e9517f40e41"
                """, user: "Mufasa", password: "CircleOfLife", target: "/dir/index.html", clientNonce: "unused",
                response: "1949323746fe6a43ef61f9606e7febea"
            ),
        ])
    func examples(
        field: String, user: String, password: String, target: String, clientNonce: String, response: String
    ) throws {
        var authenticator = try Self.authenticator(field, clientNonce: clientNonce)
        let value = try authenticator.authorization(
            with: .password(user: user, password: Secret(password)), for: .init(method: "GET", target: target))
        #expect(try Self.parameters(value)["response"] == response)

        var tampered = try Self.authenticator(field, clientNonce: clientNonce)
        let other = try tampered.authorization(
            with: .password(user: user, password: Secret(password + " ")), for: .init(method: "GET", target: target))
        #expect(try Self.parameters(other)["response"] != response)
    }

    @Test("A session algorithm keeps its first client nonce") func sessionClientNonce() throws {
        let challenge = try #require(
            try HTTPChallenge.parse(["Digest realm=r, nonce=n, qop=auth, algorithm=SHA-256-sess"]).first)
        var digest = try #require(try HTTPDigestAuthenticator(challenge))
        let credential = Credential.password(user: "u", password: Secret("p"))
        let first = try Self.parameters(digest.authorization(with: credential, for: .init(method: "GET", target: "/")))
        let second = try Self.parameters(digest.authorization(with: credential, for: .init(method: "GET", target: "/")))
        #expect(first["cnonce"] == second["cnonce"])
        #expect(first["response"] != second["response"])
        let sha256 = try #require(DigestAlgorithm("SHA-256"))
        let cnonce = try #require(first["cnonce"])
        let key = sha256.hexDigest("\(sha256.hexDigest("u:r:p")):n:\(cnonce)")
        #expect(first["response"] == sha256.hexDigest("\(key):n:00000001:\(cnonce):auth:\(sha256.hexDigest("GET:/"))"))
    }

    @Test("The nonce count increases with each request") func nonceCount() throws {
        var digest = try Self.authenticator("Digest realm=r, nonce=n, qop=auth")
        let credential = Credential.password(user: "u", password: Secret("p"))
        let counts = try (1...17).map { _ in
            try Self.parameters(digest.authorization(with: credential, for: .init(method: "GET", target: "/")))["nc"]
        }
        #expect(counts.first == "00000001")
        #expect(counts.last == "00000011")
    }

    @Test("Parameters that some devices require unquoted are sent unquoted") func unquoted() throws {
        var digest = try Self.authenticator("Digest realm=r, nonce=n, qop=\"auth\", algorithm=\"MD5\", opaque=o")
        let value = try digest.authorization(
            with: .password(user: "u", password: Secret("p")), for: .init(method: "GET", target: "/a?b=c"))
        for part in ["qop=auth,", "nc=00000001,", "algorithm=MD5,", "uri=\"/a?b=c\"", "opaque=\"o\""] {
            #expect(value.contains(part))
        }
    }

    @Test("Quotes in user, realm and URI are escaped") func quoting() throws {
        var digest = try Self.authenticator("Digest realm=\"a\\\"b\", nonce=n")
        let value = try digest.authorization(
            with: .password(user: "u\", uri=\"/x", password: Secret("p")), for: .init(method: "GET", target: "/\"\\"))
        let parsed = try Self.parameters(value)
        #expect(parsed["username"] == "u\", uri=\"/x")
        #expect(parsed["uri"] == "/\"\\")
        #expect(parsed.realm == "a\"b")
    }

    @Test(
        "The user is sent as userhash, username or username*",
        arguments: [
            (
                "Digest realm=r, nonce=n, userhash=true", "Mufasa",
                "username=\"\(DigestAlgorithm("MD5")!.hexDigest("Mufasa:r"))\""
            ),
            ("Digest realm=r, nonce=n, charset=UTF-8", "J\u{e4}s\u{f8}n Doe", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"),
            (
                "Digest realm=\"api@example.org\", nonce=n, algorithm=SHA-512-256, charset=UTF-8, userhash=true",
                "J\u{e4}s\u{f8}n Doe", "username=\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\""
            ),  // RFC 7616 section 3.9.2, as corrected by erratum 4897
            ("Digest realm=r, nonce=n, charset=UTF-8", "Mufasa", "username=\"Mufasa\""),
        ])
    func users(field: String, user: String, expected: String) throws {
        var digest = try Self.authenticator(field)
        let value = try digest.authorization(
            with: .password(user: user, password: Secret("p")), for: .init(method: "GET", target: "/"))
        #expect(value.contains(expected))
    }

    @Test(
        "An unknown algorithm or qop is not answered",
        arguments: ["algorithm=CRC-32", "algorithm=SHA-512", "algorithm=\u{17f}HA-256", "qop=other"])
    func unknownAlgorithms(parameter: String) throws {
        let challenge = try #require(try HTTPChallenge.parse(["Digest realm=r, nonce=n, \(parameter)"]).first)
        #expect(try AuthenticatorRegistry().authenticator(for: challenge) == nil)
    }

    @Test("A missing nonce is named in the error, and a missing realm is empty") func missingParameters() throws {
        let challenge = try #require(try HTTPChallenge.parse(["Digest realm=r"]).first)
        #expect(throws: HTTPAuthenticatorError.missingParameter("nonce")) {
            try AuthenticatorRegistry().authenticator(for: challenge)
        }
        var digest = try Self.authenticator("Digest nonce=n")
        let value = try digest.authorization(
            with: .password(user: "u", password: Secret("p")), for: .init(method: "GET", target: "/"))
        #expect(value.contains(", realm=\"\", nonce=\"n\""))
    }

    @Test("Control characters in the user are refused", arguments: ["u\r\nX: y", "u\u{0}"])
    func controlCharacters(user: String) throws {
        var digest = try Self.authenticator("Digest realm=r, nonce=n")
        #expect(throws: HTTPAuthenticatorError.controlCharacter(.user)) {
            try digest.authorization(
                with: .password(user: user, password: Secret("p")), for: .init(method: "GET", target: "/"))
        }
    }
}
