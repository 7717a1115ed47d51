// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@testable import Countersign

/// The parsing rules of RFC 6265 section 5.2, attribute by attribute.
@Suite struct SetCookieTests {
    private static let now = 1_000_000_000

    private static let pairs: [(field: String, name: String?, value: String)] = [
        ("SID=31d4d96e407aad42", "SID", "31d4d96e407aad42"),
        ("a=b; Path=/", "a", "b"),
        (" a = b ;", "a", "b"),
        ("\ta\t=\tb\t", "a", "b"),
        ("a=b=c", "a", "b=c"),
        ("a=", "a", ""),
        ("a=\"b c\"", "a", "\"b c\""),  // The quotes belong to the value.
        ("a=b,c=d", "a", "b,c=d"),
        ("a b=c d", "a b", "c d"),
        ("é=ü", "é", "ü"),
        ("a", nil, ""),
        ("=b", nil, ""),
        ("", nil, ""),
        (";", nil, ""),
        ("; a=b", nil, ""),
        ("a=b\u{0}c", nil, ""),
        ("a=b\nc", nil, ""),
        ("a=b\rc", nil, ""),
        ("a=b; Path=/\u{7F}", nil, ""),
        ("a\tb=c", nil, ""),
        ("a=b\tc", "a", "b\tc"),
        ("a=b; Path=/\tTRUE\t0\t__Secure-a", nil, ""),
    ]

    @Test("Name and value are parsed", arguments: pairs)
    func nameAndValue(field: String, name: String?, value: String) {
        let cookie = SetCookie(field, now: Self.now)
        #expect(cookie?.name == name)
        #expect(cookie == nil || cookie?.value == Secret(value))
    }

    @Test("Name and value have a size limit") func sizeLimit() {
        #expect(SetCookie("n=" + String(repeating: "v", count: 4_095), now: 0) != nil)
        #expect(SetCookie("n=" + String(repeating: "v", count: 4_096), now: 0) == nil)
        #expect(SetCookie("n=" + String(repeating: "ü", count: 2_048), now: 0) == nil)
    }

    private static let lifetimes: [(attributes: String, expiry: Int?)] = [
        ("", nil),
        ("Max-Age=10", now + 10),
        ("max-age=0", .min),
        ("Max-Age=-5", .min),
        ("Max-Age=", nil),
        ("Max-Age=1x", nil),
        ("Max-Age=+1", nil),
        ("Max-Age=99999999999999999999", now + 34_560_000),
        ("Max-Age=40000000", now + 34_560_000),
        ("Expires=Sun, 09 Sep 2001 01:46:41 GMT", now + 1),
        ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Expires=never", nil),
        ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", now + 34_560_000),
        // Max-Age takes precedence in any position, and of two the last one.
        ("Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", now + 10),
        ("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=10", now + 10),
        ("Max-Age=10; Max-Age=20", now + 20),
        ("Max-Age=10; Max-Age=x", now + 10),
    ]

    @Test("Max-Age and Expires are parsed, and Max-Age takes precedence", arguments: lifetimes)
    func expiry(attributes: String, expiry: Int?) {
        #expect(SetCookie("a=b;" + attributes, now: Self.now)?.expiry == expiry)
    }

    @Test(
        "The Domain attribute is parsed",
        arguments: [
            (attributes: "Domain=example.com", domain: "example.com" as String?),
            ("DOMAIN = .Example.com ", "Example.com"),
            ("domain=..example.com", ".example.com"),
            ("Domain=", nil),
            ("Domain=.", nil),
            ("Domain", nil),
            ("Domain=a.test; Domain=b.test", "b.test"),
            ("Domain=a.test; Domain=", nil),
        ])
    func domain(attributes: String, domain: String?) {
        #expect(SetCookie("a=b;" + attributes, now: 0)?.domain == domain)
    }

    @Test(
        "The Path attribute is parsed",
        arguments: [
            (attributes: "Path=/a", path: "/a" as String?),
            ("path= /a/ ", "/a/"),
            ("Path=a", nil),
            ("Path=", nil),
            ("Path=\"/a\"", nil),
            ("Path=/a; Path=/b", "/b"),
            ("Path=/a; Path=b", nil),
            ("Path=/" + String(repeating: "x", count: 1_024), nil),
        ])
    func path(attributes: String, path: String?) {
        #expect(SetCookie("a=b;" + attributes, now: 0)?.path == path)
    }

    @Test(
        "The Secure and HttpOnly attributes are parsed",
        arguments: [
            (attributes: "Secure; HttpOnly", isSecure: true, isHTTPOnly: true),
            ("secure=no;SameSite=Lax", true, false),
            ("Secured; Http-Only", false, false),
            ("HTTPONLY=", false, true),
        ])
    func flags(attributes: String, isSecure: Bool, isHTTPOnly: Bool) {
        let cookie = SetCookie("a=b;" + attributes, now: 0)
        #expect(cookie?.isSecure == isSecure && cookie?.isHTTPOnly == isHTTPOnly)
    }
}
