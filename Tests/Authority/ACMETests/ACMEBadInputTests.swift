// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import Crypto
import Foundation
import HTTPTypes
import Testing
import X509

/// A deterministic generator of random numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}

/// A source of random changes to bytes.
struct Mutator {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let tokens = [
        "{", "}", "[", "]", "\"", ",", ":", "null", "true", "-1", "1e999", "18446744073709551616", "\\u0000", "\\ud800",
        "\u{0}", "é", "=", "\"alg\":\"none\"", "\"jwk\":{}", "\"kid\":\"\"", "\"crit\":[]", "\"nonce\":\"\"",
        "[[[[[[[[",
    ]

    /// Makes one to four random changes: flips a bit, replaces a byte, removes or repeats a range, or inserts a token.
    mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, index + Int.random(in: 1...12, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1 where index < bytes.count: bytes[index] = .random(in: .min ... .max, using: &generator)
            case 2: bytes.removeSubrange(index..<end)
            case 3: bytes.insert(contentsOf: bytes[index..<end], at: index)
            case 4: bytes.insert(contentsOf: (Self.tokens.randomElement(using: &generator) ?? "").utf8, at: index)
            default: bytes = Array(bytes[..<index]) + bytes[end...]
            }
        }
        return bytes
    }

    /// Changes the JSON inside one of the base64url parts of a signed request, or the request itself.
    mutating func mutate(signed body: [UInt8]) -> [UInt8] {
        guard Bool.random(using: &generator),
            var parts = try? JSONDecoder().decode([String: String].self, from: Data(body)),
            let name = ["protected", "payload", "signature"].randomElement(using: &generator),
            let bytes = parts[name].flatMap({ Base64URL.decode($0) })
        else { return mutate(body) }
        parts[name] = Base64URL.encode(mutate(bytes))
        return (try? JSONEncoder().encode(parts)).map { Array($0) } ?? body
    }
}

@Suite struct ACMEBadInputTests {
    /// The seed, which is random in each run and printed by a failure.
    static let seed =
        ProcessInfo.processInfo.environment["ACME_SEED"].flatMap { UInt64($0) } ?? .random(in: .min ... .max)

    static func seed(of part: Int) -> UInt64 { seed &+ UInt64(part) }

    @Test("None of 5,000 changed requests is authenticated", arguments: 0..<4)
    func requests(part: Int) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let body = try await lab.signed("{}", for: account.path, by: .account(account))
        let original = try JSONWebSignature(body)
        var mutator = Mutator(seed: Self.seed(of: part))
        for index in 0..<5_000 {
            let changed = mutator.mutate(signed: body)
            // A change outside the signed parts, such as white space between them, leaves the request valid.
            guard (try? JSONWebSignature(changed)) != original else { continue }
            let response = await lab.post(body: changed, to: account.path)
            let problem = try? response.decode(ACMEProblem.self)
            // The nonce is checked last, so a badNonce problem means that the signature was accepted.
            let isRefused = response.status.kind == .clientError && problem != nil && problem?.type != .badNonce
            guard isRefused else {
                Issue.record(
                    """
                    ACME_SEED=\(Self.seed) part \(part), change \(index): \(response.status.code) \(response.text)
                    for \(String(decoding: changed, as: UTF8.self))
                    """)
                return
            }
        }
        #expect(await lab.post(body: body, to: account.path).status == .ok)
    }

    /// A resource that is read from a peer, with the function that reads it.
    struct Resource: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let example: String
        let read: @Sendable ([UInt8]) -> Bool

        init(_ type: (some Codable & Equatable & Sendable).Type, _ example: String) {
            testDescription = "\(type)"
            self.example = example
            read = { bytes in Self.survives(type, bytes) }
        }

        /// Returns whether a value that can be read can also be written, and is then read as the same value.
        private static func survives<Value: Codable & Equatable>(_ type: Value.Type, _ bytes: [UInt8]) -> Bool {
            guard let value = try? JSONDecoder().decode(type, from: Data(bytes)) else { return true }
            guard let data = try? JSONEncoder().encode(value) else { return false }
            return (try? JSONDecoder().decode(type, from: data)) == value
        }
    }

    static let problem = """
        {"type":"urn:ietf:params:acme:error:compound","detail":"d","status":403,"instance":"i","algorithms":["RS256"],\
        "subproblems":[{"type":"urn:ietf:params:acme:error:caa","detail":"e","identifier":{"type":"dns","value":"a"}}]}
        """

    static let resources = [
        Resource(
            ACMEDirectory.self,
            #"{"newNonce":"a","newAccount":"b","newOrder":"c","revokeCert":"d","keyChange":"e","renewalInfo":"f","meta":{"profiles":{"a":"b"},"externalAccountRequired":true}}"#
        ),
        Resource(ACMEAccountObject.self, #"{"status":"valid","contact":["mailto:a@b.example"],"orders":"o"}"#),
        Resource(
            ACMEOrder.self,
            #"{"status":"pending","expires":"2026-01-05T10:00:00Z","identifiers":[{"type":"dns","value":"a"}],"authorizations":["b"],"finalize":"c","error":\#(problem)}"#
        ),
        Resource(
            ACMEAuthorization.self,
            #"{"identifier":{"type":"dns","value":"a"},"status":"pending","expires":"2026-01-05T10:00:00.5+01:00","challenges":[{"type":"http-01","url":"u","status":"pending","token":"t"}],"wildcard":true}"#
        ),
        Resource(
            ACME.ACMEChallenge.self,
            #"{"type":"http-01","url":"u","status":"invalid","validated":"2026-01-05T10:00:00Z","error":\#(problem)}"#),
        Resource(ACMEProblem.self, problem),
        Resource(
            RenewalInfo.self,
            #"{"suggestedWindow":{"start":"2026-01-05T10:00:00Z","end":"2026-01-06T10:00:00Z"},"explanationURL":"e"}"#),
        Resource(
            JSONWebKey.self,
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
        ),
        Resource(
            ProtectedHeader.self,
            #"{"alg":"EdDSA","nonce":"QUJD","url":"u","jwk":{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}"#
        ),
    ]

    @Test("20,000 changed resources are refused, or equal when written and read again", arguments: resources)
    func decoding(resource: Resource) {
        var mutator = Mutator(seed: Self.seed)
        let example = Array(resource.example.utf8)
        #expect(resource.read(example))
        for index in 0..<20_000 {
            let changed = mutator.mutate(example)
            guard resource.read(changed) else {
                let text = String(decoding: changed, as: UTF8.self)
                Issue.record("ACME_SEED=\(Self.seed) change \(index): \(text)")
                return
            }
        }
    }

    @Test("20,000 changed texts are refused, or read in canonical form") func texts() {
        var mutator = Mutator(seed: Self.seed)
        let examples = [
            "2026-01-05T10:00:00.25+01:00", "*.a-b.example", "2001:db8::192.0.2.1",
            "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE",
        ]
        for index in 0..<20_000 {
            let text = String(decoding: mutator.mutate(Array(examples[index % 4].utf8)), as: UTF8.self)
            let isStable =
                switch index % 4 {
                case 0: ACMETimestamp(text).map { ACMETimestamp($0.text) == $0 } ?? true
                case 3: CertificateIdentifier(text).map { $0.description == text } ?? true
                default: ACMEIdentifier(text).map { ACMEIdentifier($0.value) == $0 && $0.canonical == $0 } ?? true
                }
            guard isStable else {
                Issue.record("ACME_SEED=\(Self.seed) change \(index): \(text)")
                return
            }
        }
    }
}
