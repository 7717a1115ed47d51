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
            ("PHPSESSID", "secret", "<redacted>"),
            ("Db-Pass", "secret", "<redacted>"),
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

    @Test("No rule for secret names applies to the names of frequent fields", arguments: Redaction.frequentNames)
    func frequentNames(name: HTTPField.Name) {
        #expect(!SecretNames.contain(name.canonicalName))
    }

    @Test(
        "The excerpt of a text body is one line without values that look secret",
        arguments: [
            ("text/plain", " No such\r\n\titem.\n", "No such item."),
            ("text/plain; charset=iso-8859-1", "caf\u{FFFD}", "caf\u{EF}\u{BF}\u{BD}"),
            ("text/plain", "id 0123456789abcdef0123 of 7", "id <redacted> of 7"),
            ("text/plain", "got eyJhbGci.x and AKIAIOSFODNN7EXAMPLE", "got <redacted> and <redacted>"),
            (
                "text/plain", "of /srv/data/2024/items, wJalrXUtnFEMI/MDENG/bPxRfiCYEXAMPLEDATA+u7",
                "of /srv/data/2024/items, <redacted>"
            ),
            ("text/plain", "org.example.db.CannotOpenException: no", "org.example.db.CannotOpenException: no"),
            ("text/html", "<html><style>p{x:y}</style><h1>400 Bad\nRequest</h1><hr>nginx", "400 Bad Request nginx"),
            ("text/html", "<p>no<script>var t = 'secret'", "no"),
            ("application/problem+json", #"{"title":"No","detail":"7 items"}"#, #"{"title":"No","detail":"7 items"}"#),
            ("application/xml", "<a><b>7 items</b></a>", "<a><b>7 items</b></a>"),
            ("text/plain", String(repeating: "a", count: 201), String(repeating: "a", count: 200) + "…"),
            ("text/plain", " ", nil), ("image/png", "text", nil), (nil, "text", nil), ("text", "text", nil),
        ] as [(String?, String, String?)])
    func excerpts(type: String?, body: String, shown: String?) {
        #expect(Redaction.excerpt(of: Array(body.utf8), type) == shown)
    }

    @Test(
        "If a text mentions a secret, its excerpt has only sentences, and ends before the first word that may be a value",
        arguments: [
            ("text/plain", "password=secret&user=mary", nil), ("text/plain", ":password=>'secret', :user", nil),
            ("text/plain", "Authorization: Basic secret\nHost: a.test", "Authorization:…"),
            ("text/plain", "401 Authorization Required", "401 Authorization Required"),
            ("text/plain", "see https://mary:secret@a.test/?token=secret", "see…"),
            ("text/plain", "Wrong key 0123 of 7", "Wrong key…"),
            ("text/plain", "Invalid API key: sk_live_51H8xyz", "Invalid API key:…"),
            ("text/plain", "Your session has expired.", "Your session has expired."),
            ("text/plain", "Error at node 12: wrong password", "Error at node 12: wrong password"),
            ("application/json", #"{"error":"no","api_key": "se\"cret"}"#, "no"),
            ("application/json", #"{"message":"Bad credentials","url":"https://a.test"}"#, "Bad credentials"),
            (
                "application/json", #"{"message":["The password must have 8 characters"]}"#,
                "The password must have 8 characters"
            ),
            (
                "application/json", #"{"error":"invalid_token","error_description":"It expired"}"#,
                "invalid_token It expired"
            ),
            ("application/json", #"{"errors":[{"msg":"too short","loc":["password"]}]}"#, "too short"),
            ("application/json", #"{"pin": 1234}"#, nil), ("text/json", #""{\"token\":\"secret\"}""#, nil),
            ("application/json", #"{"error":"no","api_key": "se"#, nil),
            ("application/xml", "<a><Password>secret</Password></a>", nil),
            (
                "application/xml", "<Error><Message>The specified key does not exist.</Message><Key>x</Key></Error>",
                "The specified key does not exist."
            ),
            ("text/html", "<td>Cookie</td><td>id=secret</td><td>Host</td>", "Cookie…"),
            (
                "text/html", "<title>401 Authorization Required</title><h1>401 Authorization Required</h1><hr>nginx/1",
                "401 Authorization Required…"
            ),
            (
                "text/html",
                "<title>401 - Unauthorized: Access is denied due to invalid credentials.</title><h1>Server",
                "401 - Unauthorized: Access is denied due to invalid credentials. Server"
            ),
            ("text/html", "<title>Bad gateway</title><input name=token value='a>b'>", "Bad gateway…"),
        ] as [(String, String, String?)])
    func sentences(type: String, body: String, shown: String?) {
        #expect(Redaction.excerpt(of: Array(body.utf8), type) == shown)
    }

    @Test(
        "A code or a state is shown if it is a number or an identifier in lowercase",
        arguments: [
            ("text/plain", "Error code: 42, disk full", "Error code: 42, disk full"),
            ("text/plain", "code: 482913", "code:…"), ("application/json", #"{"code":"482913","error":"no"}"#, "no"),
            ("application/json", #"{"code":"invalid_name"}"#, #"{"code":"invalid_name"}"#),
            ("application/json", #"{"error":{"code": 404,"x":1}}"#, #"{"error":{"code": 404,"x":1}}"#),
            ("application/json", #"{"body":"{\"state\":\"open\"}"}"#, #"{"body":"{\"state\":\"open\"}"}"#),
            ("application/json", #"{"code":"SplxlOBeZQQYbYS6WxSbIA","error":"no"}"#, "no"),
            ("application/json", #"{"code":"4/0AX4XfWh","error":"no"}"#, "no"),
            ("application/json", #"{"code":["SplxlO"],"error":"no"}"#, "no"),
            ("application/json", "{\"error\":\"no\",\"state\":\"\(String(repeating: "a", count: 41))\"}", "no"),
            ("text/html", "<td>State</td><td>SplxlO</td>", "State…"),
        ] as [(String, String, String?)])
    func codes(type: String, body: String, shown: String?) {
        #expect(Redaction.excerpt(of: Array(body.utf8), type) == shown)
    }

    @Test(
        "A secret never appears in the excerpt of a text that says what it is",
        arguments: [
            ("application/json", #"{"title":"no","password":"§"}"#), ("application/json", #"{"password":["§"]}"#),
            ("application/json", #"{"password":{"value":"§"}}"#), ("application/json", #"{"a":"b","token":[§,"§"]"#),
            ("application/json", #"{"headers":{"Authorization":["Basic §"]}}"#),
            ("application/json", #"[["Authorization","Basic §"],["Host","a.test"]]"#),
            ("application/json", #"{"error":{"message":"no","headers":{"authorization":"Bearer §"}}}"#),
            ("application/json", #"{"detail":[{"loc":["body","password"],"msg":"too short","input":"§"}]}"#),
            ("application/json", #"{"rejectedValue":"§","field":"password","message":"too short"}"#),
            ("application/json", #"{"name":"password","value":"§"}"#), ("application/json", #"["§","password"]"#),
            ("application/json", #"{"errors":{"password":["§ is too short"]}}"#),
            ("application/json", #"{"message":"§ is too short","field":"password"}"#),
            ("application/json", #"{"message":"The password \"§\" is wrong"}"#),
            ("application/json", #"{"body":"{\"password\":\"§\"}"}"#),
            ("application/json", #"{"body":"\u007b\u0022pin\u0022:\u0022§"}"#),
            ("application/json", #"{"request":"POST / HTTP/1.1\r\npin: §\r\n"}"#),
            ("application/problem+json", #"{"title":"no","detail":"Unknown key §","status":400}"#),
            ("application/xml", "<a><title>no</title><Password>§</Password></a>"), ("text/xml", "<a password='§'/>"),
            ("application/soap+xml", "<s:Fault><wsse:Password Type='x'>§</wsse:Password></s:Fault>"),
            ("text/xml", "<s:Fault><faultstring>The token § is unknown.</faultstring></s:Fault>"),
            ("application/xml", "<e><value>§</value><field>password</field></e>"),
            ("application/xml", "<Error><Message>No such key: §</Message><AWSAccessKeyId>§</AWSAccessKeyId></Error>"),
            ("text/html", "<p>no</p><td class=k>Cookie</td><td class=v><code>sid=§</code></td>"),
            ("text/html", "<dt>HTTP_AUTHORIZATION</dt><dd>'Basic §'</dd>"), ("text/html", "<!-- a>b pin: § -->"),
            ("text/html", "<input type=hidden name=csrf_token value='>§'>"),
            ("text/html", "<pre>Authorization: Basic §\nX: y</pre>"),
            ("text/plain", "user=mary&password=§"), ("text/plain", "value=§&field=password"),
            ("text/plain", "user: mary\npassword: §\n"), ("text/plain", "password:\n  - §\n"),
            ("text/plain", "value: §\nname: password\n"), ("text/plain", "Set-Cookie: id=§; Path=/"),
            ("text/plain", "Cookie: PHPSESSID=§"), ("text/plain", "DB_PASS=§ DB_USER=mary"),
            ("text/plain", "The password \"§\" is wrong"), ("text/plain", "login failed: password is §"),
            ("text/plain", "Authorization Bearer §"), ("text/plain", "scheme Basic §"),
            ("text/plain", "[('Authorization', 'Basic §')]"), ("text/plain", "-----BEGIN PRIVATE KEY-----\n§\n"),
            ("text/plain", #"{"password": ["§"]}"#), ("text/plain", "see https://a.test/?access_token=§"),
        ])
    func secrets(type: String, template: String) {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        for alphabet in [letters, letters.uppercased(), "0123456789abcdef", "\(letters.uppercased())\(letters)0189+/"] {
            for _ in 0..<20 {
                let secret = String((0..<Int.random(in: 8...48)).compactMap { _ in alphabet.randomElement() })
                let body = template.replacing("§", with: secret)
                #expect(Redaction.excerpt(of: Array(body.utf8), type)?.contains(secret) != true)
            }
        }
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
            // A combining mark belongs to the same character as the delimiter before it.
            ("https://a.test/?\u{301}token=secret&\u{301}x", "https://a.test/?\u{301}token=redacted&\u{301}x"),
        ])
    func urls(url: String, shown: String) {
        #expect(Redaction.url(url) == shown)
    }
}
