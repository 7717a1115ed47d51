// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Challenges
import ErrorExplanations
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import Countersign

@Suite struct RedirectTests {
    private static func request(_ method: HTTPRequest.Method) -> SessionRequest {
        SessionRequest(
            url: "https://a.test/", method: method,
            headerFields: [
                .authorization: "Bearer t", .cookie: "s=1", .accept: "text/html", .contentType: "text/plain",
                .apiKey: "k",
            ], body: .bytes([1]))
    }

    @Test(
        "The status decides whether the redirected request keeps its method and body",
        arguments: [
            (method: HTTPRequest.Method.post, status: HTTPResponse.Status.found, becomes: HTTPRequest.Method.get),
            (method: .post, status: .movedPermanently, becomes: .get),
            (method: .put, status: .seeOther, becomes: .get),
            (method: .head, status: .seeOther, becomes: .head),
            (method: .put, status: .found, becomes: .put),
            (method: .post, status: .temporaryRedirect, becomes: .post),
            (method: .post, status: .permanentRedirect, becomes: .post),
        ])
    func methods(
        method: HTTPRequest.Method, status: HTTPResponse.Status, becomes: HTTPRequest.Method
    ) throws {
        let url = try HTTPURL("https://a.test/")
        let next = Self.request(method).redirected(to: url, from: url, by: status)
        #expect(next.method == becomes)
        #expect((next.body == nil) == (method != becomes))
    }

    @Test(
        "Credential fields are removed when the origin changes",
        arguments: [
            (to: "https://a.test/other", keeps: true),
            (to: "https://a.test:444/", keeps: false),
            (to: "http://a.test/", keeps: false),
            (to: "https://b.test/", keeps: false),
        ])
    func credentials(to: String, keeps: Bool) throws {
        let next = Self.request(.get).redirected(
            to: try HTTPURL(to), from: try HTTPURL("https://a.test/"), by: .found)
        for name in [HTTPField.Name.authorization, .cookie, .apiKey] {
            #expect((next.headerFields[name] != nil) == keeps)
        }
        #expect(next.headerFields[.accept] == "text/html")
    }

    private static func step(_ path: String, _ method: HTTPRequest.Method = .get) throws -> RedirectHistory.Step {
        RedirectHistory.Step(url: try HTTPURL("http://a.test/\(path)"), method: method)
    }

    @Test("The error for a redirect loop lists its URLs in order") func loop() throws {
        var trail = RedirectHistory(from: try Self.step("1"), limit: 20)
        try trail.follow(to: Self.step("2"))
        do {
            try trail.follow(to: Self.step("1"))
            Issue.record("followed a loop")
        } catch SessionError.redirect(.loop(let urls)) {
            #expect(urls == ["http://a.test/1", "http://a.test/2", "http://a.test/1"])
        }
    }

    @Test("A POST may be redirected to a GET of the same URL") func formToPage() throws {
        var trail = RedirectHistory(from: try Self.step("", .post), limit: 20)
        try trail.follow(to: Self.step(""))
        #expect(throws: SessionError.self) { try trail.follow(to: Self.step("")) }
    }

    @Test("Redirects are followed up to the limit") func limit() throws {
        var trail = RedirectHistory(from: try Self.step("0"), limit: 20)
        for number in 1...20 { try trail.follow(to: Self.step("\(number)")) }
        #expect(throws: SessionError.self) { try trail.follow(to: Self.step("21")) }
    }

    @Test(
        "A redirect to an earlier URL is followed if a cookie was set in between",
        arguments: ["/", "/login"])
    func cookieCheck(location: String) async throws {
        let server = try await ScriptedServer.start { request in
            guard request.head.headerFields[.cookie] != "sid=1" else { return .init(.ok, body: "page") }
            return request.head.path == location
                ? .init(.found, [.setCookie: "sid=1", .location: "/"]) : .init(.found, [.location: location])
        }
        var configuration = HTTPSession.Configuration()
        configuration.cookies = CookieJar()
        try await withSession(configuration, stopping: [server]) { session async throws in
            let answer = try await session.text("http://localhost:\(server.port)/")
            #expect(answer == (200, "page"))
        }
    }

    @Test("A redirect to the same URL is followed if a credential was accepted in between") func login() async throws {
        // The server redirects a successful login to the same URL, and serves the page to preemptive credentials.
        let challenged = NIOLockedValueBox(0)
        let server = try await ScriptedServer.start { request in
            guard request.head.headerFields[.authorization] != nil else {
                challenged.withLockedValue { $0 += 1 }
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=a"])
            }
            let isFirst = challenged.withLockedValue { count in
                defer { count = 0 }
                return count > 0
            }
            return isFirst ? .init(.found, [.location: "/"]) : .init(.ok, body: "page")
        }
        let configuration = HTTPSession.Configuration(
            handlers: [
                .basic: .password(
                    user: "mary", password: Secret("secret"), host: "localhost", port: server.port,
                    allowsPlainHTTP: true)
            ])
        try await withSession(configuration, stopping: [server]) { session async throws in
            let answer = try await session.text("http://localhost:\(server.port)/")
            #expect(answer == (200, "page"))
        }
    }

    @Test("A repeated redirect is a loop if the cookie is unchanged, and otherwise ends at the limit")
    func realLoops() async throws {
        for (isCounting, code) in [(false, "redirect.loop"), (true, "redirect.too-many")] {
            let count = NIOLockedValueBox(0)
            let server = try await ScriptedServer.start { _ in
                let number = count.withLockedValue { number in
                    number += isCounting ? 1 : 0
                    return number
                }
                return .init(.found, [.setCookie: "n=\(number)", .location: "/"])
            }
            var configuration = HTTPSession.Configuration()
            configuration.cookies = CookieJar()
            try await withSession(configuration, stopping: [server]) { session async throws in
                let error = await #expect(throws: SessionError.self) {
                    try await session.get("http://localhost:\(server.port)/?token=hunter2")
                }
                #expect(error?.explanation.code == code)
                // Both name the URL of the request, without its secrets.
                let message = error?.explanation.message ?? ""
                #expect(message.contains(" http://localhost:\(server.port)/?token=redacted"))
            }
        }
    }
}
