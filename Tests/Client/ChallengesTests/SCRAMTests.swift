// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing
import TrustRecipes
@testable import Challenges
import EssentialFoundation

@Suite struct SCRAMTests {
    // The example of RFC 7677 section 3, which RFC 7804 section 5 transfers to HTTP.
    private static let clientNonce = "rOprNGfwEbeRWgbNEkqO"
    private static let clientFirst = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    private static let serverFirst =
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    private static let clientFinal =
        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    private static let serverFinal = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="

    private static let credential = Credential.password(user: "user", password: Secret("pencil"))
    private static let facts = RequestFacts(method: "GET", target: "/")

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func exchange(_ password: String = "pencil") throws -> SCRAMExchange {
        try SCRAMExchange(user: "user", password: Secret(password), nonce: clientNonce)
    }

    private static func challenge(_ field: String) throws -> HTTPChallenge {
        try #require(try HTTPChallenge.parse([field]).first)
    }

    @Test("The example of RFC 7677 is answered and verified") func example() throws {
        var exchange = try Self.exchange()
        #expect(exchange.first == Self.clientFirst)
        #expect(try exchange.final(answering: Self.serverFirst) == Self.clientFinal)
        try exchange.verify(Self.serverFinal)
        #expect(throws: HTTPAuthenticatorError.wrongServerProof) {
            try exchange.verify(Self.serverFinal.replacing("6rri", with: "6rrj"))
        }
        var other = try Self.exchange("pencil ")
        #expect(try other.final(answering: Self.serverFirst) != Self.clientFinal)
        var unprepared = try Self.exchange("p\u{ad}\u{ff45}ncil")
        #expect(try unprepared.final(answering: Self.serverFirst) == Self.clientFinal)
    }

    @Test("The salted password is computed once for each password, salt and iteration count") func cachedKey() throws {
        var exchange = try Self.exchange()
        _ = try exchange.final(answering: Self.serverFirst)
        let key = try #require(exchange.key)
        var second = try SCRAMExchange(
            user: "user", password: Secret("pencil"), nonce: Self.clientNonce, key: key)
        #expect(try second.final(answering: Self.serverFirst) == Self.clientFinal)
        // Another password, salt or iteration count requires another key.
        let offer = try SCRAMOffer(Self.serverFirst, clientNonce: Self.clientNonce)
        #expect(key.fits(offer, password: Secret("pencil")))
        #expect(!key.fits(offer, password: Secret("pencil ")))
        for (from, to) in [("W22Z", "W22a"), ("4096", "4097")] {
            let other = Self.serverFirst.replacing(from, with: to)
            #expect(!key.fits(try SCRAMOffer(other, clientNonce: Self.clientNonce), password: Secret("pencil")))
            var (fresh, reusing) = (try Self.exchange(), second)
            #expect(try reusing.final(answering: other) == fresh.final(answering: other))
        }
    }

    @Test(
        "A server-final-message without the right signature is refused",
        arguments: ["", "v=", "v=AAAA", "e=invalid-proof", "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="])
    func wrongServerProof(serverFinal: String) throws {
        var exchange = try Self.exchange()
        _ = try exchange.final(answering: Self.serverFirst)
        #expect(throws: HTTPAuthenticatorError.wrongServerProof) { try exchange.verify(serverFinal) }
    }

    @Test("A server-final-message before the server-first-message is refused") func earlyProof() throws {
        #expect(throws: HTTPAuthenticatorError.wrongServerProof) { try Self.exchange().verify(Self.serverFinal) }
    }

    @Test(
        "A malformed server-first-message is refused",
        arguments: [
            ("", HTTPAuthenticatorError.malformedServerMessage),
            ("e=other-error", .malformedServerMessage),
            ("r=rOprNGfwEbeRWgbNEkqO,s=W22Z,i=4096", .malformedServerMessage),  // no server nonce is appended
            ("r=xOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=4096", .malformedServerMessage),  // another client's nonce
            ("m=x,r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=4096", .malformedServerMessage),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=,i=4096", .malformedServerMessage),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=*,i=4096", .malformedServerMessage),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=-4096", .malformedServerMessage),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=99999999999999999999", .malformedServerMessage),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=4095", .iterationCount(4_095, allowed: 4_096...200_000)),
            ("r=rOprNGfwEbeRWgbNEkqOabc,s=W22Z,i=200001", .iterationCount(200_001, allowed: 4_096...200_000)),
        ])
    func malformed(serverFirst: String, error: HTTPAuthenticatorError) throws {
        var exchange = try Self.exchange()
        #expect(throws: error) { try exchange.final(answering: serverFirst) }
    }

    @Test(
        "User and password are prepared and escaped, or refused",
        arguments: [
            ("a=b,c", "p", "n,,n=a=3Db=2Cc,r=x", nil),
            ("u\u{308},\u{ad}", "\u{aa}", "n,,n=\u{fc}=2C,r=x", nil),  // prepared first, then escaped
            ("\u{1f511}", "p", "n,,n=\u{1f511},r=x", nil),  // the user is prepared as a query (RFC 5802 section 5.1)
            ("u", "\u{1f511}", "", HTTPAuthenticatorError.unpreparable(.password, .unassignedCharacter)),
            ("u\u{e000}", "p", "", .unpreparable(.user, .prohibitedCharacter)),
            ("u\n", "p", "", .controlCharacter(.user)),
            ("u", "\u{7}", "", .controlCharacter(.password)),
        ])
    func names(
        user: String, password: String, first: String, error: HTTPAuthenticatorError?
    ) throws {
        if let error {
            #expect(throws: error) { try SCRAMExchange(user: user, password: Secret(password), nonce: "x") }
        } else {
            #expect(try SCRAMExchange(user: user, password: Secret(password), nonce: "x").first == first)
        }
    }

    @Test("The HTTP fields carry the messages (RFC 7804)") func fields() throws {
        let opening = try Self.challenge("SCRAM-SHA-256 realm=\"testrealm@example.com\"")
        let unopened = HTTPSCRAMAuthenticator(opening, makeNonce: { Self.clientNonce })
        var scram = try #require(unopened)
        let first = try scram.authorization(with: Self.credential, for: Self.facts)
        #expect(first == "SCRAM-SHA-256 realm=\"testrealm@example.com\", data=\(Self.base64(Self.clientFirst))")
        #expect(try !scram.advance(with: opening, credential: Self.credential))
        let step = try Self.challenge("SCRAM-SHA-256 sid=AAAABBBBCCCCDDDD, data=\(Self.base64(Self.serverFirst))")
        #expect(try scram.advance(with: step, credential: Self.credential))
        let final = try scram.authorization(with: Self.credential, for: Self.facts)
        #expect(final == "SCRAM-SHA-256 sid=AAAABBBBCCCCDDDD, data=\(Self.base64(Self.clientFinal))")
        // A repeated server message is a rejection, not a step of the exchange.
        #expect(try !scram.advance(with: step, credential: Self.credential))
        for field in [nil, "sid=AAAABBBBCCCCDDDD", "sid=other, data=\(Self.base64(Self.serverFinal))"] {
            var copy = scram
            let information = try HTTPAuthenticationInfo(field.map { [$0] } ?? [])
            #expect(throws: HTTPAuthenticatorError.wrongServerProof) {
                try copy.receive(AcceptedResponse(information: information), with: Self.credential)
            }
        }
        let information = try HTTPAuthenticationInfo([
            "sid=AAAABBBBCCCCDDDD, data=\(Self.base64(Self.serverFinal))"
        ])
        #expect(try scram.receive(AcceptedResponse(information: information), with: Self.credential) == false)
    }

    @Test(
        "A malformed challenge in the exchange is refused",
        arguments: ["data=*", "data=\"\", sid=x", "sid=\"a b\", data=cj0=", "data=cj0="])
    func malformedSteps(parameters: String) throws {
        let opening = try Self.challenge("SCRAM-SHA-256 realm=r")
        var scram = try #require(HTTPSCRAMAuthenticator(opening))
        _ = try scram.authorization(with: Self.credential, for: Self.facts)
        #expect(throws: HTTPAuthenticatorError.malformedServerMessage) {
            try scram.advance(with: try Self.challenge("SCRAM-SHA-256 \(parameters)"), credential: Self.credential)
        }
    }

    @Test("Random changes of a server-first-message do not trap the parser") func mutations() throws {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<5_000 {
            var bytes = Array(Self.serverFirst.utf8)
            for _ in 0...Int.random(in: 0...4, using: &generator) {
                let position = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[position] = .random(in: .min ... .max, using: &generator)
                case 1: bytes.insert(",=r9".utf8.randomElement(using: &generator) ?? 0, at: position)
                default: if bytes.count > 1 { bytes.remove(at: position) }
                }
            }
            let offer = try? SCRAMOffer(String(decoding: bytes, as: UTF8.self), clientNonce: Self.clientNonce)
            #expect(offer.map { $0.nonce.hasPrefix(Self.clientNonce) } ?? true)
        }
    }
}
