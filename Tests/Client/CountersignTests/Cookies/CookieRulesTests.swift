// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Secrets
import Testing

@testable import Countersign

/// The rules for storing cookies and for sending them.
@Suite struct CookieRulesTests {
    static let suffixes = PublicSuffixList(
        Array(
            """
            // ===BEGIN ICANN DOMAINS===
            com
            uk
            co.uk
            *.ck
            !www.ck
            公司.cn
            // ===BEGIN PRIVATE DOMAINS===
            github.io
            """.utf8), sections: .all)

    static func jar(_ now: @escaping @Sendable () -> Int = { 1_000 }) -> CookieJar {
        CookieJar(publicSuffixes: suffixes, now: now)
    }

    /// Returns the value of the Cookie field that a jar sends.
    static func sent(_ jar: CookieJar, to url: String) throws -> String {
        try jar.cookies(for: url).map { cookie in
            cookie.name + "=" + cookie.value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }.joined(separator: "; ")
    }

    private static let hostRows: [(set: String, field: String, sent: String, isSent: Bool)] = [
        ("https://a.com/", "n=v", "https://a.com/", true),
        ("https://a.com/", "n=v", "https://b.a.com/", false),  // Without Domain, only for the host itself.
        ("https://a.com/", "n=v; Domain=a.com", "https://b.a.com/", true),
        ("https://a.com/", "n=v; Domain=.a.com", "https://b.a.com/", true),
        ("https://b.a.com/", "n=v; Domain=a.com", "https://a.com/", true),
        ("https://b.a.com/", "n=v; Domain=A.COM", "https://c.a.com/", true),
        ("https://b.a.com/", "n=v; Domain=c.a.com", "https://c.a.com/", false),
        ("https://b.a.com/", "n=v; Domain=c.b.a.com", "https://c.b.a.com/", false),
        ("https://xa.com/", "n=v; Domain=a.com", "https://a.com/", false),  // There is no dot before a.com.
        ("https://a.com/", "n=v; Domain=a.com", "https://xa.com/", false),
        ("https://a.com/", "n=v; Domain=..a.com", "https://a.com/", false),
        ("https://a.com/", "n=v; Domain=a.com.", "https://a.com/", true),
        ("https://a.com/", "n=v; Domain=ä.com", "https://a.com/", false),
        ("https://a.com/", "n=v; Domain=com", "https://b.com/", false),
        ("https://a.com/", "n=v; Domain=com", "https://a.com/", false),
        ("https://a.co.uk/", "n=v; Domain=co.uk", "https://b.co.uk/", false),
        ("https://a.co.uk/", "n=v; Domain=CO.UK.", "https://b.co.uk/", false),
        ("https://a.co.uk/", "n=v; Domain=a.co.uk", "https://b.a.co.uk/", true),
        ("https://a.github.io/", "n=v; Domain=github.io", "https://b.github.io/", false),
        ("https://github.io/", "n=v; Domain=github.io", "https://github.io/", true),  // For the host itself.
        ("https://github.io/", "n=v; Domain=github.io", "https://b.github.io/", false),
        ("https://a.b.ck/", "n=v; Domain=b.ck", "https://c.b.ck/", false),
        ("https://a.www.ck/", "n=v; Domain=www.ck", "https://b.www.ck/", true),
        ("https://a.xn--55qx5d.cn/", "n=v; Domain=xn--55qx5d.cn", "https://b.xn--55qx5d.cn/", false),
        ("http://localhost/", "n=v; Domain=localhost", "http://localhost/", true),
        ("http://localhost/", "n=v; Domain=localhost", "http://a.localhost/", false),
        ("http://127.0.0.1/", "n=v", "http://127.0.0.1/", true),
        ("http://127.0.0.1/", "n=v; Domain=127.0.0.1", "http://127.0.0.1/", true),
        ("http://127.0.0.1/", "n=v; Domain=0.0.1", "http://127.0.0.1/", false),
        ("http://127.0.0.1/", "n=v; Domain=.1", "http://127.0.0.1/", false),
        ("http://[::1]/", "n=v", "http://[::1]/", true),
        // Cookies are not separated by port (section 8.5), and by scheme only if they are Secure.
        ("https://a.com/", "n=v", "http://a.com:81/", true),
        ("https://a.com/", "n=v; Secure", "http://a.com/", false),
        ("https://a.com/", "n=v; Secure", "https://a.com/", true),
        ("http://a.com/", "n=v; Secure", "https://a.com/", false),
        ("https://a.com/", "n=v; HttpOnly; SameSite=Strict", "https://a.com/", true),
        ("https://a.com/", "__Secure-n=v; Secure", "https://a.com/", true),
        ("https://a.com/", "__Secure-n=v", "https://a.com/", false),
        ("https://a.com/", "__secure-n=v", "https://a.com/", false),
        ("https://a.com/", "__Secure-\u{301}n=v", "https://a.com/", false),  // The combining mark joins the hyphen.
        ("https://a.com/", "__Host-n=v; Secure; Path=/", "https://a.com/", true),
        ("https://a.com/", "__Host-n=v; Secure", "https://a.com/", false),
        ("https://a.com/", "__Host-n=v; Secure; Path=/x", "https://a.com/x", false),
        ("https://a.com/", "__Host-n=v; Secure; Path=/; Domain=a.com", "https://a.com/", false),
        ("https://a.com/", "__HOST-n=v; Path=/", "https://a.com/", false),
    ]

    @Test("A cookie is sent to the hosts that its Domain and flags permit", arguments: hostRows)
    func hosts(set: String, field: String, sent: String, isSent: Bool) throws {
        let jar = Self.jar()
        try jar.receive(field, from: set)
        #expect(try !jar.cookies(for: sent).isEmpty == isSent)
    }

    private static let pathRows: [(set: String, path: String?, sent: String, isSent: Bool)] = [
        ("/", nil, "/", true),
        ("/a/b", nil, "/a", true),  // The default path of /a/b is /a.
        ("/a/b", nil, "/a/c", true),
        ("/a/b", nil, "/", false),
        ("/a", nil, "/", true),
        ("/a/", nil, "/a", true),
        ("/a/b?x/y", nil, "/a/z", true),
        ("/", "/a", "/a", true),
        ("/", "/a", "/a/", true),
        ("/", "/a", "/a?q", true),
        ("/", "/a", "/ab", false),
        ("/", "/a/", "/a", false),
        ("/", "/a/", "/a/b", true),
        ("/", "/A", "/a", false),
        ("/", "/%61", "/a", false),
        ("/", "a", "/x", true),
        ("/b/", "a", "/x", false),
    ]

    @Test("A cookie is sent to the paths below its own", arguments: pathRows)
    func paths(set: String, path: String?, sent: String, isSent: Bool) throws {
        let jar = Self.jar()
        try jar.receive("n=v" + (path.map { "; Path=\($0)" } ?? ""), from: "https://a.com" + set)
        #expect(try !jar.cookies(for: "https://a.com" + sent).isEmpty == isSent)
    }

    @Test("Cookies are sent by longer path first, then by earlier creation") func order() throws {
        let jar = Self.jar()
        for field in ["a=1; Path=/", "b=2; Path=/x/y", "c=3; Path=/", "d=4; Path=/x", "a=5; Path=/"] {
            try jar.receive(field, from: "https://a.com/")
        }
        // The first cookie keeps its position with its new value.
        #expect(try Self.sent(jar, to: "https://a.com/x/y") == "b=2; d=4; a=5; c=3")
    }

    @Test("Cookies with the same name but different domains or paths are stored separately") func sameName() throws {
        let jar = Self.jar()
        try jar.receive("n=host", from: "https://b.a.com/")
        try jar.receive("n=domain; Domain=b.a.com", from: "https://b.a.com/")
        try jar.receive("n=above; Domain=a.com", from: "https://b.a.com/")
        try jar.receive("n=path; Path=/p", from: "https://b.a.com/")
        #expect(try Self.sent(jar, to: "https://b.a.com/p") == "n=path; n=host; n=domain; n=above")
    }

    @Test("Without a public suffix list a cookie is for its host only") func noPublicSuffixes() throws {
        let jar = CookieJar(publicSuffixes: nil, now: { 0 })
        #expect(try jar.receive("n=v; Domain=a.com", from: "https://a.com/"))
        #expect(try jar.cookies(for: "https://b.a.com/").isEmpty)
        #expect(try jar.cookies(for: "https://a.com/").count == 1)
        #expect(try !jar.receive("n=v; Domain=a.com", from: "https://b.a.com/"))
    }

    @Test(
        "Plain HTTP does not replace a Secure cookie",
        arguments: [
            (first: "https://a.com/", secure: "n=s; Secure", http: "http://a.com/", plain: "n=p", isTaken: false),
            ("https://a.com/", "n=s; Secure; Domain=a.com", "http://b.a.com/", "n=p", false),
            ("https://b.a.com/", "n=s; Secure", "http://a.com/", "n=p; Domain=a.com", false),
            ("https://a.com/", "n=s; Secure; Path=/x", "http://a.com/", "n=p; Path=/", true),
            ("https://a.com/", "n=s; Secure; Path=/", "http://a.com/", "n=p; Path=/x", false),
            ("https://a.com/", "n=s; Secure", "http://a.com/", "m=p", true),
            ("https://a.com/", "n=s; Secure", "https://a.com/", "n=p", true),
            ("https://a.com/", "n=s", "http://a.com/", "n=p", true),
            ("https://a.com/", "n=s; Secure", "http://a.com/", "n=; Max-Age=0", false),
        ])
    func secureCookies(
        first: String, secure: String, http: String, plain: String, isTaken: Bool
    ) throws {
        let jar = Self.jar()
        #expect(try jar.receive(secure, from: first))
        #expect(try jar.receive(plain, from: http) == isTaken)
    }
}
