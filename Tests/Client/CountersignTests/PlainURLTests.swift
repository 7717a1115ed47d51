// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import Countersign

@Suite struct PlainURLTests {
    @Test(
        "A plain URL is parsed as by the general parser",
        arguments: [
            "http://a.test", "https://a.test/", "https://A.test:443/x?y=1", "https://a.test:8443/a/../b//",
            "http://127.0.0.1?q", "https://a_b.c-d.test./?", "http://a.test:0080/?a=/?:@b",
            "https://a.test/;p=1,2!$&'()*+~-._",
        ])
    func plain(text: String) throws {
        let plain = try #require(HTTPURL(plain: text))
        let (url, userInfo) = try HTTPURL.parseAny(text)
        #expect(plain == url)
        #expect(plain.description == url.description)
        #expect(userInfo == nil)
    }

    @Test(
        "Any other URL is left to the general parser",
        arguments: [
            "", "a.test", "HTTPS://a.test/", "ftp://a.test/", "https://", "https:///x", "https://a.test:/",
            "https://a.test:0/",
            "https://a.test:65536/", "https://a.test:80x/", "https://a.test:99999999999999999999/", "https://u@a.test/",
            "https://u:p@a.test/", "https://a.test@b.test/", "https://[::1]/", "https://a.test/#f",
            "https://a.test/%20",
            "https://a.test/a b", "https://a.test/\u{E4}", "https://\u{E4}.test/", "https://a.test\\b",
            "https://a..test/",
            "https://-a.test/", "https://1.2.3/", "https://a.test/\r\n", "https://a.test/|", "https://a%2Etest/",
            " https://a.test/",
        ])
    func notPlain(text: String) {
        #expect(HTTPURL(plain: text) == nil)
    }

    /// The texts combine typical parts of URLs with typical mistakes.
    @Test("Both parsers agree on random URLs") func randomURLs() throws {
        let parts = [
            "http", "https", "://", ":", "/", "//", "?", "#", "@", ".", "..", "-", "--", "_", "~", "%41", "%", "+", "a",
            "B", "xn--",
            "test", "1", "127.0.0.1", "80", "443", "0", "[", "]", "::1", " ", "\t", "\u{E4}", "'", "\"", "\\", "|", "^",
            ";", "=", "&",
        ]
        var generator = SystemRandomNumberGenerator()
        var plainCount = 0
        for _ in 0..<20_000 {
            let start = ["http://", "https://a", "https://a.test", "https://a.test/", "https://a.test:8"]
            let count = Int.random(in: 0...6, using: &generator)
            let rest = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }
            let text = (start.randomElement(using: &generator) ?? "") + rest.joined()
            guard let plain = HTTPURL(plain: text) else { continue }
            plainCount += 1
            let (url, userInfo) = try HTTPURL.parseAny(text)
            #expect(plain == url && userInfo == nil, "\(text)")
        }
        #expect(plainCount > 1_000)
    }
}
