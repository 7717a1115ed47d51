// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@testable import Challenges

/// The Digest features beyond a single response: server proof, next nonce, nonce counts, sessions and bodies.
@Suite struct DigestInfoTests {
    private static let credential = Credential.password(user: "u", password: Secret("p"))

    private static func digest(_ parameters: String, counts: NonceCounts = NonceCounts()) throws
        -> HTTPDigestAuthenticator
    {
        let challenge = try #require(try HTTPChallenge.parse(["Digest realm=r, nonce=n, \(parameters)"]).first)
        return try #require(
            try HTTPDigestAuthenticator(challenge, nonceCounts: counts, makeClientNonce: { "c" }))
    }

    private static func answer(
        _ digest: inout HTTPDigestAuthenticator, method: String = "GET", body: [UInt8]? = []
    ) throws -> HTTPChallenge {
        let value = try digest.authorization(with: credential, for: .init(method: method, target: "/x", body: body))
        return try #require(try HTTPChallenge.parse([value]).first)
    }

    private static func hash(_ text: String, _ algorithm: String = "MD5") -> String {
        DigestAlgorithm(algorithm)?.hexDigest(text) ?? ""
    }

    @Test(
        "Digest hashes match the examples of RFC 1321 and FIPS 180-4",
        arguments: [
            ("MD5", "900150983cd24fb0d6963f7d28e17f72"),
            ("SHA-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("SHA-512-256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        ])
    func hashes(algorithm: String, expected: String) {
        #expect(Self.hash("abc", algorithm) == expected)
    }

    @Test(
        "The preferred qop of the challenge is used",
        arguments: [
            ("qop=\"auth\"", "auth"), ("qop=\"auth-int, auth\"", "auth"), ("qop=\"auth-int ,other\"", "auth-int"),
            ("qop=\" AUTH \"", "auth"), ("qop=auth-int", "auth-int"), ("qop=\"\"", ""), ("opaque=o", ""),
        ])
    func qualities(parameters: String, quality: String) throws {
        var digest = try Self.digest(parameters)
        #expect(try Self.answer(&digest)["qop"] ?? "" == quality)
    }

    @Test("With auth-int the response covers the body", arguments: [[], Array("body".utf8)])
    func authInt(body: [UInt8]) throws {
        var digest = try Self.digest("qop=auth-int")
        let answer = try Self.answer(&digest, method: "PUT", body: body)
        let content = Self.hash(String(decoding: body, as: UTF8.self))
        let subject = Self.hash("PUT:/x:\(content)")
        #expect(answer["response"] == Self.hash("\(Self.hash("u:r:p")):n:00000001:c:auth-int:\(subject)"))
    }

    @Test("Without a known body, auth-int is refused and auth is used if it is offered") func unknownBody() throws {
        var digest = try Self.digest("qop=auth-int")
        #expect(throws: HTTPAuthenticatorError.unknownBody) { try Self.answer(&digest, body: nil) }
        var other = try Self.digest("qop=\"auth-int, auth\"")
        #expect(try Self.answer(&other, body: nil)["qop"] == "auth")
    }

    @Test(
        "The server's rspauth is verified for each algorithm and qop",
        arguments: ["MD5", "SHA-256", "SHA-512-256", "MD5-sess", "SHA-256-sess", "SHA-512-256-sess"],
        [
            "auth", "auth-int", "",
        ])
    func serverProof(algorithm: String, quality: String) throws {
        var digest = try Self.digest("algorithm=\(algorithm), qop=\"\(quality)\"")
        _ = try Self.answer(&digest)
        func hash(_ text: String) -> String { Self.hash(text, algorithm) }
        let key = algorithm.hasSuffix("sess") ? hash("\(hash("u:r:p")):n:c") : hash("u:r:p")
        let subject = hash(":/x" + (quality == "auth-int" ? ":" + hash("page") : ""))
        let proof = hash(quality.isEmpty ? "\(key):n:\(subject)" : "\(key):n:00000001:c:\(quality):\(subject)")
        let good = try #require(try HTTPAuthenticationInfo(["rspauth=\"\(proof)\""]))
        let tampered = try #require(try HTTPAuthenticationInfo(["rspauth=\"\(proof.dropLast())\""]))
        let page = Array("page".utf8)
        #expect(digest.checksResponseBody == (quality == "auth-int"))
        #expect(try digest.receive(AcceptedResponse(information: good, body: page), with: Self.credential) == false)
        #expect(throws: HTTPAuthenticatorError.wrongServerProof) {
            try digest.receive(AcceptedResponse(information: tampered, body: page), with: Self.credential)
        }
        if quality == "auth-int" {
            #expect(throws: HTTPAuthenticatorError.wrongServerProof) {
                try digest.receive(AcceptedResponse(information: good, body: Array("Page".utf8)), with: Self.credential)
            }
        }
    }

    @Test(
        "A server proof whose parameters differ from the request's is refused",
        arguments: [
            ("nc=00000001, cnonce=\"c\", qop=auth", true), ("qop=AUTH", true), ("nc=00000002", false),
            ("cnonce=\"C\"", false), ("qop=auth-int", false),
        ])
    func proofParameters(repeated: String, isAccepted: Bool) throws {
        var digest = try Self.digest("qop=auth")
        _ = try Self.answer(&digest)
        let proof = Self.hash("\(Self.hash("u:r:p")):n:00000001:c:auth:\(Self.hash(":/x"))")
        let information = try HTTPAuthenticationInfo(["rspauth=\"\(proof)\", \(repeated)"])
        if isAccepted {
            #expect(try digest.receive(AcceptedResponse(information: information), with: Self.credential) == false)
        } else {
            #expect(throws: HTTPAuthenticatorError.wrongServerProof) {
                try digest.receive(AcceptedResponse(information: information), with: Self.credential)
            }
        }
    }

    @Test("The next nonce is used, and each nonce has a separate count") func nextNonce() throws {
        var digest = try Self.digest("qop=auth")
        var seen: Set<String> = []
        for next in ["m", "n", "m", "m", "n"] {
            let answer = try Self.answer(&digest)
            let (nonce, count) = (try #require(answer["nonce"]), try #require(answer["nc"]))
            #expect(seen.insert("\(nonce) \(count)").inserted)
            let information = try HTTPAuthenticationInfo(["nextnonce=\"\(next)\""])
            let isChanged = try digest.receive(AcceptedResponse(information: information), with: Self.credential)
            #expect(isChanged == (next != nonce))
        }
        #expect(seen == ["n 00000001", "m 00000001", "n 00000002", "m 00000002", "m 00000003"])
    }

    @Test("Authenticators that share nonce counts use no count twice") func sharedCounts() async throws {
        let counts = NonceCounts()
        let seen = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    var digest = try Self.digest("qop=auth", counts: counts)
                    return try Self.answer(&digest)["nc"]
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(seen.count == 100)
    }

    @Test("A session algorithm keeps its key after the nonce changes") func sessionKey() throws {
        var digest = try Self.digest("qop=auth, algorithm=MD5-sess")
        _ = try Self.answer(&digest)
        _ = try digest.receive(
            AcceptedResponse(information: HTTPAuthenticationInfo(["nextnonce=\"m\""])), with: Self.credential)
        let key = Self.hash("\(Self.hash("u:r:p")):n:c")
        let expected = Self.hash("\(key):m:00000001:c:auth:\(Self.hash("GET:/x"))")
        #expect(try Self.answer(&digest)["response"] == expected)
    }

    @Test(
        "Authentication-Info is parsed",
        arguments: [
            ([], nil), (["nextnonce=\"a\"", "qop=auth"], "a"), ([""], ""), (["qop=auth, nextnonce = b ,"], "b"),
        ])
    func info(fields: [String], nextNonce: String?) throws {
        let information = try HTTPAuthenticationInfo(fields)
        #expect(information.map { $0["nextnonce"] ?? "" } == nextNonce)
    }

    @Test(
        "A malformed Authentication-Info is refused",
        arguments: ["nextnonce", "Digest nextnonce=\"a\"", "nextnonce=\"a\", nextnonce=\"b\"", "qop=\"a"])
    func malformedInfo(field: String) {
        #expect(throws: HTTPChallengeError.self) { try HTTPAuthenticationInfo([field]) }
    }
}
