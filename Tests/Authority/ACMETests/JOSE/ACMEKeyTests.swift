// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import ACME
import Crypto
import CryptoExtras
import Foundation
import Testing
import X509

@Suite struct ACMEBase64URLTests {
    @Test("Bytes are encoded without padding, and decoded again", arguments: 0...67)
    func roundTrip(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ 251) }
        let text = Base64URL.encode(bytes)
        #expect(
            text
                == Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                    "=", with: ""))
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test(
        "Padding, another alphabet and nonzero trailing bits are refused",
        arguments: [
            "QQ==", "QQ=", "Q", "QR", "QUI+", "QUI/", "QU I", "QUJD\n", "QUF", "é",
        ])
    func refused(text: String) { #expect(Base64URL.decode(text) == nil) }
}

@Suite struct ACMEKeyTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let key: String
        var thumbprint: String?
        var input: String?
        var signature: String?
    }

    static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    static let vectors = [
        Vector(
            testDescription: "RFC 7638 section 3.1",
            key: """
                {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc\
                _BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQM\
                icAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksIN\
                HaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}
                """,
            thumbprint: "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"),
        Vector(
            testDescription: "RFC 7515 appendix A.2",
            key: """
                {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1\
                Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBY\
                UsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco\
                9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
                """,
            input: "eyJhbGciOiJSUzI1NiJ9." + claims,
            signature: """
                cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdb\
                F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383\
                LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy\
                wlVmtVrBp0igcN_IoypGlUPQGe77Rw
                """),
        Vector(
            testDescription: "RFC 7515 appendix A.3",
            key: """
                {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
                """,
            input: "eyJhbGciOiJFUzI1NiJ9." + claims,
            signature: "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"),
        Vector(
            testDescription: "RFC 8037 appendix A",
            key: #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            thumbprint: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
            input: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            signature: "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"),
    ]

    @Test(
        "The RFCs' keys have the given thumbprints, and verify the given signatures but no changed ones",
        arguments: vectors)
    func published(vector: Vector) throws {
        let key = try JSONDecoder().decode(JSONWebKey.self, from: Data(vector.key.utf8))
        if let thumbprint = vector.thumbprint { #expect(key.thumbprint == thumbprint) }
        #expect(try JSONDecoder().decode(JSONWebKey.self, from: JSONEncoder().encode(key)) == key)
        guard let input = vector.input, let text = vector.signature else { return }
        var signature = try #require(Base64URL.decode(text))
        #expect(key.isValidSignature(signature, for: Array(input.utf8)))
        #expect(!key.isValidSignature(signature, for: Array((input + "A").utf8)))
        signature[3] ^= 1
        #expect(!key.isValidSignature(signature, for: Array(input.utf8)))
    }

    @Test(
        "Invalid keys are refused",
        arguments: [
            #"{"kty":"oct","k":"AAAA"}"#,
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a1"}"#,
            #"{"kty":"EC","crv":"P-384","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
            #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHUQ"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}"#,
            #"{"kty":"RSA","n":"u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u","e":"AQAB"}"#,
            #"{"kty":"RSA","n":"","e":""}"#, #"{"kty":"RSA","n":"AAAA","e":"AQAB"}"#, "{}", "[]",
        ])
    func refused(json: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(JSONWebKey.self, from: Data(json.utf8)) }
    }

    @Test("An RSA key with leading zero bytes is refused") func minimal() throws {
        let key = try JSONWebKey(.init(_RSA.Signing.PrivateKey(keySize: .bits2048).publicKey))
        guard case .rsa(let e, let n) = key.members else {
            Issue.record("it is another kind of key")
            return
        }
        let padded = #"{"kty":"RSA","n":"\#(Base64URL.encode([0] + n))","e":"\#(Base64URL.encode(e))"}"#
        #expect(throws: (any Error).self) { try JSONDecoder().decode(JSONWebKey.self, from: Data(padded.utf8)) }
    }
}
