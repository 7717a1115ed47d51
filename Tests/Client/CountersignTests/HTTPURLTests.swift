// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Testing

@testable import Countersign

@Suite struct HTTPURLTests {
    @Test(
        "A URL is parsed into target, authority and port",
        arguments: [
            (text: "http://a.test", target: "/", authority: "a.test", port: 80),
            (text: "https://A.test:443/x?y=1#z", target: "/x?y=1", authority: "a.test", port: 443),
            (text: "https://a.test:8443/a%20b/", target: "/a%20b/", authority: "a.test:8443", port: 8443),
            (text: "http://[::1]:8080/", target: "/", authority: "[::1]:8080", port: 8080),
            (text: "http://127.0.0.1?q", target: "/?q", authority: "127.0.0.1", port: 80),
        ])
    func components(text: String, target: String, authority: String, port: Int) throws {
        let url = try HTTPURL(text)
        #expect(url.target == target)
        #expect(url.authority == authority)
        #expect(url.endpoint.port == port)
    }

    @Test(
        "An invalid URL is refused with its reason, and the error hides the password",
        arguments: [
            ("", RequestError.InvalidURL.malformed),
            ("a.test/path", .noScheme),
            ("localhost:8443", .noScheme),
            ("a.test:443/path?query", .noScheme),
            ("https://", .noHost),
            ("https:///path", .noHost),
            ("https://a.test:0/", .port),
            ("https://a.test:65536/", .port),
            ("https://user:sec%72et%0D@a.test/", .userInfo),
            ("https://us%0Aer:secret@a.test/", .userInfo),
            ("https://user%00:secret@a.test/", .userInfo),
            ("https://%FF:secret@a.test/", .userInfo),
            ("https://user:secret@a.test:0/", .port),
            ("https://user:pw?secret@a.test/", .malformed),
        ])
    func invalid(text: String, reason: RequestError.InvalidURL) {
        do {
            _ = try HTTPURL(text)
            Issue.record("accepted \(text)")
        } catch {
            guard case .request(.invalidURL(let quoted, let found)) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(found == reason)
            #expect(!quoted.contains("secret"))
        }
    }

    @Test(
        "An international host is converted to ASCII (UTS 46, nontransitional), in a URL, a Location and a proxy",
        arguments: [
            (host: "bücher.example", ascii: "xn--bcher-kva.example"),
            (host: "BÜCHER.Example", ascii: "xn--bcher-kva.example"),
            (host: "bu\u{308}cher.example", ascii: "xn--bcher-kva.example"),
            (host: "b%C3%BCcher.example", ascii: "xn--bcher-kva.example"),
            (host: "faß.example", ascii: "xn--fa-hia.example"),
            (host: "\u{5D0}\u{5D1}.example", ascii: "xn--4dbc.example"),
            (host: "bücher\u{3002}example", ascii: "xn--bcher-kva.example"),
            (host: "ａ.example", ascii: "a.example"), (host: "☃.net", ascii: "xn--n3h.net"),
            (host: "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1", ascii: "127.0.0.1"),
        ])
    func international(host: String, ascii: String) throws {
        let url = try HTTPURL("https://mary:secret@\(host):8443/ü")
        #expect(url.authority == ascii + ":8443" && url.target == "/%C3%BC")
        let base = try HTTPURL("http://a.test/")
        #expect(try base.resolving(location: "https://\(host)/x").description == "https://\(ascii)/x")
        #expect(try base.resolving(location: "//\(host)/x").description == "http://\(ascii)/x")
        #expect(try Proxy("http://\(host):3128").endpoint.host.description == ascii)
        #expect(try HostEndpoint(of: "https://\(host)").host == HostName(ascii))
        // Without Foundation, which converts some of the names itself.
        if !host.contains("%") { #expect(try HostName(international: host).description == ascii) }
    }

    @Test(
        "An international host that UTS 46 or DNS does not allow is refused",
        arguments: [
            "-ü.example", "ab--ü.example", "xn--ü.example", "ü..example",
            "%C3%BC%00.example", "%C3%BC%2Fb.example", "%C3%BC%25b.example", "%C3.example",
            String(repeating: "ü", count: 64) + ".example", "\u{AD}.example",
        ])
    func refusedInternational(host: String) {
        #expect(throws: SessionError.self) { try HTTPURL("https://\(host)/") }
        #expect(throws: HostNameError.self) { try HostName(international: host) }
    }

    @Test(
        "User and password are percent-decoded from the userinfo of a URL",
        arguments: [
            (text: "https://a.test/", user: nil as String?, password: nil as String?),
            (text: "https://@a.test/", user: nil, password: nil),
            (text: "https://:@a.test/", user: nil, password: nil),
            (text: "https://mary:@a.test/", user: "mary", password: ""),
            (text: "https://mary@a.test/", user: "mary", password: nil),  // a name without a password
            (text: "https://:token@a.test/", user: "", password: "token"),
            (text: "https://m%40ry:p%3A%2f%20@a.test/", user: "m@ry", password: "p:/ "),
            (text: "https://m%C3%A4ry:%2B+@a.test/", user: "m\u{E4}ry", password: "++"),
        ])
    func userInfo(text: String, user: String?, password: String?) throws {
        let (url, userInfo) = try HTTPURL.parse(text)
        #expect(url.description == "https://a.test/")
        #expect(userInfo?.user == user)
        #expect(userInfo?.password == password.map { Secret($0) })
    }

    @Test("Printing a request or a proxy shows neither the user nor the password of its URL")
    func description() throws {
        var proxy = try Proxy("http://mary:secret@proxy.test:3128")
        #expect(proxy.credential == .password(user: "mary", password: Secret("secret")))
        proxy.preemptiveMethod = .basic
        for url in ["https://mary:secret@a.test/", "https://mary:secret@a.test:x/", "mary:secret@a.test"] {
            let request = SessionRequest(url: url, headerFields: [.authorization: "Basic secret"])
            var dumped = ""
            dump((request, proxy), to: &dumped)
            for text in ["\(request)", String(reflecting: request), "\(proxy)", String(reflecting: proxy), dumped] {
                #expect(!text.contains("secret"))
            }
            #expect(!"\(request)\(proxy)".contains("mary"))
        }
    }

    @Test(
        "A URL whose scheme is not HTTP is refused",
        arguments: ["ftp://a.test/", "file:///etc/passwd", "javascript:alert(1)"])
    func otherSchemes(text: String) {
        #expect(throws: SessionError.self) { try HTTPURL(text) }
    }

    @Test(
        "A Location is resolved against the request's URL (RFC 3986)",
        arguments: [
            (location: "/b", expected: "https://a.test/b"),
            (location: "b?c", expected: "https://a.test/x/b?c"),
            (location: "../b", expected: "https://a.test/b"),
            (location: "//b.test/", expected: "https://b.test/"),
            (location: "http://b.test:81/#f", expected: "http://b.test:81/"),
            (location: "https://u:p@b.test/", expected: "https://b.test/"),
        ])
    func locations(location: String, expected: String) throws {
        #expect(try HTTPURL("https://a.test/x/y").resolving(location: location).description == expected)
    }

    @Test(
        "A Location that is not a valid HTTP URL is refused, and the error hides its userinfo",
        arguments: ["ftp://a.test/", "https://u:p@b.test:0/", "https://b.test:99999/"])
    func invalidLocations(location: String) throws {
        let url = try HTTPURL("https://a.test/x/y")
        do {
            _ = try url.resolving(location: location)
            Issue.record("followed \(location)")
        } catch {
            guard case .redirect(.invalid(_, let quoted)) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!quoted.contains("u:p"))
        }
    }

    @Test(
        "An HTTP proxy's URL needs a port, and a SOCKS proxy's URL does not",
        arguments: [
            ("http://proxy.test:3128", true), ("https://proxy.test:3129/", true), ("http://[::1]:3128", true),
            ("http://proxy.test", false), ("http://[::1]", false), ("socks5://proxy.test:1080", true),
            ("socks5h://u:p@proxy.test", true), ("socks4://proxy.test:1080", false), ("socks5:proxy.test", false),
            ("http://u:12/34@proxy.test:80", false), ("http://u:12?34@proxy.test:80", false),
            ("http://proxy.test:0", false), ("proxy.test:3128", true), ("u:p@proxy.test:3128", true),
            ("[::1]:3128", true), ("proxy.test", false), ("proxy.test:", false), ("proxy.test:3128/x", false),
            ("http://u:p@proxy.test:3128", true), ("http://u:1@proxy.test", false),
        ])
    func proxyPorts(text: String, isAccepted: Bool) {
        #expect(((try? Proxy(text)) != nil) == isAccepted)
    }
}
