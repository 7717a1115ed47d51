// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import Testing

@testable import Countersign

/// The selection of the proxy for each request.
@Suite struct ProxiesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let variables: [String: String]
        let url: String
        let proxy: String?

        init(_ variables: [String: String], _ url: String, _ proxy: String?) {
            (self.variables, self.url, self.proxy) = (variables, url, proxy)
        }

        var testDescription: String { "\(variables) \(url)" }

        /// Returns a row with one proxy for all URLs and a list of exceptions.
        static func except(_ exceptions: String, _ url: String, _ isDirect: Bool) -> Row {
            Row(["all_proxy": "http://p:1", "no_proxy": exceptions], url, isDirect ? nil : "http://p:1")
        }
    }

    static let variables: [Row] = [
        Row([:], "http://a.test/", nil),
        Row(["http_proxy": ""], "http://a.test/", nil),
        Row(["http_proxy": "http://p:1"], "http://a.test/", "http://p:1"),
        Row(["http_proxy": "p:1"], "http://a.test/", "http://p:1"),
        Row(["http_proxy": "mary:secret@p:1/"], "http://a.test/", "http://p:1"),
        Row(["http_proxy": "http://p:1"], "https://a.test/", nil),
        // A CGI program receives a client's Proxy field in this variable (CVE-2016-5385).
        Row(["HTTP_PROXY": "http://p:1"], "http://a.test/", nil),
        Row(["https_proxy": "https://p:1"], "https://a.test/", "https://p:1"),
        Row(["HTTPS_PROXY": "https://p:1"], "https://a.test/", "https://p:1"),
        Row(["https_proxy": "p:1", "HTTPS_PROXY": "p:2"], "https://a.test/", "http://p:1"),
        Row(["https_proxy": "", "HTTPS_PROXY": "p:2"], "https://a.test/", "http://p:2"),
        Row(["https_proxy": "p:1"], "http://a.test/", nil),
        Row(["ALL_PROXY": "socks5h://p"], "http://a.test/", "socks5://p:1080"),
        Row(["all_proxy": "socks5://[::1]:9", "ALL_PROXY": "p:2"], "https://a.test/", "socks5://[::1]:9"),
        Row(["all_proxy": "p:1", "http_proxy": "p:2"], "http://a.test/", "http://p:2"),
        Row(["all_proxy": "p:1", "http_proxy": "p:2"], "https://a.test/", "http://p:1"),
        Row(["all_proxy": "p:1", "NO_PROXY": "a.test"], "https://a.test/", nil),
        Row(["all_proxy": "p:1", "no_proxy": "b.test", "NO_PROXY": "a.test"], "https://a.test/", "http://p:1"),
    ]

    static let exceptions: [Row] = [
        .except("a.test", "http://a.test/", true),
        .except("A.TEST.", "http://a.test/", true),
        .except("a.test", "http://b.a.test/", true),
        .except(".a.test", "http://b.a.test/", true),
        .except(".a.test", "http://a.test/", true),
        .except("*.a.test", "http://c.b.a.test/", true),
        .except("a.test", "http://ba.test/", false),
        .except("a.test", "http://a.test.b/", false),
        .except("x.test, a.test", "http://a.test/", true),
        .except("x.test a.test\t,,y.test", "http://a.test/", true),
        .except("*", "https://a.test/", true),
        .except("*:80", "https://a.test/", false),
        .except("a.test:8080", "http://a.test:8080/", true),
        .except("a.test:8080", "http://a.test/", false),
        .except("a.test:443", "https://a.test/", true),
        .except("<local>", "http://intranet/", true),
        .except("<local>", "http://a.test/", false),
        .except("<local>", "http://192.0.2.1/", false),
        .except("192.0.*", "http://192.0.2.1/", true),
        .except("192.0.*.*", "http://192.0.2.1/", true),
        .except("192.0.*", "http://192.1.2.1/", false),
        .except("192.0.*:81", "http://192.0.2.1/", false),
        .except("10.*", "http://10.test/", false),
        .except("192.0.2.1", "http://192.0.2.1/", true),
        .except("192.0.2.1", "http://192.0.2.2/", false),
        .except("192.0.2.1:80", "http://192.0.2.1:81/", false),
        .except("fd00::1", "http://[fd00::1]/", true),
        .except("[fd00::1]", "http://[fd00::1]/", true),
        .except("[fd00::1]:80", "http://[fd00::1]/", true),
        .except("[fd00::1]:81", "http://[fd00::1]/", false),
        .except("fd00:0:0::1", "http://[fd00::1]/", true),
        .except("10.0.0.0/8", "http://10.255.1.2/", true),
        .except("10.0.0.0/8", "http://11.0.0.0/", false),
        .except("10.1.2.3/8", "http://10.255.1.2/", true),
        .except("192.168.4.0/22", "http://192.168.7.255/", true),
        .except("192.168.4.0/22", "http://192.168.8.0/", false),
        .except("0.0.0.0/0", "http://1.2.3.4/", true),
        .except("0.0.0.0/0", "http://[fd00::1]/", false),
        .except("10.0.0.1/32", "http://10.0.0.2/", false),
        .except("10.0.0.0/8:80", "http://10.0.0.1/", true),
        .except("10.0.0.0/8", "http://[::ffff:10.0.0.1]/", true),
        .except("::ffff:10.0.0.0/104", "http://10.0.0.1/", true),
        .except("fd00::/8", "http://[fd12::1]/", true),
        .except("fd00::/8", "http://[fe12::1]/", false),
        .except("2001:db8::/33", "http://[2001:db8:8000::1]/", false),
        .except("10.0.0.0/8", "http://a.test/", false),
    ]

    /// The hosts of this machine, which no proxy of the environment can reach, and similar ones.
    static let loopback: [Row] = [
        .except("", "http://localhost/", true),
        .except("", "https://LOCALHOST.:8443/", true),
        .except("", "https://www.lab.localhost:8443/", true),
        .except("", "http://127.0.0.1/", true),
        .except("", "http://127.255.0.2/", true),
        .except("", "http://[::1]/", true),
        .except("", "http://[::ffff:127.0.0.1]/", true),
        .except("", "http://notlocalhost/", false),
        .except("", "http://localhost.example/", false),
        .except("", "http://128.0.0.1/", false),
        .except("", "http://[::2]/", false),
        .except("", "http://[::]/", false),
        .except("", "http://[2001:db8::1]/", false),
        .except("", "http://[::ffff:128.0.0.1]/", false),
    ]

    @Test("Environment variables select the proxy for each URL", arguments: variables + exceptions + loopback)
    func environment(row: Row) throws {
        let proxies = try Proxies.environment(row.variables)
        #expect(proxies.proxy(for: try HTTPURL(row.url))?.description == row.proxy)
        var configuration = HTTPSession.Configuration()
        configuration.proxies = proxies
        let route = try RequestRoute(to: try HTTPURL(row.url), under: configuration, overriding: nil)
        #expect(route.proxy?.description == row.proxy)
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String
        let reason: ProxyError.InvalidVariable

        init(_ name: String, _ value: String, _ reason: ProxyError.InvalidVariable) {
            (self.name, self.value, self.reason) = (name, value, reason)
        }

        var testDescription: String { "\(name)=\(value)" }
    }

    static let malformed: [Malformed] = [
        Malformed("http_proxy", "http://mary:s3cret@p", .url(.port)),
        Malformed("http_proxy", "mary:s3cret@p:0", .url(.port)),
        Malformed("http_proxy", "http://mary:s3cret@:1", .url(.noHost)),
        Malformed("https_proxy", "ftp://mary:s3cret@p:1", .unsupportedScheme("ftp")),
        Malformed("HTTPS_PROXY", "socks4://mary:s3cret@p:1", .unsupportedScheme("socks4")),
        Malformed("ALL_PROXY", "http://mary:s3cret%0A@p:1", .url(.userInfo)),
        Malformed("http_proxy", "http://mary:12/s3cret@p:1", .url(.malformed)),
        Malformed("http_proxy", "http://mary:s3/cret@p:1", .url(.malformed)),
        Malformed("http_proxy", "http://1.2.3:1", .url(.hostName(.ambiguousAddress("1.2.3")))),
        Malformed("no_proxy", "a.test,b..test", .exception("b..test")),
        Malformed("NO_PROXY", "10.0.0.0/33", .exception("10.0.0.0/33")),
        Malformed("no_proxy", "::/129", .exception("::/129")),
        Malformed("no_proxy", "a.test/8", .exception("a.test/8")),
        Malformed("no_proxy", "a.test:0", .exception("a.test:0")),
        Malformed("no_proxy", "a.test:", .exception("a.test:")),
        Malformed("no_proxy", "10.0.0.0/+8", .exception("10.0.0.0/+8")),
        Malformed("no_proxy", "10.", .exception("10.")),
        Malformed("no_proxy", "10.*.1", .exception("10.*.1")),
        Malformed("no_proxy", "256.*", .exception("256.*")),
        Malformed("no_proxy", "*/8", .exception("*/8")),
        Malformed("no_proxy", ".10.0.0.1", .exception(".10.0.0.1")),
        Malformed("no_proxy", "[::1", .exception("[::1")),
    ]

    @Test("A malformed variable is named in the error, without its password", arguments: malformed)
    func malformedVariables(row: Malformed) {
        do {
            _ = try Proxies.environment([row.name: row.value])
            Issue.record("read")
        } catch .proxy(.invalidVariable(let name, let reason)) {
            #expect(name == row.name && reason == row.reason)
            #expect(!"\(reason)".contains("cret"))
        } catch {
            Issue.record(error)
        }
    }

    @Test("An explicit proxy applies to the hosts of this machine too", arguments: loopback)
    func explicit(row: Row) throws {
        let proxy = try Proxy("p:1")
        for proxies in [Proxies.every(proxy), try .every(proxy, except: "")] {
            #expect(proxies.proxy(for: try HTTPURL(row.url)) == proxy)
            #expect(proxies.only == proxy)
        }
    }

    @Test("A single proxy may have exceptions") func withExceptions() throws {
        let proxy = try Proxy("http://p:1")
        let proxies = try Proxies.every(proxy, except: "a.test")
        #expect(proxies.proxy(for: try HTTPURL("http://a.test/")) == nil)
        #expect(proxies.proxy(for: try HTTPURL("http://b.test/")) == proxy)
        #expect(throws: SessionError.self) { try Proxies.every(proxy, except: "a..test") }
    }

    @Test("A configuration has one proxy for all URLs or none") func configuration() throws {
        let proxy = try Proxy("http://p:1")
        var configuration = HTTPSession.Configuration(proxy: proxy)
        #expect(configuration.proxy == proxy && configuration.proxies == .every(proxy))
        for variable in ["http_proxy", "all_proxy"] {
            configuration.proxies = try .environment([variable: "p:1"])
            #expect(configuration.proxy == nil)
        }
        #expect(try Proxies.environment([:]) == .none)
        configuration.proxy = nil
        #expect(configuration.proxies == .none)
        #expect(HTTPSession.Configuration().proxies == .none)
    }

    // MARK: Sessions

    @Test("The proxy is selected again for a redirect") func redirect() async throws {
        try await withLab { lab async throws in
            let origin = try await ScriptedServer.start { _ in .init(.found, [.location: lab[.goodHTTPS].url]) }
            let recorder = Recorder()
            let proxies = Proxies(http: try Proxy(lab[.proxyOpen].url), https: try Proxy(lab[.proxySOCKS].url))
            try await withSession(lab, recorder: recorder, change: { $0.proxies = proxies }) { session async throws in
                #expect(try await session.text("http://localhost:\(origin.port)/").status == 200)
                #expect(try await session.inspect(lab[.goodHTTPS].url).verdict.isTrusted)
            }
            await origin.stop()
            #expect(recorder.connections.first?.proxy?.endpoint.port == lab[.proxyOpen].port)
            #expect(recorder.connections.last?.proxy?.endpoint.port == lab[.proxySOCKS].port)
            #expect(lab.requestCount(.proxySOCKS) == 2)
        }
    }
}
