// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import TestServer
import Testing

/// The behaviors of the test server, observed by a session.
@Suite struct TestServerTests {
    private static let head = TestServer.Behavior.send("HTTP/1.1 200 OK", "Content-Length: 4", "")
    private static let body = TestServer.Behavior.send(Array("good".utf8))

    private static func get(
        from behaviors: [TestServer.Behavior], idleTimeout: Duration = .seconds(30)
    ) async throws -> String {
        var configuration = HTTPSession.Configuration()
        configuration.idleTimeout = idleTimeout
        return try await TestServer.with([behaviors]) { server in
            try await withSession(configuration) { session in try await session.text(server.url()).body }
        }
    }

    @Test("Behaviors compose", arguments: [1, 3, 1000])
    func composition(size: Int) async throws {
        let behaviors: [TestServer.Behavior] = [
            .receiveHead, .sendInPieces(of: size, every: .milliseconds(1)), Self.head, .delay(.milliseconds(10)),
            Self.body,
        ]
        #expect(try await Self.get(from: behaviors) == "good")
    }

    @Test(
        "A connection closes after the permitted number of bytes",
        arguments: [(0, false), (38, false), (41, false), (42, true)])
    func limit(count: Int, isComplete: Bool) async throws {
        let result = try? await Self.get(from: [.receiveHead, .closeAfterSending(count), Self.head, Self.body])
        #expect(result == (isComplete ? "good" : nil))
    }

    @Test("HTTP/2 composes with the behaviors before it", arguments: [(20, false), (.max, true)])
    func http2(count: Int, isComplete: Bool) async throws {
        var configuration = HTTPSession.Configuration()
        configuration.httpVersions = .onlyHTTP2
        let answering = TestServer.Behavior.http2 { _ in [.respond(200, body: Array("good".utf8))] }
        let behaviors = [.sendInPieces(of: 1), .closeAfterSending(count), answering]
        let result = try? await TestServer.with([behaviors]) { server in
            try await withSession(configuration) { session in try await session.text(server.url()).body }
        }
        #expect(result == (isComplete ? "good" : nil))
    }

    @Test("A connection closes after its last behavior, and immediately without behaviors")
    func closing() async throws {
        for behaviors: [TestServer.Behavior] in [[], [.receive(1)], [.receiveHead, .close, Self.head, Self.body]] {
            await #expect {
                _ = try await Self.get(from: behaviors)
            } throws: { error in
                if case SessionError.connection(.lost) = error { true } else { false }
            }
        }
    }

    @Test("A connection that stalls lets the client time out") func stall() async throws {
        await #expect {
            _ = try await Self.get(from: [.receiveHead, Self.head, .stall], idleTimeout: .seconds(4))
        } throws: { error in
            if case SessionError.limit(.timedOut(_, .body, _, _)) = error { true } else { false }
        }
    }

    @Test("Received and sent bytes are recorded, even through another server") func records() async throws {
        try await TestServer.with([[.receiveHead, Self.head, Self.body]]) { origin async throws in
            try await TestServer.with([[.forward(to: origin.port)], []]) { server async throws in
                try await withSession(HTTPSession.Configuration()) { session async throws in
                    #expect(try await session.text(server.url("/page")).body == "good")
                }
                let record = try #require(server.records.first)
                #expect(String(decoding: record.received, as: UTF8.self).hasPrefix("GET /page HTTP/1.1\r\n"))
                #expect(String(decoding: record.sent, as: UTF8.self).hasSuffix("\r\n\r\ngood"))
                #expect(origin.received == server.received)
                #expect(server.connectionCount == 1)
            }
        }
    }
}
