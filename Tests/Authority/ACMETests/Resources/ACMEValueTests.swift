// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import Foundation
import Testing

@Suite struct ACMEIdentifierTests {
    @Test(
        "An address is read in the canonical form of RFC 5952",
        arguments: [
            ("::1", "::1"), ("0:0:0:0:0:0:0:1", "::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:0DB8::00ff", "2001:db8::ff"), ("fe80::", "fe80::"), ("::", "::"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
            ("127.0.0.1", "127.0.0.1"),
        ])
    func addresses(text: String, value: String) {
        #expect(ACMEIdentifier(text) == ACMEIdentifier(type: .ip, value: value))
        #expect(ACMEIdentifier(type: .ip, value: text).canonical?.value == value)
        #expect(ACMEIdentifier(type: .dns, value: text).canonical == nil)
    }

    static let noIdentifiers: [String] = [
        "fe80::1%eth0", "1::2::3", ":::", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1.2.3", "0x7f.0.0.1",
        "127.1",
        "010.0.0.1", "1.2.3.4.5", "1.2.3.4.", "0x7f000001", "2130706433", "example.1", "xn--.", ".example",
        "a.example..",
        "*a.example", "a.*.example", "*.", "*.*", "**.example", "*.[::1]", "*.::1", "münchen.example", "a.example ",
        "a.example\r\n", "a/b.example", "a:80", "http://a.example", "a@b.example", "[a.example]", "a-.example",
        String(repeating: "a.", count: 127) + "aa",
    ]

    @Test("Invalid identifiers have no canonical form, and are refused", arguments: noIdentifiers)
    func refused(text: String) {
        #expect(ACMEIdentifier(text) == nil)
        #expect(ACMEIdentifier(type: .dns, value: text).canonical == nil)
        #expect(ACMEIdentifier(type: .ip, value: text).canonical == nil)
    }

    @Test(
        "A name in A-labels is kept, in lower case",
        arguments: [
            ("XN--Mnchen-3ya.Example", "xn--mnchen-3ya.example"),
            ("*.XN--MNCHEN-3YA.example", "*.xn--mnchen-3ya.example"),
            ("localhost", "localhost"), ("1.example", "1.example"), ("a--b.example", "a--b.example"),
        ])
    func names(text: String, value: String) {
        #expect(ACMEIdentifier(text) == ACMEIdentifier(type: .dns, value: value))
    }

    @Test(
        "A wildcard is authorized by its base domain",
        arguments: [
            ("*.a.example", "a.example", true), ("a.example", "a.example", false), ("192.0.2.1", "192.0.2.1", false),
        ])
    func wildcards(text: String, value: String, isWildcard: Bool) throws {
        let identifier = try #require(ACMEIdentifier(text))
        #expect(identifier.isWildcard == isWildcard)
        #expect(identifier.authorized.value == value)
        #expect(identifier.authorized.type == identifier.type)
    }

    @Test("An identifier of an unknown kind is read, and has no canonical form") func unknownKind() throws {
        let json = #"{"type":"TNAuthList","value":"F83n2a"}"#
        let read = try JSONDecoder().decode(ACMEIdentifier.self, from: Data(json.utf8))
        #expect(read.type.rawValue == "TNAuthList")
        #expect(read.canonical == nil)
        #expect(!ACMEIdentifier(type: read.type, value: "*.a").isWildcard)
    }
}

@Suite struct ACMETimestampTests {
    @Test(
        "A time is read with any offset and any fraction of a second",
        arguments: [
            ("2016-01-05T10:00:00-00:00", 1_451_988_000), ("2016-01-05T04:30:00-05:30", 1_451_988_000),
            ("2016-01-05T10:00:00.5+00:00", 1_451_988_000), ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1),
            ("2016-02-29T00:00:00Z", 1_456_704_000), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ])
    func instants(text: String, seconds: Int) throws {
        #expect(try #require(ACMETimestamp(text)).date == Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    static let noInstants: [String] = [
        "2016-01-05T10:00:00Zjunk", "2016-01-05T10:00:00Z ", " 2016-01-05T10:00:00Z", "20160105T100000Z",
        "2016-13-05T10:00:00Z", "2016-01-32T10:00:00Z", "2016-02-30T10:00:00Z", "2015-02-29T10:00:00Z",
        "2016-01-05T25:00:00Z", "2016-01-05T10:60:00Z", "2016-01-05T10:00:61Z", "2016-01-05T10:00Z",
        "2016.5-01-05T10:00:00Z", "2016-01-05T10.5:00:00Z", "2016-01-05T10:00:00.5", "2016-01-05T10:00:00,5Z",
        "2016-01-05T10:00:00+25:00", "2016-01-05T10:00:00+0100", "2016-1-5T10:00:00Z", "+2016-01-05T10:00:00Z",
        "2016-W01-2T10:00:00Z", "2016-01-05T10:00:00.5.5Z",
        "2016-01-05T10:00:00Z" + String(repeating: "0", count: 64),
    ]

    @Test("Times that RFC 3339 does not allow are refused", arguments: noInstants)
    func refused(text: String) { #expect(ACMETimestamp(text) == nil) }

    @Test("A time is written in UTC without a fraction of a second") func written() throws {
        let stamp = ACMETimestamp(Date(timeIntervalSince1970: 1_451_988_000.9))
        #expect(stamp.text == "2016-01-05T10:00:00Z")
        #expect(ACMETimestamp(stamp.text) == stamp)
        #expect(ACMETimestamp(Date(timeIntervalSince1970: -0.5)).text == "1969-12-31T23:59:59Z")
        #expect(String(decoding: try JSONEncoder().encode([stamp]), as: UTF8.self) == #"["2016-01-05T10:00:00Z"]"#)
    }
}

@Suite struct ACMEKeyAuthorizationTests {
    static let token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA"

    /// The key of RFC 7638 section 3.1.
    static var key: JSONWebKey {
        get throws { try JSONDecoder().decode(JSONWebKey.self, from: Data(ACMEKeyTests.vectors[0].key.utf8)) }
    }

    @Test("The text is the token, a dot and the thumbprint; the record holds its SHA-256") func text() throws {
        let authorization = KeyAuthorization(token: Self.token, key: try Self.key)
        #expect(authorization.text == Self.token + ".NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(authorization.digest.count == 32)
        // The expected value was computed with Python's hashlib.
        #expect(authorization.recordValue == "ZTRx1Ckl1-tM05o5zaizTTA0yUy5AGereMgSNWC6Ll8")
        #expect(Base64URL.decode(authorization.recordValue) == authorization.digest)
    }

    @Test("The path of http-01 and the record name of dns-01 are correct") func places() {
        #expect(KeyAuthorization.path(token: Self.token) == "/.well-known/acme-challenge/" + Self.token)
        #expect(KeyAuthorization.recordName(for: "www.example.org") == "_acme-challenge.www.example.org")
    }

    static let tokenForms: [(String, Bool)] = [
        (String(repeating: "a", count: 21), false), (String(repeating: "a", count: 22), true),
        (String(repeating: "a", count: 256), true), (String(repeating: "a", count: 257), false),
        (String(repeating: "@", count: 22), false), (String(repeating: "[", count: 22), false),
        (String(repeating: "`", count: 22), false), (String(repeating: "{", count: 22), false),
        (String(repeating: ".", count: 22), false), (String(repeating: "é", count: 22), false),
        (String(repeating: "-_", count: 11), true), (String(repeating: "a", count: 21) + "=", false),
        (String(repeating: "a", count: 21) + "\n", false), (String(repeating: "Zz9", count: 8), true),
        (String(repeating: "a", count: 11) + "\u{10}" + String(repeating: "a", count: 11), false),
    ]

    @Test("A token has 22 to 256 characters of base64url", arguments: tokenForms)
    func tokens(text: String, isToken: Bool) { #expect(KeyAuthorization.isToken(text) == isToken) }
}

@Suite struct ACMEProblemTests {
    @Test("A problem of an unknown kind retains its kind, its detail and its subproblems") func unknown() throws {
        let json = """
            {"type":"https://ca.test/errors/moon","detail":"The moon is full.","status":503,"instance":"https://ca.test/x",
             "subproblems":[{"type":"https://ca.test/errors/half","detail":"Half of it.","identifier":
             {"type":"permanent-identifier","value":"7"}},{"type":"urn:ietf:params:acme:error:caa"}],"extra":[1]}
            """
        let read = try JSONDecoder().decode(ACMEProblem.self, from: Data(json.utf8))
        #expect(read.type.rawValue == "https://ca.test/errors/moon")
        #expect(read.detail == "The moon is full." && read.status == 503 && read.instance == "https://ca.test/x")
        let parts = try #require(read.subproblems)
        #expect(parts.map(\.type.rawValue) == ["https://ca.test/errors/half", "urn:ietf:params:acme:error:caa"])
        #expect(parts[0].identifier?.type.rawValue == "permanent-identifier")
        #expect(parts[1].identifier == nil && parts[1].detail == nil)
    }

    @Test(
        "A problem with unreadable subproblems is read without them",
        arguments: [
            #""subproblems":{}"#, #""subproblems":[7]"#, #""subproblems":null"#, #""algorithms":["none"]"#,
            #""status":"x""#,
            #""detail":7"#,
        ])
    func unreadable(member: String) throws {
        let json = #"{"type":"urn:ietf:params:acme:error:dns",\#(member)}"#
        let read = try JSONDecoder().decode(ACMEProblem.self, from: Data(json.utf8))
        #expect(read == ACMEProblem(.dns))
    }

    @Test(
        "The short name of a kind is the last part of its URI",
        arguments: [
            (ACMEProblem.Kind.badNonce, "badNonce"), (.init(rawValue: "about:blank"), "blank"),
            (.init(rawValue: ""), ""),
            (.init(rawValue: "urn:ietf:params:acme:error:"), "error"),
        ])
    func names(kind: ACMEProblem.Kind, name: String) { #expect(kind.name == name) }

    @Test("A problem is written with the URI of its kind") func written() throws {
        let problem = ACMEProblem(
            .rejectedIdentifier, "No.", status: 400,
            subproblems: [.init(.caa, "CAA forbids.", identifier: ACMEIdentifier("a.example"))], algorithms: [.es256])
        let data = try JSONEncoder().encode(problem)
        #expect(try JSONDecoder().decode(ACMEProblem.self, from: data) == problem)
        #expect(String(decoding: data, as: UTF8.self).contains(#""urn:ietf:params:acme:error:rejectedIdentifier""#))
    }
}
