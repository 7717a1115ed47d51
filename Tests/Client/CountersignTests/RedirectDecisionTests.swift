// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import Countersign

@Suite struct RedirectDecisionTests {
    /// Starts a server that redirects every path except `/end`, with the status and locations that a closure returns.
    private static func server(
        _ fields: @escaping @Sendable (String) -> (HTTPResponse.Status, [String])
    ) async throws -> ScriptedServer {
        try await ScriptedServer.start { request in
            let path = request.head.path ?? ""
            guard !path.hasPrefix("/end") else { return .init(.ok, body: "\(request.head.method) \(path)") }
            let (status, locations) = fields(path)
            var fields = HTTPFields()
            fields[values: .location] = locations
            return .init(status, fields, body: "moved")
        }
    }

    @Test("The redirect decision receives the URLs, status, method and number of each redirect") func decision()
        async throws
    {
        let seen = NIOLockedValueBox<[SessionRedirect]>([])
        let server = try await Self.server {
            ($0 == "/a" ? .seeOther : .permanentRedirect, [$0 == "/a" ? "/b" : "/end"])
        }
        let port = server.port
        var configuration = HTTPSession.Configuration()
        configuration.redirectDecision = { redirect in
            seen.withLockedValue { $0.append(redirect) }
            return .follow
        }
        try await withSession(configuration, stopping: [server]) { session async throws in
            let response = try await session.send(
                SessionRequest(url: "http://u:p@localhost:\(port)/a", method: .post, body: .bytes([1])))
            #expect(response.status == .ok)
        }
        let redirects = seen.withLockedValue { $0 }
        #expect(redirects.map(\.from) == ["/a", "/b"].map { "http://localhost:\(port)\($0)" })
        #expect(redirects.map(\.to) == ["/b", "/end"].map { "http://localhost:\(port)\($0)" })
        #expect(redirects.map(\.status.code) == [303, 308])
        #expect(redirects.map(\.method) == [.get, .get])
        #expect(redirects.map(\.number) == [1, 2])
    }

    @Test("A decision can deliver the redirect response") func delivered() async throws {
        let server = try await Self.server { _ in (.found, ["/end"]) }
        var configuration = HTTPSession.Configuration()
        configuration.redirectDecision = { _ in .deliver }
        try await withSession(configuration, stopping: [server]) { session async throws in
            let answer = try await session.text("http://localhost:\(server.port)/a")
            #expect(answer == (302, "moved"))
        }
        #expect(server.requestCount == 1)
    }

    @Test("A decision can refuse a redirect, and the request's decision takes precedence over the session's")
    func refused() async throws {
        let server = try await Self.server { _ in (.found, ["/end"]) }
        let port = server.port
        var configuration = HTTPSession.Configuration()
        configuration.redirectDecision = { _ in .refuse }
        try await withSession(configuration, stopping: [server]) { session async throws in
            do {
                _ = try await session.get("http://localhost:\(port)/a")
                Issue.record("the redirect was followed")
            } catch SessionError.redirect(.refused(let from, let to)) {
                #expect(from == "http://localhost:\(port)/a" && to == "http://localhost:\(port)/end")
            }
            // The request's decision takes precedence over the session's.
            var request = SessionRequest(url: "http://localhost:\(port)/a")
            request.redirectDecision = { _ in .follow }
            #expect(try await session.send(request).status == .ok)
        }
    }

    @Test(
        "A redirect keeps the fragment unless its Location has one",
        arguments: [
            (asked: "/a#top", location: "/end", arrives: "/end#top"),
            ("/a#top", "/end#new", "/end#new"),
            ("/a", "/end?x#new", "/end?x#new"),
            ("/a", "/end", "/end"),
            ("/end#x", "", "/end#x"),
            ("/d/a", "../end", "/end"),
            ("/a", "?", nil),
        ] as [(String, String, String?)])
    func fragments(asked: String, location: String, arrives: String?) async throws {
        let server = try await Self.server { _ in (.found, [location]) }
        let port = server.port
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session async throws in
            let response = try? await session.get("http://localhost:\(port)\(asked)")
            #expect(response?.url == arrives.map { "http://localhost:\(port)\($0)" })
        }
    }

    @Test(
        "300, 304, 305, 306 and 201 responses are not followed",
        arguments: [HTTPResponse.Status.multipleChoices, .notModified, .init(code: 305), .init(code: 306), .created])
    func otherStatuses(status: HTTPResponse.Status) async throws {
        let server = try await Self.server { _ in (status, ["/end"]) }
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session async throws in
            #expect(try await session.get("http://localhost:\(server.port)/a").status == status)
        }
        #expect(server.requestCount == 1)
    }

    @Test(
        "An invalid Location, or two of them, is an error that names the redirecting URL",
        arguments: [
            ["ftp://localhost/"], ["http://"], ["http://[::1"], ["http:///x"], ["http://a b/"], ["javascript:1"],
            ["http://localhost:0/"], ["/end", "/other"],
        ])
    func invalidLocations(locations: [String]) async throws {
        let server = try await Self.server { _ in (.found, locations) }
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session async throws in
            do {
                _ = try await session.get("http://localhost:\(server.port)/a")
                Issue.record("the redirect was followed")
            } catch SessionError.redirect(.invalid(let from, _)) {
                #expect(from == "http://localhost:\(server.port)/a")
            }
        }
        #expect(server.requestCount == 1)
    }

    @Test(
        "A 307 or 308 redirect of a body that was already sent and cannot be repeated is an error",
        arguments: [HTTPResponse.Status.temporaryRedirect, .permanentRedirect])
    func oneShotBody(status: HTTPResponse.Status) async throws {
        let server = try await Self.server { _ in (status, ["/end"]) }
        let parts = AsyncStream<ByteBuffer> { continuation in
            continuation.yield(ByteBuffer(string: "once"))
            continuation.finish()
        }
        var configuration = HTTPSession.Configuration()
        configuration.continueTimeout = .milliseconds(1)
        try await withSession(configuration, stopping: [server]) { session async throws in
            do {
                _ = try await session.send(
                    SessionRequest(
                        url: "http://localhost:\(server.port)/a", method: .post, body: .oneShot(length: 4, parts)))
                Issue.record("the redirect was followed")
            } catch SessionError.body(.notRepeatable(let url)) {
                #expect(url == "http://localhost:\(server.port)/end")
            }
        }
    }
}
