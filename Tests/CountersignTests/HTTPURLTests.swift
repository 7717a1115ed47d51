// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import Countersign

@Suite struct HTTPURLTests {
    @Test(arguments: [
        (text: "http://a.test", target: "/", authority: "a.test", port: 80),
        (text: "https://A.test:443/x?y=1#z", target: "/x?y=1", authority: "a.test", port: 443),
        (text: "https://a.test:8443/a%20b/", target: "/a%20b/", authority: "a.test:8443", port: 8443),
        (text: "http://[::1]:8080/", target: "/", authority: "[::1]:8080", port: 8080),
        (text: "http://127.0.0.1?q", target: "/?q", authority: "127.0.0.1", port: 80),
    ])
    func isTakenApart(text: String, target: String, authority: String, port: Int) throws {
        let url = try HTTPURL(text)
        #expect(url.target == target)
        #expect(url.authority == authority)
        #expect(url.endpoint.port == port)
    }

    @Test(arguments: [
        ("", SessionError.InvalidURL.malformed),
        ("a.test/path", .malformed),
        ("https://", .noHost),
        ("https:///path", .noHost),
        ("https://a.test:0/", .port),
        ("https://a.test:65536/", .port),
        ("https://user:secret@a.test/", .userInfo),
    ])
    func isRefusedWithItsReason(text: String, reason: SessionError.InvalidURL) {
        do {
            _ = try HTTPURL(text)
            Issue.record("accepted \(text)")
        } catch {
            guard case .invalidURL(let quoted, let found) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(found == reason)
            #expect(!quoted.contains("secret"))
        }
    }

    @Test(arguments: ["ftp://a.test/", "file:///etc/passwd", "javascript:alert(1)"])
    func otherSchemesAreNamed(text: String) {
        #expect(throws: SessionError.self) { try HTTPURL(text) }
    }

    @Test(arguments: [
        (location: "/b", expected: "https://a.test/b"),
        (location: "b?c", expected: "https://a.test/x/b?c"),
        (location: "../b", expected: "https://a.test/b"),
        (location: "//b.test/", expected: "https://b.test/"),
        (location: "http://b.test:81/#f", expected: "http://b.test:81/"),
    ])
    func locationsAreResolved(location: String, expected: String) throws {
        #expect(try HTTPURL("https://a.test/x/y").resolving(location: location).description == expected)
    }

    @Test(arguments: ["ftp://a.test/", "https://u:p@b.test/", "https://b.test:99999/"])
    func locationsThatLeadNowhereAreRefused(location: String) throws {
        let url = try HTTPURL("https://a.test/x/y")
        do {
            _ = try url.resolving(location: location)
            Issue.record("followed \(location)")
        } catch {
            guard case .invalidRedirect(_, let quoted) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!quoted.contains("u:p"))
        }
    }

    @Test(arguments: [
        ("http://proxy.test:3128", true), ("https://proxy.test:3129/", true), ("http://[::1]:3128", true),
        ("http://proxy.test", false), ("http://[::1]", false), ("socks5://proxy.test:1080", false),
        ("http://u:p@proxy.test:3128", false),
    ])
    func proxiesNeedAPort(text: String, isAccepted: Bool) {
        #expect(((try? Proxy(text)) != nil) == isAccepted)
    }
}
