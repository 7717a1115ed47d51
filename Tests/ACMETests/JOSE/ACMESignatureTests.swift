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

    @Test("What a key signs, its public key verifies, and no other", arguments: Kind.allCases)
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
        "A header says exactly who signs, and by which algorithm",
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
        "A body has the three parts and no other signature",
        arguments: [
            ("", JWSError.malformed(.body)), ("[]", .malformed(.body)),
            (#"{"protected":"e30","payload":""}"#, .malformed(.body)),
            (#"{"protected":"e30","payload":"","signature":"","header":{}}"#, .malformed(.body)),
            (#"{"protected":"e30","payload":"","signature":"","signatures":[]}"#, .malformed(.body)),
            (#"{"protected":"e30=","payload":"","signature":""}"#, .malformed(.header)),
        ])
    func bodies(body: String, error: JWSError) {
        #expect(throws: error) { try JSONWebSignature(Array(body.utf8)) }
    }

    @Test("A body has at most 128 KiB") func size() {
        #expect(throws: JWSError.tooLarge) { try JSONWebSignature([UInt8](repeating: 32, count: 131_073)) }
    }

    @Test("A public key is no secret for HS256, and HS256 verifies bindings alone") func confusion() throws {
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

    @Test("A key prints its thumbprint alone") func redaction() throws {
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        #expect("\(key)" == "AccountKey(\(key.publicKey.thumbprint))")
    }
}
