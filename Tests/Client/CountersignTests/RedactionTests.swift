// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Testing

@testable import Countersign

@Suite struct RedactionTests {
    @Test(
        "Secrets are redacted in header fields",
        arguments: [
            ("Authorization", "Basic bGFiOng=", "Basic <redacted>"),
            ("Authorization", "secret", "<redacted>"),
            ("Authorization", "secret with space", "<redacted>"),
            ("Proxy-Authorization", "NTLM TlRM", "NTLM <redacted>"),
            ("Cookie", "id=secret; secret; b = c", "id=<redacted>; <redacted>; b=<redacted>"),
            ("Set-Cookie", "id=secret; Path=/; HttpOnly; secret", "id=<redacted>; Path=/; HttpOnly; <redacted>"),
            ("Set-Cookie", "", "<redacted>"),
            ("Authentication-Info", "rspauth=\"secret\"", "<redacted>"),
            ("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\"", "Digest realm=\"r\", nonce=\"n\""),
            ("X-Api-Key", "secret", "<redacted>"),
            ("X-CSRF-Token", "secret", "<redacted>"),
            ("Ocp-Apim-Subscription-Key", "secret", "<redacted>"),
            ("X-Functions-Key", "secret", "<redacted>"),
            ("Private-Token", "secret", "<redacted>"),
            ("X-Amz-Security-Token", "secret", "<redacted>"),
            ("X-Vault-Token", "secret", "<redacted>"),
            ("DPoP", "secret", "<redacted>"),
            ("Api-Secret", "secret", "<redacted>"),
            // The exceptions that SecretNames lists.
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("Idempotency-Key", "7", "7"),
            ("Surrogate-Key", "7", "7"),
            ("Refresh", "5; url=https://u:secret@a.test/?token=secret", "5; url=https://a.test/?token=redacted"),
            ("X-Note", "see //u:secret@a.test/ and //v:secret@b.test/", "see //a.test/ and //b.test/"),
            (
                "Location", "https://u:secret@a.test/?code=secret&q=1#id_token=secret",
                "https://a.test/?code=redacted&q=1#id_token=redacted"
            ),
            ("Link", "<https://a.test/?sig=secret>; rel=next", "<https://a.test/?sig=redacted>; rel=next"),
            ("Accept", "text/html;q=0.9", "text/html;q=0.9"),
        ])
    func fields(name: String, value: String, shown: String) throws {
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: value)
        #expect(Redaction.fields(HTTPFields([field])).first?.value == shown)
    }

    @Test(
        "The excerpt of a text body is one line without values that look secret",
        arguments: [
            ("text/plain", " No such\r\n\titem.\n", "No such item."),
            ("text/plain; charset=iso-8859-1", "caf\u{FFFD}", "caf\u{EF}\u{BF}\u{BD}"),
            ("text/plain", "password=secret&user=mary", "password=<redacted>&user=mary"),
            ("text/plain", "Authorization: Basic secret\nHost: a.test", "Authorization: <redacted> Host: a.test"),
            ("text/plain", "401 Authorization Required", "401 Authorization Required"),
            ("text/plain", "see https://mary:secret@a.test/?token=secret", "see https://a.test/?token=<redacted>"),
            ("text/plain", "key 0123456789abcdef0123 of 7", "key <redacted> of 7"),
            ("application/json", #"{"error":"no","api_key": "se\"cret"}"#, #"{"error":"no","api_key": "<redacted>"}"#),
            ("application/problem+json", #"{"pin": 1234}"#, #"{"pin": <redacted>}"#),
            ("text/json", #""{\"token\":\"secret\"}""#, #""{\"token\":\"<redacted>"}""#),
            ("text/plain", ":password=>'secret', :user", ":password=>'<redacted>', :user"),
            ("application/xml", "<a><Password>secret</Password></a>", "<a><Password><redacted></Password></a>"),
            ("text/html", "<html><style>p{x:y}</style><h1>400 Bad\nRequest</h1><hr>nginx", "400 Bad Request nginx"),
            ("text/html", "<td>Cookie</td><td>id=secret</td><td>Host</td>", "Cookie <redacted> Host"),
            ("text/html", "<p>no<script>var t = 'secret'", "no"),
            ("text/plain", String(repeating: "a", count: 201), String(repeating: "a", count: 200) + "…"),
            ("text/plain", " ", nil), ("image/png", "text", nil), (nil, "text", nil), ("text", "text", nil),
        ] as [(String?, String, String?)])
    func excerpts(type: String?, body: String, shown: String?) {
        #expect(Redaction.excerpt(of: Array(body.utf8), type) == shown)
    }

    @Test(
        "Secrets are redacted in URLs",
        arguments: [
            ("https://a.test/", "https://a.test/"),
            ("https://mary:secret@a.test/x", "https://a.test/x"),
            ("https://a.test/?q=1&Access_Token=secret&b", "https://a.test/?q=1&Access_Token=redacted&b"),
            ("https://a.test/?X-Amz-Signature=secret", "https://a.test/?X-Amz-Signature=redacted"),
            ("https://a.test/?t%6Fken=secret", "https://a.test/?t%6Fken=redacted"),
            ("https://a.test/a;jsessionid=secret?q=1", "https://a.test/a;jsessionid=redacted?q=1"),
            ("https://a.test/?token", "https://a.test/?token"),
            ("https://a.test/?subscription-key=secret&v=1", "https://a.test/?subscription-key=redacted&v=1"),
            ("https://a.test/?user[password]=secret", "https://a.test/?user[password]=redacted"),
            ("https://a.test/#access_token=secret&x=1", "https://a.test/#access_token=redacted&x=1"),
            ("https://a.test/?author=Tolkien&sp=2", "https://a.test/?author=Tolkien&sp=2"),
            // The parameters of a shared access signature are redacted if the URL contains the signature.
            (
                "https://a.test/?sv=2024&SE=2027&sp=r&sig=secret",
                "https://a.test/?sv=redacted&SE=redacted&sp=redacted&sig=redacted"
            ),
            ("https://a.test/?GoogleAccessId=me&Expires=1", "https://a.test/?GoogleAccessId=redacted&Expires=1"),
            ("https://a.test/?=&=&?", "https://a.test/?=&=&?"),
        ])
    func urls(url: String, shown: String) {
        #expect(Redaction.url(url) == shown)
    }
}
