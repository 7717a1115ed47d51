// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes

@testable import Challenges

@Suite struct HTTPChallengeTests {
    /// Returns each challenge as `scheme`, `scheme token68` or `scheme a=1;b=2`, which is short enough for a table.
    private static func summary(_ challenges: [HTTPChallenge]) -> [String] {
        challenges.map { challenge in
            let parameters = challenge.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
            return [challenge.method.description, challenge.token68 ?? parameters].filter { !$0.isEmpty }
                .joined(separator: " ")
        }
    }

    @Test(
        "Challenge fields are parsed (RFC 9110 section 11.6.1)",
        arguments: [
            ([], []),
            ([""], []),
            ([" , ,"], []),
            (["Basic realm=\"a\""], ["basic realm=a"]),
            (["bAsIc REALM=\"A\""], ["basic realm=A"]),
            (["Basic"], ["basic"]),
            (["Negotiate"], ["negotiate"]),
            (["Negotiate, Basic realm=\"a\""], ["negotiate", "basic realm=a"]),
            (["Negotiate YII=, Basic realm=\"a\""], ["negotiate YII=", "basic realm=a"]),
            (["NTLM TlRMTVNTUAAC=="], ["ntlm TlRMTVNTUAAC=="]),
            (["Basic realm=\"a\", Digest realm=\"b\", nonce=\"c\""], ["basic realm=a", "digest realm=b;nonce=c"]),
            (["Basic realm=\"a\"", "Digest realm=\"b\",nonce=\"c\""], ["basic realm=a", "digest realm=b;nonce=c"]),
            (["Digest realm = \"b\" ,\tnonce= \"c\" ,"], ["digest realm=b;nonce=c"]),
            (
                ["Digest realm=\"b\", qop=\"auth, auth-int\", stale=TRUE"],
                ["digest realm=b;qop=auth, auth-int;stale=TRUE"]
            ),
            (["Basic realm=\"a \\\"quoted\\\" \\\\ b\""], ["basic realm=a \"quoted\" \\ b"]),
            (["Basic realm=\"a, Digest realm=b\""], ["basic realm=a, Digest realm=b"]),
            (["Basic realm=\"\""], ["basic realm="]),
            (["Basic realm=unquoted/value"], ["basic realm=unquoted/value"]),
            (["Digest realm=\"a\" nonce=\"b\""], ["digest realm=a;nonce=b"]),  // a comma is missing
            (["Basic realm=\"a\", realm=\"a\""], ["basic realm=a"]),  // repeated, but not ambiguous
            (
                ["Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\""],
                ["newauth realm=apps;type=1;title=Login to \"apps\"", "basic realm=simple"]
            ),  // RFC 9110 section 11.6.1
            (["garbage \u{1}\u{2}", "Basic realm=\"a\""], ["basic realm=a"]),  // a broken field does not hide another
            (["Digest ,realm=\"b\",,nonce=c"], ["digest realm=b;nonce=c"]),  // empty list elements, section 5.6.1
            (["\tBasic \t realm\t=\t\"a\"  "], ["basic realm=a"]),
            (["Basic realm=\"a\",Basic realm=\"b\""], ["basic realm=a", "basic realm=b"]),
            (["Basic realm=\"a\", Negotiate YII=="], ["basic realm=a", "negotiate YII=="]),
            (["Negotiate, NTLM", "Basic realm=\"a\""], ["negotiate", "ntlm", "basic realm=a"]),
            (["NTLM abc==, Negotiate , Basic realm=a"], ["ntlm abc==", "negotiate", "basic realm=a"]),
            (["Bearer realm=\"a\", error=\"invalid_token\""], ["bearer realm=a;error=invalid_token"]),
            (["SCRAM-SHA-256 realm=\"a\", sid=x, data=cj0="], ["scram-sha-256 realm=a;sid=x;data=cj0="]),
            (["Digest realm=\"a\", qop=\"auth-int ,auth\""], ["digest realm=a;qop=auth-int ,auth"]),
            (["Digest realm=\"\\a\\\"\", nonce=\"x=,y\""], ["digest realm=a\";nonce=x=,y"]),
            (["Unknown!#$ a=b"], ["unknown!#$ a=b"]),
            (["Basic realm=\"a\"", "Basic realm=\"open"], ["basic realm=a", "basic realm=open"]),
            (["Basic realm=\"Gr\u{fc}\u{df}e\""], ["basic realm=Gr\u{fc}\u{df}e"]),
        ] as [([String], [String])])
    func fields(fields: [String], expected: [String]) throws {
        #expect(Self.summary(try HTTPChallenge.parse(fields)) == expected)
    }

    /// Challenge fields of servers in bug reports about curl, OkHttp, Jetty, axios and python-ntlm.
    @Test(
        "Challenge fields of real servers are parsed",
        arguments: [
            // Hikvision: qop first, brackets in the realm, stale in quotes and capitals
            (
                "Digest qop=\"auth\", realm=\"IP Camera(C1234)\", nonce=\"4d6a6c455130\", stale=\"FALSE\"",
                ["digest qop=auth;realm=IP Camera(C1234);nonce=4d6a6c455130;stale=FALSE"]
            ),
            // Dahua and Amcrest: no space after commas
            (
                "Digest realm=\"Login to AMC0\",qop=\"auth\",nonce=\"203186416\",opaque=\"fcc93b81\"",
                ["digest realm=Login to AMC0;qop=auth;nonce=203186416;opaque=fcc93b81"]
            ),
            // A thermostat, Intel AMT and a DSL router
            (
                "Digest qop=\"auth\", realm=\"thermostat\", nonce=\"1612605593\"",
                ["digest qop=auth;realm=thermostat;nonce=1612605593"]
            ),
            (
                "Digest realm=\"Digest:0A\", nonce=\"x/y\",stale=\"false\",qop=\"auth-int, auth\"",
                ["digest realm=Digest:0A;nonce=x/y;stale=false;qop=auth-int, auth"]
            ),
            (
                "Digest realm=\"r\", nonce=\"n\", opaque=\"\", algorithm=\"MD5\", qop=auth,auth-int",
                ["digest realm=r;nonce=n;opaque=;algorithm=MD5;qop=auth", "auth-int"]
            ),
            // IIS and Exchange, through a client that joins fields, in either order
            (
                "NTLM TlRMTVNTUAACAAAA, Negotiate, Basic realm=\"autodiscover.site.test\"",
                ["ntlm TlRMTVNTUAACAAAA", "negotiate", "basic realm=autodiscover.site.test"]
            ),
            (
                "Negotiate,Basic Realm=\"\",NTLM TlRMTVNTUAACAAAA==",
                ["negotiate", "basic realm=", "ntlm TlRMTVNTUAACAAAA=="]
            ),
            ("Negotiate oYG1MIGyoAMKAQCi,", ["negotiate oYG1MIGyoAMKAQCi"]),
            ("NTLM ", ["ntlm"]),
            // Container registries, Azure Key Vault and SharePoint
            (
                "Bearer realm=\"https://auth.test/token\",service=\"registry.test\",scope=\"repository:a/b:pull,push\"",
                ["bearer realm=https://auth.test/token;service=registry.test;scope=repository:a/b:pull,push"]
            ),
            (
                "Bearer authorization_uri=https://login.test/common/oauth2?a=b, resource_id=https://vault.test",
                ["bearer authorization_uri=https://login.test/common/oauth2?a=b;resource_id=https://vault.test"]
            ),
            (
                "IDCRL Type=\"BPOSIDCRL\", EndPoint=\"/_vti_bin/idcrl.svc/\", Policy=\"MBI\", Bearer realm=\"x\"",
                ["idcrl type=BPOSIDCRL;endpoint=/_vti_bin/idcrl.svc/;policy=MBI", "bearer realm=x"]
            ),
            (
                "Bearer error=\"invalid_token\" error_description=\"expired, or \\\"bad\\\"\"",
                ["bearer error=invalid_token;error_description=expired, or \"bad\""]
            ),
            ("DPoP algs=\"ES256 PS256\", Bearer", ["dpop algs=ES256 PS256", "bearer"]),
            ("HOBA max-age=180, challenge=16:MTEyMzEyMzEyMw==", ["hoba max-age=180;challenge=16:MTEyMzEyMzEyMw=="]),
            (",,,, Digest,,,, Basic realm=\"a\",,,", ["digest", "basic realm=a"]),
            ("Basic realm=Zebra", ["basic realm=Zebra"]),
            ("Basic realm=", ["basic realm="]),  // a token68 by the grammar; Basic needs no realm
            ("Basic realm='a'", ["basic realm='a'"]),
        ])
    func realFields(field: String, expected: [String]) throws {
        #expect(Self.summary(try HTTPChallenge.parse([field])) == expected)
    }

    @Test(
        "A field without a challenge that has one plain meaning is refused with the offset of the error",
        arguments: [
            ("realm=\"a\"", HTTPChallengeError.malformed(offset: 0)),
            ("Digest nonce=\"a\", nonce=\"b\"", .repeatedParameter("nonce")),
            ("\"Basic\"", .malformed(offset: 0)),
            ("=", .malformed(offset: 0)),
            ("Digest Realm=\"a\", rEALM=\"b\"", .repeatedParameter("realm")),
            ("Basic: realm=\"a\"", .malformed(offset: 5)),
            ("Negotiate abc def", .malformed(offset: 10)),
            ("Digest nonce=\"a, realm=\"b\"", .ambiguousString(offset: 13)),
            ("Bas\u{ed}c realm=\"a\"", .malformed(offset: 3)),
            ("Basic\u{b}realm=a", .malformed(offset: 5)),
            ("Digest realm=\"a\r\nX: y\"", .malformed(offset: 15)),
            ("Digest realm=\"a\\\u{0}\"", .malformed(offset: 16)),
            ("Digest realm=a\u{7f}", .malformed(offset: 14)),
            ("Digest realm=\"a\", qop=auth,auth-int, qop=\"auth-int\"", .repeatedParameter("qop")),
        ])
    func malformed(field: String, error: HTTPChallengeError) {
        #expect(throws: error) { try HTTPChallenge.parse([field]) }
    }

    @Test("Size and number of challenges and parameters are limited") func limits() {
        let long = "Basic realm=\"" + String(repeating: "a", count: HTTPChallenge.sizeLimit) + "\""
        #expect(throws: HTTPChallengeError.tooLarge(limit: HTTPChallenge.sizeLimit)) { try HTTPChallenge.parse([long]) }
        let many = [String](repeating: "Basic", count: HTTPChallenge.countLimit + 1).joined(separator: ", ")
        let tooMany = HTTPChallengeError.tooMany(limit: HTTPChallenge.countLimit)
        #expect(throws: tooMany) { try HTTPChallenge.parse([many]) }
        let fields = [String](repeating: "Basic", count: HTTPChallenge.countLimit + 1)
        #expect(throws: tooMany) { try HTTPChallenge.parse(fields) }
        #expect(throws: Never.self) { try HTTPChallenge.parse(Array(fields.dropLast())) }
        let limit = HTTPChallenge.parameterLimit
        let parameters = (0...limit).map { "p\($0)=v" }
        #expect(throws: HTTPChallengeError.tooManyParameters(limit: limit)) {
            try HTTPChallenge.parse(["X " + parameters.joined(separator: ", ")])
        }
        #expect(throws: Never.self) {
            try HTTPChallenge.parse(["X " + parameters.dropLast().joined(separator: ", ")])
        }
    }

    @Test("Random changes of a field do not trap the parser") func mutations() {
        var generator = SplitMix64(seed: 42)
        let seeds = [
            "Digest realm=\"b\", nonce=\"c\", qop=\"auth\", algorithm=SHA-256, opaque=\"\\\"\"",
            "Negotiate YII=, Basic realm=\"a\", NTLM", "Newauth realm=\"apps\", type=1, title=\"x\"",
        ]
        for round in 0..<20_000 {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0...Int.random(in: 0...4, using: &generator) {
                let position = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[position] = .random(in: .min ... .max, using: &generator)
                case 1: bytes.insert(",\"\\= ".utf8.randomElement(using: &generator) ?? 0, at: position)
                default: if bytes.count > 1 { bytes.remove(at: position) }
                }
            }
            let field = String(decoding: bytes, as: UTF8.self)
            guard let challenges = try? HTTPChallenge.parse([field]) else { continue }
            for challenge in challenges {
                #expect(Set(challenge.parameters.map(\.name)).count == challenge.parameters.count)
                _ = try? AuthenticatorRegistry().authenticator(for: challenge)
            }
        }
    }

    @Test(
        "A message of Negotiate with the state reject is a rejection",
        arguments: [
            ("Negotiate oQcwBaADCgEC", true), ("Negotiate oYEHMIEFoAMKAQI=", true), ("Negotiate oQcwBaADCgEA", false),
            ("Negotiate oQcwBaADCgED", false), ("Negotiate oQcw", false), ("Negotiate oYQ=", false),
            ("Negotiate", false), ("NTLM oQcwBaADCgEC", false), ("Negotiate AAAA", false),
        ])
    func rejection(field: String, isRejection: Bool) throws {
        #expect(try HTTPChallenge.parse([field]).first?.isRejection == isRejection)
    }
}
