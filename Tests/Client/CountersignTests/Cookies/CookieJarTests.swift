// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import NIOConcurrencyHelpers
import Secrets
import Testing

@testable import Countersign

/// Storage, expiry, limits and descriptions of cookies.
@Suite struct CookieJarTests {
    @Test("A cookie is removed when it expires") func expiry() throws {
        let now = NIOLockedValueBox(1_000)
        let jar = CookieRulesTests.jar { now.withLockedValue { $0 } }
        try jar.receive("a=1; Max-Age=10", from: "https://a.com/")
        try jar.receive("b=2", from: "https://a.com/")
        now.withLockedValue { $0 = 1_009 }
        #expect(jar.cookies.map(\.name) == ["a", "b"])
        now.withLockedValue { $0 = 1_010 }
        #expect(jar.cookies.map(\.name) == ["b"])
        #expect(try CookieRulesTests.sent(jar, to: "https://a.com/") == "b=2")
        try jar.receive("b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "https://a.com/")
        #expect(jar.cookies.isEmpty)
    }

    @Test("An expired Set-Cookie removes the cookie of its own path only") func expiredPath() throws {
        let jar = CookieRulesTests.jar()
        try jar.receive("a=1; Path=/x", from: "https://a.com/")
        try jar.receive("a=; Path=/; Max-Age=0", from: "https://a.com/")
        #expect(jar.cookies.count == 1)
    }

    @Test("A jar stores fifty cookies for each domain and removes the least recently used first") func domainLimit()
        throws
    {
        let jar = CookieRulesTests.jar()
        try jar.receive("kept=1", from: "https://a.com/used/x")
        for number in 0..<60 {
            _ = try jar.cookies(for: "https://a.com/used/x")
            try jar.receive("n\(number)=v", from: "https://a.com/other/x")
        }
        let names = jar.cookies.map(\.name)
        #expect(names.count == 50)
        #expect(names.contains("kept") && names.contains("n59") && !names.contains("n0"))
    }

    @Test("Cookies without Secure are removed first") func insecureFirst() throws {
        let jar = CookieRulesTests.jar()
        for number in 0..<25 { try jar.receive("s\(number)=v; Secure", from: "https://a.com/") }
        for number in 0..<60 { try jar.receive("n\(number)=v", from: "https://a.com/") }
        #expect(jar.cookies.count { $0.isSecure } == 25)
        #expect(jar.cookies.count == 50)
    }

    @Test("A jar stores at most three thousand cookies") func totalLimit() throws {
        let jar = CookieRulesTests.jar()
        for number in 0..<3_010 { try jar.receive("n=v", from: "https://h\(number).com/") }
        #expect(jar.cookies.count == 3_000)
        #expect(try jar.cookies(for: "https://h9.com/").isEmpty)
        #expect(try jar.cookies(for: "https://h10.com/").count == 1)
    }

    @Test("Cookies can be inserted and removed") func insertAndRemove() throws {
        let jar = CookieRulesTests.jar()
        let host = try HostName("a.com")
        let cookie = try #require(StoredCookie(name: "n", value: Secret("v"), scope: .domain(host), path: "/p"))
        jar.insert(cookie)
        #expect(jar.cookies == [cookie])
        #expect(try CookieRulesTests.sent(jar, to: "https://b.a.com/p") == "n=v")
        jar.remove(cookie)
        #expect(jar.cookies.isEmpty)
        try jar.receive("a=1", from: "https://a.com/")
        try jar.receive("b=2", from: "https://b.com/")
        jar.removeAll { $0.domain == host }
        #expect(jar.cookies.map(\.name) == ["b"])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test(
        "A cookie that no Set-Cookie field could set is refused",
        arguments: [
            (name: "", value: "v", path: "/"), ("a=b", "v", "/"), ("a;b", "v", "/"), (" a", "v", "/"),
            ("a", "v;w", "/"),
            ("a", "v\r\nSet: x", "/"), ("a", " v", "/"), ("a", "v", "p"), ("a", "v", "/\n"),
        ])
    func invalidCookies(name: String, value: String, path: String) throws {
        let scope = StoredCookie.Scope.host(try HostName("a.com"))
        #expect(StoredCookie(name: name, value: Secret(value), scope: scope, path: path) == nil)
    }

    @Test(
        "A cookie meets the requirements of its name prefix",
        arguments: [
            (name: "__Secure-n", isForDomain: true, path: "/p", isSecure: true, isStored: true),
            ("__secure-n", false, "/", false, false),
            ("__Host-n", false, "/", true, true),
            ("__Host-n", true, "/", true, false),
            ("__Host-n", false, "/p", true, false),
            ("__Host-n", false, "/", false, false),
        ])
    func namePrefixes(name: String, isForDomain: Bool, path: String, isSecure: Bool, isStored: Bool) throws {
        let host = try HostName("a.com")
        let cookie = StoredCookie(
            name: name, value: Secret("v"), scope: isForDomain ? .domain(host) : .host(host), path: path,
            isSecure: isSecure)
        #expect((cookie != nil) == isStored)
    }

    @Test("Cookie values are not printed") func description() throws {
        let jar = CookieRulesTests.jar()
        try jar.receive("session=hunter2; Domain=a.com", from: "https://a.com/")
        let cookie = try #require(jar.cookies.first)
        var configuration = HTTPSession.Configuration()
        configuration.cookies = jar
        var dumps = ""
        dump(jar, to: &dumps)
        dump(cookie, to: &dumps)
        dump(HTTPSession(configuration), to: &dumps)
        let texts = "\(jar) \(String(reflecting: jar)) \(cookie) \(String(reflecting: cookie)) \(jar.cookies) " + dumps
        #expect(!texts.contains("hunter2"))
        #expect(dumps.contains("session for *.a.com/"))
    }

    @Test(
        "Punycode labels are decoded",
        arguments: [
            (label: "55qx5d", text: "公司" as String?), ("mgba3a4f16a", "ایران"), ("bcher-kva", "bücher"),
            ("p1ai", "рф"), ("!", nil), ("99999999999", nil),
        ])
    func punycode(label: String, text: String?) {
        #expect(Punycode.decode(label[...]) == text)
    }
}
