// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import Crypto
import Foundation
import Testing
import X509

@Suite struct ACMEResourceTests {
    @Test(
        "Times in every form of RFC 3339 are read",
        arguments: [
            ("2016-01-05T10:00:00Z", 1_451_988_000), ("2016-01-05t10:00:00z", 1_451_988_000),
            ("2016-01-05T10:00:00.123456789Z", 1_451_988_000), ("2016-01-05T12:00:00+02:00", 1_451_988_000),
        ])
    func instants(text: String, seconds: Int) throws {
        let read = try #require(ACMETimestamp(text))
        #expect(read.date == Date(timeIntervalSince1970: TimeInterval(seconds)))
        #expect(read.text == "2016-01-05T10:00:00Z")
    }

    @Test(
        "Invalid times are refused",
        arguments: ["", "2016-01-05", "2016-01-05T10:00:00", "2016-01-05T10:00:00.Z", "x"])
    func noInstants(text: String) { #expect(ACMETimestamp(text) == nil) }

    @Test(
        "Names are read in canonical form",
        arguments: [
            ("Www.Home.Example", ACMEIdentifier.Kind.dns, "www.home.example"),
            ("*.home.example", .dns, "*.home.example"),
            ("192.0.2.1", .ip, "192.0.2.1"), ("2001:DB8:0:0::1", .ip, "2001:db8::1"),
        ])
    func names(text: String, kind: ACMEIdentifier.Kind, value: String) {
        #expect(ACMEIdentifier(text) == ACMEIdentifier(type: kind, value: value))
    }

    @Test(
        "Invalid names are refused",
        arguments: [
            "", "a b", "home.example.", "*.*.home.example", "*", "*.192.0.2.1", "w*.home.example", "[::1]", "a..b",
            "256.1.1.1",
            "-a.example", "a_b.example", "home.example\u{0}", "höme.example",
        ])
    func noNames(text: String) { #expect(ACMEIdentifier(text) == nil) }

    @Test("An identifier is canonical only with its own type") func types() {
        #expect(ACMEIdentifier(type: .dns, value: "192.0.2.1").canonical == nil)
        #expect(ACMEIdentifier(type: .ip, value: "home.example").canonical == nil)
        #expect(ACMEIdentifier(type: .dns, value: "HOME.example").canonical?.value == "home.example")
    }

    @Test("The certificate identifier of RFC 9773's example is read and written") func renewalIdentifier() throws {
        let text = "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE"
        let read = try #require(CertificateIdentifier(text))
        #expect(read.serialNumber == [0x00, 0x87, 0x65, 0x43, 0x21])
        #expect(read.authorityKey.prefix(3) == [0x69, 0x88, 0x5B])
        #expect(read.description == text)
        #expect(Array(read.number.bytes) == [0x87, 0x65, 0x43, 0x21])
    }

    @Test(
        "Invalid certificate identifiers are refused",
        arguments: ["", ".", "a.b.c", "aYhb.", ".AIdl", "aYhb.h2VDIQ", "aYhb=.AIdl"])
    func noRenewalIdentifier(text: String) { #expect(CertificateIdentifier(text) == nil) }

    @Test(
        "The renewal window is 2 % of the validity, when a third of it is left, or half of a short one",
        arguments: [
            (90, 60.0), (45, 30.0), (6, 3.0),
        ])
    func window(days: Int, start: Double) {
        let from = Date(timeIntervalSince1970: 1_800_000_000)
        let window = RenewalInfo(validFrom: from, to: from + Double(days) * 86_400).suggestedWindow
        #expect(abs(window.start.timeIntervalSince(from) - start * 86_400) < 2)
        #expect(abs(window.end.timeIntervalSince(window.start) - Double(days) * 1_728) < 2)
    }

    @Test("A problem with unknown members is read") func problems() throws {
        let json = #"{"type":"urn:ietf:params:acme:error:badNonce","status":"400","subproblems":7,"more":[{}]}"#
        let read = try JSONDecoder().decode(ACMEProblem.self, from: Data(json.utf8))
        #expect(read.type == .badNonce && read.status == nil && read.subproblems == nil)
        #expect(try JSONDecoder().decode(ACMEProblem.self, from: Data("{}".utf8)).type.rawValue == "about:blank")
    }

    @Test("Unknown challenges and members are ignored") func unknown() throws {
        let json = """
            {"identifier":{"type":"dns","value":"a.test"},"status":"pending","new":1,
             "challenges":[{"type":"device-attest-01","url":"u","status":"pending"},
                           {"type":"http-01","url":"u","status":"pending","token":"t"}]}
            """
        let read = try JSONDecoder().decode(ACMEAuthorization.self, from: Data(json.utf8))
        #expect(read.challenges.map(\.type.rawValue) == ["device-attest-01", "http-01"])
    }

    @Test(
        "A token must be base64url of at least 128 bits",
        arguments: [
            ("evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA", true), ("../../../../etc/passwd__", false),
            ("short", false), ("evaGxfADs6pSRb2LAv9IZf/7Dt3juxGJ", false), ("evaGxfADs6pSRb2LAv9IZf 7Dt3juxGJ", false),
        ])
    func tokens(text: String, isToken: Bool) { #expect(KeyAuthorization.isToken(text) == isToken) }
}

@Suite struct ACMEValidationCertificateTests {
    @Test(
        "A tls-alpn-01 certificate proves only its own name and key authorization",
        arguments: ["www.home.example", "192.0.2.1", "2001:db8::1"])
    func proof(name: String) throws {
        let identifier = try #require(ACMEIdentifier(name))
        let key = try JSONWebKey(.init(P256.Signing.PrivateKey().publicKey))
        let authorization = KeyAuthorization(token: "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ", key: key)
        let certificate = try ValidationCertificate.make(
            for: identifier, proving: authorization, key: .init(P256.Signing.PrivateKey()), now: Date())
        #expect(ValidationCertificate.proves(authorization, in: certificate, for: identifier))
        let other = try #require(ACMEIdentifier("other.example"))
        #expect(!ValidationCertificate.proves(authorization, in: certificate, for: other))
        let otherToken = KeyAuthorization(token: "evaGxfADs6pSRb2LAv9IZf17Dt3juxGK", key: key)
        #expect(!ValidationCertificate.proves(otherToken, in: certificate, for: identifier))
    }

    @Test(
        "An address is requested by its name in the reverse zone",
        arguments: [
            ("192.0.2.1", "1.2.0.192.in-addr.arpa"),
            ("2001:db8::1", "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"),
            ("www.home.example", "www.home.example"),
        ])
    func serverNames(name: String, serverName: String) throws {
        #expect(ValidationCertificate.serverName(for: try #require(ACMEIdentifier(name))) == serverName)
    }
}
