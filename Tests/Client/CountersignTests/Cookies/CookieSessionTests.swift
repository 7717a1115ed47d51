// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import TestServer
import Testing

/// The cookies of a session over real connections.
@Suite struct CookieSessionTests {
    private static func fields(_ cookies: String..., also others: HTTPFields = [:]) -> HTTPFields {
        var fields = others
        fields[values: .setCookie] = cookies
        return fields
    }

    private static func configuration(_ jar: CookieJar? = CookieJar()) -> HTTPSession.Configuration {
        var configuration = HTTPSession.Configuration()
        configuration.cookies = jar
        return configuration
    }

    @Test("Cookies are sent back by path and scheme") func sentBack() async throws {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { _ in
            .init(.ok, Self.fields("a=1; Path=/", "b=2; Path=/only", "c=3; Secure"))
        }
        try await withSession(Self.configuration(), stopping: [server]) { session async throws in
            for path in ["/", "/", "/only"] { _ = try await session.text("http://localhost:\(server.port)\(path)") }
        }
        #expect(log.cookies == ["/ -", "/ a=1", "/only b=2; a=1"])
    }

    @Test("HTTP/1.1 sends the cookies of the jar and the request in one Cookie field")
    func oneLine() async throws {
        let server = try await TestServer.start([
            { wire in
                for _ in 1...2 {
                    let lines = try await wire.head().split(separator: "\r\n")
                    let cookies = lines.filter { $0.hasPrefix("Cookie:") }.joined(separator: " and ")
                    try await wire.send(
                        "HTTP/1.1 200 OK", "Set-Cookie: a=1", "Set-Cookie: b=2",
                        "Content-Length: \(cookies.utf8.count)", "")
                    try await wire.send(bytes: Array(cookies.utf8))
                }
            }
        ])
        try await withSession(Self.configuration()) { session async throws in
            var request = SessionRequest(url: server.url())
            request.headerFields[values: .cookie] = ["own=0; more=1;", " last=2 "]
            #expect(try await session.send(request).text() == "Cookie: own=0; more=1; last=2")
            #expect(try await session.send(request).text() == "Cookie: own=0; more=1; last=2; a=1; b=2")
        }
        await server.stop()
    }

    @Test("Without a jar, no cookie is stored") func noJar() async throws {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { _ in .init(.ok, Self.fields("a=1")) }
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session async throws in
            for _ in 1...2 { _ = try await session.text("http://localhost:\(server.port)/") }
        }
        #expect(log.cookies == ["/ -", "/ -"])
    }

    @Test("Cookies of redirects and challenges are stored") func redirectAndChallenge() async throws {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { request in
            if request.head.path == "/login" {
                return .init(.found, Self.fields("step=1; Path=/", also: [.location: "/home"]))
            }
            guard request.head.headerFields[.authorization] != nil else {
                return .init(
                    .unauthorized, Self.fields("asked=1; Path=/", also: [.wwwAuthenticate: "Basic realm=\"r\""]))
            }
            return .init(.ok, body: "home")
        }
        var configuration = Self.configuration()
        configuration.handlers = [.basic: .closure { _ in .use(.password(user: "u", password: Secret("p"))) }]
        try await withSession(configuration, stopping: [server]) { session async throws in
            #expect(try await session.text("http://localhost:\(server.port)/login").status == 200)
        }
        #expect(log.cookies == ["/login -", "/home step=1", "/home step=1; asked=1"])
    }

    @Test("Each origin of a redirect receives its own cookies") func redirectTargets() async throws {
        let (one, other) = (RequestLog(), RequestLog())
        let second = try await ScriptedServer.start(recordingIn: other) { _ in
            .init(.ok, Self.fields("theirs=1; Path=/"))
        }
        let port = second.port
        let first = try await ScriptedServer.start(recordingIn: one) { request in
            request.head.path == "/"
                ? .init(.ok, Self.fields("mine=1; Path=/"))
                : .init(.found, Self.fields("late=1; Path=/", also: [.location: "http://127.0.0.1:\(port)/there"]))
        }
        let jar = CookieJar()
        try await withSession(Self.configuration(jar), stopping: [first, second]) { session async throws in
            _ = try await session.text("http://localhost:\(first.port)/")
            var request = SessionRequest(url: "http://localhost:\(first.port)/go")
            request.headerFields[.cookie] = "own=1"
            #expect(try await session.send(request).status == .ok)
            _ = try await session.text("http://127.0.0.1:\(port)/again")
        }
        #expect(one.cookies == ["/ -", "/go own=1; mine=1"])
        #expect(other.cookies == ["/there -", "/again theirs=1"])
        #expect(
            Set(jar.cookies.map { "\($0)" }) == [
                "mine for localhost/", "late for localhost/", "theirs for 127.0.0.1/",
            ])
    }

    @Test("A login lasts in a later run by a saved jar") func laterRun() async throws {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { request in
            switch (request.head.path, request.head.headerFields[.cookie]) {
            case ("/login", _):
                .init(.found, Self.fields("login=1; Path=/; Max-Age=60", also: [.location: "/orders"]))
            case (_, "login=1"): .init(.ok, body: "orders")
            default: .init(.unauthorized)
            }
        }
        let (url, file) = (
            "http://localhost:\(server.port)", FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        )
        defer { try? FileManager.default.removeItem(at: file) }
        let jar = CookieJar()
        try await withSession(Self.configuration(jar)) { session async throws in
            #expect(try await session.post(url + "/login", body: .form(["user": "mary"])).text() == "orders")
        }
        try jar.save(to: file)
        try await withSession(Self.configuration(try CookieJar(contentsOf: file)), stopping: [server]) {
            session async throws in
            #expect(try await session.get(url + "/orders").text() == "orders")
        }
        #expect(log.cookies == ["/login -", "/orders login=1", "/orders login=1"])
    }

    @Test("A request's cookie takes precedence over the jar's cookie of the same name") func ownCookies() async throws {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { _ in
            .init(.ok, Self.fields("a=1; Path=/", "b=2; Path=/"))
        }
        try await withSession(Self.configuration(), stopping: [server]) { session async throws in
            let url = "http://localhost:\(server.port)/"
            _ = try await session.text(url)
            var request = SessionRequest(url: url)
            request.headerFields[.cookie] = "x=9; a=mine"
            _ = try await session.send(request)
        }
        #expect(log.cookies == ["/ -", "/ x=9; a=mine; b=2"])
    }

    @Test("A cookie in a proxy's 407 response is not stored") func proxyChallenge() async throws {
        let proxy = try await ScriptedServer.start { request in
            request.head.headerFields[.proxyAuthorization] == nil
                ? .init(
                    .proxyAuthenticationRequired,
                    Self.fields("evil=1", also: [.proxyAuthenticate: "Basic realm=\"p\""]))
                : .init(.ok, Self.fields("good=1"))
        }
        let jar = CookieJar()
        var configuration = Self.configuration(jar)
        configuration.proxy = try Proxy("http://127.0.0.1:\(proxy.port)")
        configuration.handlers = [.basic: .closure { _ in .use(.password(user: "u", password: Secret("p"))) }]
        try await withSession(configuration, stopping: [proxy]) { session async throws in
            #expect(try await session.text("http://a.test/").status == 200)
        }
        #expect(jar.cookies.map { "\($0)" } == ["good for a.test/"])
    }
}

extension RequestLog {
    /// The path and the Cookie field of each request.
    fileprivate var cookies: [String] {
        requests.map { "\($0.head.path ?? "") \($0.head.headerFields[.cookie] ?? "-")" }
    }
}
