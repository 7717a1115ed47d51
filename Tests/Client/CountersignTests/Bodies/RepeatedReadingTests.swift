// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations
import NIOCore
import TestServer
import Testing

/// Reading the body of a response more than once.
@Suite struct RepeatedReadingTests {
    /// The sources of a body.
    enum Source: CaseIterable, Sendable { case memory, emptyMemory, stream, withHead, afterHead, decoded }

    private static let text = "one\ntwo\n"

    /// Calls a closure with a response whose body has the source.
    private static func withResponse(
        _ source: Source, _ body: (SessionResponse) async throws -> Void
    ) async throws {
        let contents: SessionResponseBody
        switch source {
        case .memory: contents = .text(text)
        case .emptyMemory: contents = SessionResponseBody()
        case .stream: contents = .parts(of: text.utf8, 3)
        case .withHead: return try await withResponse([.send(head() + text.utf8), .stall], body)
        case .decoded:
            let coded = try Deflated.gzip(Array(text.utf8))
            let head = head(length: coded.count, "Content-Encoding: gzip")
            return try await withResponse([.send(head + coded), .stall], body)
        case .afterHead:
            // The body arrives after the session has delivered the response.
            let (delivery, delivered) = AsyncStream<Void>.makeStream()
            let rest: TestConnection.Script = { connection in
                for await _ in delivery { break }
                try await connection.send(bytes: Array(text.utf8))
            }
            return try await withResponse([.send(head()), .script(rest), .stall]) { response in
                delivered.yield()
                try await body(response)
            }
        }
        try await body(SessionResponse(to: .get("http://a.example/"), body: contents))
    }

    private static func head(length: Int = text.utf8.count, _ fields: String...) -> [UInt8] {
        let lines = ["HTTP/1.1 200 OK", "Content-Length: \(length)"] + fields + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    private static func withResponse(
        _ behaviors: [TestServer.Behavior], _ body: (SessionResponse) async throws -> Void
    ) async throws {
        try await TestServer.with([[.receiveHead] + behaviors]) { server in
            try await withSession(HTTPSession.Configuration()) { session in
                try await body(session.get(server.url()))
            }
        }
    }

    @Test("The second reading of a body is an error, whatever the source", arguments: Source.allCases)
    func complete(source: Source) async throws {
        try await Self.withResponse(source) { response async throws in
            #expect(try await response.text() == (source == .emptyMemory ? "" : Self.text))
            for _ in 0..<2 {
                let error = await #expect(throws: SessionError.self) { _ = try await response.bytes() }
                #expect(error?.code == "body.already-read")
            }
        }
    }

    @Test(
        "The rest of a body cannot be read after its reader was dropped",
        arguments: Source.allCases.filter { $0 != .emptyMemory })
    func rest(source: Source) async throws {
        try await Self.withResponse(source) { response in
            for try await line in response.body.lines {
                #expect(line == "one")
                break
            }
            let error = await #expect(throws: SessionError.self) { _ = try await response.text() }
            #expect(error?.code == "body.already-read")
        }
    }

    @Test("A summary of a response whose body was read has no beginning", arguments: Source.allCases)
    func summary(source: Source) async throws {
        try await Self.withResponse(source) { response in
            _ = try await response.bytes()
            let error = await #expect(throws: SessionError.self) { try await response.expecting(.created) }
            guard case .response(.unexpectedStatus(let summary)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(summary.beginning.isEmpty)
        }
    }
}
