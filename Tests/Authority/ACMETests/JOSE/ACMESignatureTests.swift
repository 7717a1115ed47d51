// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import Crypto
import CryptoExtras
import Foundation
import Secrets
import Testing
import X509

@Suite struct ACMESignatureTests {
    enum Kind: CaseIterable {
        case p256, p384, p521, rsa, ed25519

        func key() throws -> Certificate.PrivateKey {
            switch self {
            case .p256: .init(P256.Signing.PrivateKey())
            case .p384: .init(P384.Signing.PrivateKey())
            case .p521: .init(P521.Signing.PrivateKey())
            case .rsa: .init(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            case .ed25519: .init(Curve25519.Signing.PrivateKey())
            }
        }
    }

    @Test("A signature is verified by its public key only", arguments: Kind.allCases)
    func roundTrip(kind: Kind) throws {
        let key = try AccountKey(kind.key())
        let body = try JSONWebSignature.sign(Array("{}".utf8), nonce: "abcd", url: "https://ca.test/new", with: key)
        let read = try JSONWebSignature(body)
        #expect(read.header.signer == .key(key.publicKey))
        #expect(read.header.nonce == "abcd" && read.header.url == "https://ca.test/new")
        #expect(read.payload == Array("{}".utf8))
        try read.verify(with: key.publicKey)
        let other = try AccountKey(kind.key())
        #expect(throws: JWSError.wrongSignature) { try read.verify(with: other.publicKey) }
        let text = String(decoding: body, as: UTF8.self)
        let changed = text.replacing(#""payload":"e30""#, with: #""payload":"e31""#)
        #expect(changed != text)
        #expect(throws: JWSError.self) { try JSONWebSignature(Array(changed.utf8)).verify(with: key.publicKey) }
    }

    @Test("An ECDSA signature in DER is refused") func derSignature() throws {
        let key = P256.Signing.PrivateKey()
        let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"a","url":"b"}"#.utf8))
        let der = try key.signature(for: Data("\(header).".utf8)).derRepresentation
        let body = #"{"protected":"\#(header)","payload":"","signature":"\#(Base64URL.encode(der))"}"#
        let read = try JSONWebSignature(Array(body.utf8))
        let publicKey = try JSONWebKey(.init(key.publicKey))
        #expect(throws: JWSError.wrongSignature) { try read.verify(with: publicKey) }
    }

    @Test(
        "A header must name exactly one signing key and its algorithm",
        arguments: [
            (#"{"alg":"none","kid":"a","url":"b"}"#, JWSError.unsupportedAlgorithm("none")),
            (#"{"alg":"PS256","kid":"a","url":"b"}"#, .unsupportedAlgorithm("PS256")),
            (#"{"alg":"ES256","url":"b"}"#, .malformed(.signer)),
            (
                #"{"alg":"EdDSA","kid":"a","jwk":{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},"url":"b"}"#,
                .malformed(.signer)
            ),
            (#"{"alg":"ES256","kid":"a"}"#, .malformed(.header)),
            (#"{"alg":"ES256","kid":"a","url":"b","crit":["exp"]}"#, .malformed(.header)),
            (#"{"alg":"ES256","kid":"a","url":"b","b64":false}"#, .malformed(.header)),
            (#"{"alg":"ES256","kid":"a","url":"b","nonce":"a b"}"#, .malformed(.nonce)),
            (#"{"alg":"ES256","kid":"a","url":"b","nonce":"QQ=="}"#, .malformed(.nonce)),
            (#"{"alg":"ES256","jwk":{"kty":"oct"},"url":"b"}"#, .unusableKey),
            ("[]", .malformed(.header)),
        ])
    func headers(header: String, error: JWSError) {
        let body = #"{"protected":"\#(Base64URL.encode(Array(header.utf8)))","payload":"","signature":"AA"}"#
        #expect(throws: error) { try JSONWebSignature(Array(body.utf8)) }
    }

    @Test(
        "A body must have the three parts and no other signature",
        arguments: [
            ("", JWSError.malformed(.body)), ("[]", .malformed(.body)),
            (#"{"protected":"e30","payload":""}"#, .malformed(.body)),
            (#"{"protected":"e30","payload":"","signature":"","header":{}}"#, .malformed(.body)),
            (#"{"protected":"e30","payload":"","signature":"","header":null}"#, .malformed(.body)),
            (#"{"protected":"e30","payload":"","signature":"","signatures":null}"#, .malformed(.body)),
            (#"{"protected":"e30","payload":"","signature":"","signatures":[]}"#, .malformed(.body)),
            (#"{"protected":"e30=","payload":"","signature":""}"#, .malformed(.header)),
        ])
    func bodies(body: String, error: JWSError) {
        #expect(throws: error) { try JSONWebSignature(Array(body.utf8)) }
    }

    @Test("A body of more than 128 KiB is refused") func size() {
        #expect(throws: JWSError.tooLarge) { try JSONWebSignature([UInt8](repeating: 32, count: 131_073)) }
    }

    @Test("A public key cannot be used as an HS256 secret, and HS256 is accepted only for bindings") func confusion()
        throws
    {
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let external = ExternalAccount(identifier: "kid-1", key: Secret("0123456789abcdef0123456789abcdef"))
        let read = try JSONWebSignature(JSONWebSignature.bind(key.publicKey, to: external, url: "https://ca.test/"))
        try read.verify(with: external.key)
        #expect(throws: JWSError.wrongSignature) { try read.verify(with: Secret("another")) }
        #expect(throws: JWSError.unsupportedAlgorithm("HS256")) { try read.verify(with: key.publicKey) }
        let own = try JSONWebSignature(JSONWebSignature.sign([], url: "https://ca.test/", with: key))
        #expect(throws: JWSError.unsupportedAlgorithm("ES256")) { try own.verify(with: external.key) }
        #expect(try JSONDecoder().decode(JSONWebKey.self, from: Data(read.payload)) == key.publicKey)
    }

    @Test(
        "A repeated member is refused, whatever its value and escapes",
        arguments: [
            #"{"alg":"none","alg":"ES256","kid":"a","url":"b"}"#, #"{"alg":"ES256","alg":"ES256","kid":"a","url":"b"}"#,
            #"{"alg":"ES256","kid":"a","url":"b","url" : "c"}"#, #"{"alg":"ES256","kid":"a","url":"b","ur\u006c":"c"}"#,
            #"{"alg":"ES256","kid":"a","url":"b","x":{"y":[{"z":1,"z":2}]}}"#,
            #"{"alg":"EdDSA","url":"b","jwk":{"kty":"OKP","kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}"#,
        ])
    func duplicates(header: String) {
        let body = #"{"protected":"\#(Base64URL.encode(Array(header.utf8)))","payload":"","signature":"AA"}"#
        #expect(throws: JWSError.malformed(.header)) { try JSONWebSignature(Array(body.utf8)) }
    }

    @Test(
        "A name is not repeated if it is also a value, or occurs in two objects",
        arguments: [
            #"{"alg":"ES256","kid":"alg","url":"url"}"#,
            #"{"alg":"ES256","kid":"a","url":"b","x":{"alg":1},"y":{"alg":2}}"#,
            #"{"alg":"ES256","kid":"a","url":"b\":\"url","x":["url","url"]}"#,
        ])
    func singles(header: String) throws {
        let body = #"{"protected":"\#(Base64URL.encode(Array(header.utf8)))","payload":"","signature":"AA"}"#
        #expect(try JSONWebSignature(Array(body.utf8)).header.algorithm == .es256)
    }

    @Test("A body with a repeated part is refused") func duplicatePart() throws {
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let body = try JSONWebSignature.sign([], url: "https://ca.test/", with: key)
        let text = String(decoding: body, as: UTF8.self).dropLast() + #","payload":"e30"}"#
        #expect(throws: JWSError.malformed(.body)) { try JSONWebSignature(Array(text.utf8)) }
    }

    @Test(
        "Every critical extension is refused",
        arguments: [
            #""crit":["exp"],"exp":1"#, #""crit":["exp","exp"],"exp":1"#, #""crit":[]"#, #""crit":null"#,
            #""crit":"exp""#,
            #""crit":["nonce"],"nonce":"QUJD""#, #""crit":["b64"],"b64":true"#,
        ])
    func critical(members: String) {
        let header = #"{"alg":"ES256","kid":"a","url":"b",\#(members)}"#
        let body = #"{"protected":"\#(Base64URL.encode(Array(header.utf8)))","payload":"","signature":"AA"}"#
        #expect(throws: JWSError.malformed(.header)) { try JSONWebSignature(Array(body.utf8)) }
    }

    @Test(
        "A private key in the header is refused",
        arguments: [
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":""}"#,
            #"{"kty":"oct","k":"AAAA"}"#,
        ])
    func privateKey(key: String) {
        let header = #"{"alg":"ES256","jwk":\#(key),"url":"b"}"#
        let body = #"{"protected":"\#(Base64URL.encode(Array(header.utf8)))","payload":"","signature":"AA"}"#
        #expect(throws: JWSError.unusableKey) { try JSONWebSignature(Array(body.utf8)) }
    }

    @Test("Padding in any part is refused", arguments: ["protected", "payload", "signature"])
    func padding(part: String) throws {
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let body = try JSONWebSignature.sign(Array("{}".utf8), url: "https://ca.test/", with: key)
        var parts = try JSONDecoder().decode([String: String].self, from: Data(body))
        parts[part, default: ""] += "=="
        let padded = try JSONEncoder().encode(parts)
        let error: JWSError =
            part == "protected"
            ? .malformed(.header) : part == "payload" ? .malformed(.payload) : .malformed(.signature)
        #expect(throws: error) { try JSONWebSignature(padded) }
    }

    @Test("A signature of a wrong length is refused", arguments: Kind.allCases)
    func lengths(kind: Kind) throws {
        let key = try AccountKey(kind.key())
        let body = try JSONWebSignature.sign(Array("{}".utf8), url: "https://ca.test/", with: key)
        var parts = try JSONDecoder().decode([String: String].self, from: Data(body))
        let bytes = try #require(parts["signature"].flatMap { Base64URL.decode($0) })
        let half = bytes.count / 2
        var wrongs: [[UInt8]] = [[], [0], Array(bytes.dropLast()), Array(bytes.prefix(half))]
        wrongs += [bytes + [0], [0] + bytes, bytes + bytes, [UInt8](repeating: 0, count: bytes.count)]
        // Each number has an additional leading zero byte, which gives it the length of another curve.
        wrongs.append([0] + Array(bytes.prefix(half)) + [0] + Array(bytes.suffix(half)))
        for wrong in wrongs {
            parts["signature"] = Base64URL.encode(wrong)
            let read = try JSONWebSignature(JSONEncoder().encode(parts))
            #expect(throws: JWSError.wrongSignature, "\(wrong.count) bytes") { try read.verify(with: key.publicKey) }
        }
    }

    @Test("A signature with another algorithm's key is refused", arguments: Kind.allCases, Kind.allCases)
    func algorithms(signer: Kind, verifier: Kind) throws {
        let body = try JSONWebSignature.sign([], url: "https://ca.test/", with: AccountKey(signer.key()))
        let read = try JSONWebSignature(body)
        let other = try AccountKey(verifier.key()).publicKey
        let error: JWSError =
            signer == verifier ? .wrongSignature : .unsupportedAlgorithm(read.header.algorithm.rawValue)
        #expect(throws: error) { try read.verify(with: other) }
    }

    @Test("The description of a key contains only its thumbprint") func redaction() throws {
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        #expect("\(key)" == "AccountKey(\(key.publicKey.thumbprint))")
    }
}
