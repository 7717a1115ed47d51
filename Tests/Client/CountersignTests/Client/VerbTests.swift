// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import TestServer
import Testing

/// The requests that the convenience methods send.
@Suite struct VerbTests {
    struct Bolt: Codable, Equatable, Sendable {
        var name: String
    }

    @Test("A value is sent as JSON and decoded from the response") func jsonRoundTrip() async throws {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { request in
            ScriptedServer.Reply(.ok, [.contentType: "application/json"], body: request.body)
        }
        let url = "http://localhost:\(server.port)/bolts"
        let bolt = try await withSession(HTTPSession.Configuration(), stopping: [server]) { session in
            try await session.send(
                .put(url).query(["size": "4 mm", "size": "5"]).json(Bolt(name: "M4")), as: Bolt.self)
        }
        #expect(bolt == Bolt(name: "M4"))
        let request = try #require(log.requests.first)
        #expect(request.head.method == .put)
        #expect(request.head.path == "/bolts?size=4%20mm&size=5")
        #expect(request.head.headerFields[values: .contentType] == ["application/json"])
        #expect(request.head.headerFields[values: .accept] == ["application/json"])
    }

    @Test("A request's Content-Type field takes precedence over the body's type") func contentType() async throws {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { _ in ScriptedServer.Reply(.noContent) }
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session in
            let request = SessionRequest.post("http://localhost:\(server.port)/").body(.text("x"))
            _ = try await session.send(request)
            _ = try await session.send(request.header(.contentType, "text/markdown"))
            _ = try await session.head("http://localhost:\(server.port)/")
        }
        let types = log.requests.flatMap { $0.head.headerFields[values: .contentType] }
        #expect(types == ["text/plain; charset=utf-8", "text/markdown"])
    }

    @Test("Basic and Bearer credentials are sent preemptively") func preemptive() async throws {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { _ in ScriptedServer.Reply(.ok) }
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session in
            let url = "http://localhost:\(server.port)/"
            try await session.send(.get(url).basic(user: "Aladdin", password: Secret("open sesame")))
                .expecting(.successful)
            try await session.send(.get(url).bearer(Secret("abc"))).expecting(.successful)
        }
        // The example credential of RFC 7617 section 2.
        let credentials = log.requests.map { $0.head.headerFields[.authorization] }
        #expect(credentials == ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Bearer abc"])
    }

    @Test("The total timeout of the session or of the request is enforced", arguments: [true, false])
    func totalTimeout(isTheRequests: Bool) async throws {
        let server = try await ScriptedServer.start { _ in .silence }
        var configuration = HTTPSession.Configuration()
        configuration.totalTimeout = isTheRequests ? .seconds(600) : .milliseconds(200)
        try await withSession(configuration, stopping: [server]) { session in
            let request = SessionRequest.get("http://localhost:\(server.port)/")
            let error = await #expect(throws: SessionError.self) {
                _ = try await session.send(isTheRequests ? request.timeout(total: .milliseconds(200)) : request)
            }
            guard case .limit(.timedOut(let endpoint, .total, .milliseconds(200), .total)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(endpoint.port == server.port)
        }
    }

    @Test("A response with an unexpected status leaves its connection reusable") func unreadBody() async throws {
        let server = try await ScriptedServer.start { _ in ScriptedServer.Reply(.notFound, body: "nothing here") }
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session in
            for _ in 1...3 {
                await #expect(throws: SessionError.self) {
                    _ = try await session.get("http://localhost:\(server.port)/", as: Bolt.self)
                }
            }
        }
        #expect(server.connectionCount == 1)
    }
}
